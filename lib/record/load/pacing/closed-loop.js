/**
 * Closed-loop users: each repeats its scenario as soon as it has ended, while a phase includes it. A user that the
 * next phase also includes continues with its connections open.
 */
import { isClosedLoop, userWindow } from './schedule.js';

/** @import { PlannedPhase, RunPhasesOptions, Share, UserCounts } from './schedule.js' */
/** @import { UserSlot } from '../engine/engine.d.ts' */

/** A user that could not even begin fails within this time. */
const AT_ONCE_MS = 10;
/** This many immediate failures in a row mean that the target is down, not that one response was bad. */
const FAILURES_IN_A_ROW = 3;
/** If users end immediately, sockets and timers get their turn after this many. */
const BEGINS_IN_A_ROW = 100;
/** A user that fails repeatedly begins at most this often: a loop of errors would use up the generator's CPU. */
const RETRY_EVERY_MS = 100;

/**
 * @typedef {object} LoopUser
 * @property {UserSlot} slot
 * @property {boolean} busy running, or about to repeat
 * @property {number} failures immediate ones in a row
 * @property {number} dueMs when it was due to begin
 */

/**
 * @param {PlannedPhase[]} plan
 * @param {Pick<RunPhasesOptions, 'share' | 'startUser' | 'onStart' | 'onPause'> &
 *   {sliceMs: number, onError: (error: unknown) => void}} options
 */
