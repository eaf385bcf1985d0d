/**
 * Closed-loop users: each repeats its scenario as soon as it has ended, for as long as a phase wants
 * it. A user that the next phase wants, too, goes on into it with its connections open.
 */
import { isClosedLoop, userWindow } from './schedule.js';

/** @import { PlannedPhase, RunPhasesOptions, Share, UserCounts } from './schedule.js' */
/** @import { UserSlot } from '../engine/engine.d.ts' */

/** A user that could not even begin fails in less than this. */
const AT_ONCE_MS = 10;
/** So many failures at once in a row are a target that is not there, not a flaw of one answer. */
const FAILURES_IN_A_ROW = 3;
/** Users that end at once let sockets and timers have their turn after so many. */
const BEGINS_IN_A_ROW = 100;
/** After them a user begins at most this often: a spin of errors would take the generator's CPU. */
const RETRY_EVERY_MS = 100;

/**
 * @typedef {object} LoopUser
 * @property {UserSlot} slot
 * @property {boolean} busy at work, or about to begin again
 * @property {number} failures at once, in a row
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
  /** Users that begin again, in their order. @type {LoopUser[]} */
  let ready = [];
  /** @type {NodeJS.Immediate | undefined} */
  let soon;
  let begunInARow = 0;
  let current = 0;
  let isInPhase = false;
  let aborted = false;
  const counts = createUserCounts(share);

  return {
    /** @param {number} index of the phase that has begun; `join` tells who takes part */
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
     * A user of the current phase is to begin, unless it is still at work from the phase before: then
     * it goes on when it is done.
     * @param {number} index @param {number} atMs
     */
    join(index, atMs) {
      if (isCounted(index)) counts.join(index);
      let user = users.get(index);
      if (!user) {
        user = { slot: { index, connections: null }, busy: false, failures: 0, dueMs: 0 };
        users.set(index, user);
      }
      // After a stall its phase may be over already.
      if (!user.busy && isWanted(user, current)) begin(user, atMs);
    },
    /** Nobody begins again, and the connections of all are closed now. */
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

  /** The phase does not want a user any more; the next may want it in a moment. @param {LoopUser} user */
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

  /** Does a user belong to the phase that goes on? One of the phase before may still be at work. @param {number} index */
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

// -- How many scenarios each closed-loop user of a worker ended in the phase that goes on.

/** @param {Share} share whose users are counted */
function createUserCounts({ index: first, of }) {
  /** @type {number[]} */
  let ended = [];
  /** @type {number[]} */
  let failed = [];
  const placeOf = (/** @type {number} */ index) => (index - first) / of;

  return {
    /** A user that ends nothing is counted, too. @param {number} index over all workers */
    join(index) {
      ended[placeOf(index)] ??= 0;
    },
    /** @param {number} index @param {boolean} isFailed */
    end(index, isFailed) {
      const place = placeOf(index);
      ended[place] = (ended[place] ?? 0) + 1;
      if (isFailed) failed[place] = (failed[place] ?? 0) + 1;
    },
    /** What was counted; begins anew. @returns {UserCounts | null} null where there were no such users */
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
