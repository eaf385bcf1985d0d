/**
 * Closed-loop users: each repeats its scenario as soon as it has ended, while a phase includes it. A user that the
 * next phase also includes continues with its connections open.
 */
import { entryOf } from '../../base/files/maps.js';
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
 * @typedef {Pick<RunPhasesOptions, 'share' | 'startUser' | 'onStart' | 'onPause'> &
 *   {sliceMs: number, onError: (error: unknown) => void}} ClosedLoopOptions
 */

export class ClosedLoop {
  #plan;
  #options;
  #counts;
  /** @type {Map<number, LoopUser>} */
  #users = new Map();
  /** @type {Set<NodeJS.Timeout>} */
  #pauses = new Set();
  /** Users that are due to repeat, in order. @type {LoopUser[]} */
  #ready = [];
  /** @type {NodeJS.Immediate | undefined} */
  #soon;
  #begunInARow = 0;
  #current = 0;
  #isInPhase = false;
  #isAborted = false;

  /** @param {PlannedPhase[]} plan @param {ClosedLoopOptions} options */
  constructor(plan, options) {
    this.#plan = plan;
    this.#options = options;
    this.#counts = createUserCounts(options.share);
  }

  /** @param {number} index of the phase that has begun; its users follow by `join` */
  enterPhase(index) {
    this.#current = index;
    this.#isInPhase = true;
    for (const user of this.#users.values())
      if (!user.busy && !this.#isWanted(user, index)) this.#release(user);
  }

  /** The current phase is over, or was cut short. @returns {UserCounts | null} */
  leavePhase() {
    this.#isInPhase = false;
    return this.#counts.take();
  }

  /**
   * Starts a user of the current phase. If it is still running from the previous phase, it continues when done.
   * @param {number} index @param {number} atMs
   */
  join(index, atMs) {
    if (this.#isCounted(index)) this.#counts.join(index);
    const user = entryOf(this.#users, index, () => {
      return { slot: { index, connections: null }, busy: false, failures: 0, dueMs: 0 };
    });
    // After a stall the phase may be over already.
    if (!user.busy && this.#isWanted(user, this.#current)) this.#begin(user, atMs);
  }

  /** Stops all repetition, and closes all connections now. */
  abort() {
    this.#isAborted = true;
    clearImmediate(this.#soon);
    this.#pauses.forEach(clearTimeout);
    for (const user of this.#users.values()) this.#release(user);
  }

  /** @param {LoopUser} user @param {number} intendedAtMs */
  #begin(user, intendedAtMs) {
    const { startUser, onStart } = this.#options;
    const { phase } = /** @type {PlannedPhase} */ (this.#plan[this.#current]);
    const beganMs = performance.now();
    let ended = false;
    user.busy = true;
    onStart?.(null);
    startUser({ intendedAtMs, slot: user.slot }, phase, error => {
      if (ended) return;
      ended = true;
      const isFailed = error !== undefined && error !== null;
      if (this.#isCounted(user.slot.index)) this.#counts.end(user.slot.index, isFailed);
      if (this.#isAborted) this.#release(user);
      else this.#repeat(user, beganMs, isFailed);
    });
  }

  /**
   * @param {LoopUser} user
   * @param {number} beganMs
   * @param {boolean} failed
   */
  #repeat(user, beganMs, failed) {
    user.dueMs = performance.now();
    user.failures = failed && user.dueMs - beganMs < AT_ONCE_MS ? user.failures + 1 : 0;
    if (user.failures >= FAILURES_IN_A_ROW && this.#isWanted(user, this.#current))
      this.#pause(user, beganMs + RETRY_EVERY_MS - user.dueMs);
    else if (this.#ready.length > 0 || ++this.#begunInARow > BEGINS_IN_A_ROW) this.#enqueue(user);
    else this.#beginAll([user]);
  }

  /** @param {LoopUser} user @param {number} ms */
  #pause(user, ms) {
    this.#options.onPause?.(/** @type {PlannedPhase} */ (this.#plan[this.#current]).phase);
    const pause = setTimeout(
      () => {
        this.#pauses.delete(pause);
        user.dueMs = performance.now();
        this.#enqueue(user);
      },
      Math.max(1, ms),
    );
    this.#pauses.add(pause);
  }

  /** @param {LoopUser} user */
  #enqueue(user) {
    this.#ready.push(user);
    this.#beginSoon();
  }

  #beginSoon() {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      this.#begunInARow = 0;
      const queue = this.#ready;
      this.#ready = [];
      this.#beginAll(queue);
    });
  }

  /** @param {LoopUser[]} queue */
  #beginAll(queue) {
    const untilMs = performance.now() + this.#options.sliceMs;
    let at = 0;
    try {
      for (; at < queue.length && !this.#isAborted && performance.now() < untilMs; at += 1) {
        const user = /** @type {LoopUser} */ (queue[at]);
        if (this.#isWanted(user, this.#current)) this.#begin(user, user.dueMs);
        else this.#rest(user);
      }
    } catch (error) {
      this.#options.onError(error);
    }
    if (this.#isAborted) return;
    if (at < queue.length) this.#ready = [...queue.slice(at), ...this.#ready];
    if (this.#ready.length > 0) this.#beginSoon();
  }

  /** The phase no longer includes this user; the next one may, in a moment. @param {LoopUser} user */
  #rest(user) {
    user.busy = false;
    const entry = this.#plan[this.#current];
    const over = entry !== undefined && performance.now() >= entry.toMs;
    if (!over || !this.#isWanted(user, this.#current + 1)) this.#release(user);
  }

  /** @param {LoopUser} user */
  #release({ slot }) {
    slot.connections?.close();
    slot.connections = null;
    this.#users.delete(slot.index);
  }

  /** Whether a user belongs to the current phase, not to the previous one. @param {number} index */
  #isCounted(index) {
    return this.#isInPhase && this.#windowOf(index, this.#current) !== null;
  }

  /**
   * Whether a user takes part in a phase now (or, before the phase, when it begins).
   * @param {LoopUser} user @param {number} phaseIndex
   */
  #isWanted({ slot }, phaseIndex) {
    const window = this.#windowOf(slot.index, phaseIndex);
    if (!window) return false;
    const offsetMs = Math.max(0, performance.now() - (this.#plan[phaseIndex]?.fromMs ?? 0));
    return window.fromMs <= offsetMs && offsetMs < window.toMs;
  }

  /** @param {number} index of a user @param {number} phaseIndex */
  #windowOf(index, phaseIndex) {
    const { phase, turns } = this.#plan[phaseIndex] ?? {};
    return phase && isClosedLoop(phase) ? userWindow(phase, index, turns) : null;
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