export function createClosedLoop(plan, options) {
  const { share, startUser, onStart, onPause, onError, sliceMs } = options;
  /** @type {Map<number, LoopUser>} */
  const users = new Map();
  /** @type {Set<NodeJS.Timeout>} */
  const pauses = new Set();
  /** Users that are due to repeat, in order. @type {LoopUser[]} */
  let ready = [];
  /** @type {NodeJS.Immediate | undefined} */
  let soon;
  let begunInARow = 0;
  let current = 0;
  let isInPhase = false;
  let aborted = false;
  const counts = createUserCounts(share);

  return {
    /** @param {number} index of the phase that has begun; its users follow by `join` */
    enterPhase(index) {
      current = index;
      isInPhase = true;
      for (const user of users.values()) if (!user.busy && !isWanted(user, current)) release(user);
    },
    /** The current phase is over, or was cut short. @returns {UserCounts | null} */
    leavePhase() {
      isInPhase = false;
      return counts.take();
    },
    /**
     * Starts a user of the current phase. If it is still running from the previous phase, it continues when done.
     * @param {number} index @param {number} atMs
     */
    join(index, atMs) {
      if (isCounted(index)) counts.join(index);
      let user = users.get(index);
      if (!user) {
        user = { slot: { index, connections: null }, busy: false, failures: 0, dueMs: 0 };
        users.set(index, user);
      }
      // After a stall the phase may be over already.
      if (!user.busy && isWanted(user, current)) begin(user, atMs);
    },
    /** Stops all repetition, and closes all connections now. */
    abort() {
      aborted = true;
      clearImmediate(soon);
      pauses.forEach(clearTimeout);
      for (const user of users.values()) release(user);
    },
  };

  /** @param {LoopUser} user @param {number} intendedAtMs */
  function begin(user, intendedAtMs) {
    const { phase } = /** @type {PlannedPhase} */ (plan[current]);
    const beganMs = performance.now();
    let ended = false;
    user.busy = true;
    onStart?.(null);
    startUser({ intendedAtMs, slot: user.slot }, phase, error => {
      if (ended) return;
      ended = true;
      const isFailed = error !== undefined && error !== null;
      if (isCounted(user.slot.index)) counts.end(user.slot.index, isFailed);
      if (aborted) release(user);
      else repeat(user, beganMs, isFailed);
    });
  }

  /** @param {LoopUser} user @param {number} beganMs @param {boolean} failed */
  function repeat(user, beganMs, failed) {
    user.dueMs = performance.now();
    user.failures = failed && user.dueMs - beganMs < AT_ONCE_MS ? user.failures + 1 : 0;
    if (user.failures < FAILURES_IN_A_ROW || !isWanted(user, current)) {
      if (ready.length > 0 || ++begunInARow > BEGINS_IN_A_ROW) enqueue(user);
      else beginAll([user]);
      return;
    }
    onPause?.(/** @type {PlannedPhase} */ (plan[current]).phase);
    const pause = setTimeout(
      () => {
        pauses.delete(pause);
        user.dueMs = performance.now();
        enqueue(user);
      },
      Math.max(1, beganMs + RETRY_EVERY_MS - user.dueMs),
    );
    pauses.add(pause);
  }

  /** @param {LoopUser} user */
  function enqueue(user) {
    ready.push(user);
    soon ??= setImmediate(beginReady);
  }

  function beginReady() {
    soon = undefined;
    begunInARow = 0;
    const queue = ready;
    ready = [];
    beginAll(queue);
  }

  /** @param {LoopUser[]} queue */
  function beginAll(queue) {
    const untilMs = performance.now() + sliceMs;
    let at = 0;
    try {
      for (; at < queue.length && !aborted && performance.now() < untilMs; at += 1) {
        const user = /** @type {LoopUser} */ (queue[at]);
        if (isWanted(user, current)) begin(user, user.dueMs);
        else rest(user);
      }
    } catch (error) {
      onError(error);
    }
    if (aborted) return;
    if (at < queue.length) ready = [...queue.slice(at), ...ready];
    if (ready.length > 0) soon ??= setImmediate(beginReady);
  }

  /** The phase no longer includes this user; the next one may, in a moment. @param {LoopUser} user */
  function rest(user) {
    user.busy = false;
    const entry = plan[current];
    const over = entry !== undefined && performance.now() >= entry.toMs;
    if (!over || !isWanted(user, current + 1)) release(user);
  }

  /** @param {LoopUser} user */
  function release({ slot }) {
    slot.connections?.close();
    slot.connections = null;
    users.delete(slot.index);
  }

  /** Whether a user belongs to the current phase, not to the previous one. @param {number} index */
  function isCounted(index) {
    const entry = plan[current];
    if (!isInPhase || !entry || !isClosedLoop(entry.phase)) return false;
    return userWindow(entry.phase, index) !== null;
  }

  /**
   * Whether a user takes part in a phase now (or, before the phase, when it begins).
   * @param {LoopUser} user @param {number} phaseIndex
   */
  function isWanted({ slot }, phaseIndex) {
    const entry = plan[phaseIndex];
    if (!entry || !isClosedLoop(entry.phase)) return false;
    const window = userWindow(entry.phase, slot.index);
    if (!window) return false;
    const offsetMs = Math.max(0, performance.now() - entry.fromMs);
    return window.fromMs <= offsetMs && offsetMs < window.toMs;
  }
}

// -- How many scenarios each closed-loop user of a worker ended in the current phase.

/** @param {Share} share the worker's */
function createUserCounts({ index: first, of }) {
  /** @type {number[]} */
  let ended = [];
  /** @type {number[]} */
  let failed = [];
  const placeOf = (/** @type {number} */ index) => (index - first) / of;

  return {
    /** Users that end no scenario are counted, too. @param {number} index over all workers */
    join(index) {
      ended[placeOf(index)] ??= 0;
    },
    /** @param {number} index @param {boolean} isFailed */
    end(index, isFailed) {
      const place = placeOf(index);
      ended[place] = (ended[place] ?? 0) + 1;
      if (isFailed) failed[place] = (failed[place] ?? 0) + 1;
    },
    /** Returns the counts and resets them. @returns {UserCounts | null} null if there were no such users */
    take() {
      const counts = {
        ended: Array.from(ended, n => n ?? 0),
        failed: failed.length > 0 ? Array.from(ended, (_, place) => failed[place] ?? 0) : null,
      };
      ended = [];
      failed = [];
      return counts.ended.length > 0 ? counts : null;
    },
  };
}
