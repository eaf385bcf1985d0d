/** Starts users at the times that a list of phases schedules, and sleeps in between. */
import { ClosedLoop } from './closed-loop.js';
import {
  arrivalOffsets,
  divideUsers,
  isBurst,
  isClosedLoop,
  planPhases,
  shareOfPhase,
  userBegins,
} from './schedule.js';

/** @import { Phase, PhaseTurn, PlannedPhase, RunPhasesOptions, Share } from './schedule.js' */

/** After a stall, catching up takes at most this long in one go; then sockets and timers get their turn. */
const SLICE_MS = 5;
/**
 * A phase lasts as long as configured. Of the arrivals still due at its end, the effect of a short stall is made up
 * for; the backlog of a generator that can't keep up is skipped.
 */
const MAX_OVERRUN_MS = 1000;

/**
 * Runs the share of one worker. Phases begin and end on time, however slow the target or this thread is; late arrivals
 * start in order, up to a second after their phase.
 * @param {Phase[]} phases with numbers; `maxVusers`, `users` and rates are totals of all workers
 * @param {RunPhasesOptions} options
 * @returns {Promise<void>} resolves when the last phase is over (users may still be running) or was aborted; rejects
 *   with what a callback threw
 */
export function runPhases(phases, options) {
  return new PhaseRun(phases, options).start();
}

class PhaseRun {
  #options;
  #startAtMs;
  #plan;
  #due;
  #next;
  #closedLoop;
  /** @type {PromiseWithResolvers<void>} */
  #end = Promise.withResolvers();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {NodeJS.Immediate | undefined} */
  #soon;
  /** Phases before this one are over; it has begun if `#isBegun`. */
  #current = 0;
  #isBegun = false;
  #isFinished = false;

  /** @param {Phase[]} phases @param {RunPhasesOptions} options */
  constructor(phases, options) {
    const { startAtMs = Date.now() } = options;
    this.#options = options;
    this.#startAtMs = startAtMs;
    this.#plan = planPhases(phases, performance.now() + startAtMs - Date.now());
    this.#due = walkArrivals(this.#plan, options.share, options.random);
    this.#next = this.#due.next().value;
    const onError = (/** @type {unknown} */ error) => this.#finish(error);
    this.#closedLoop = new ClosedLoop(this.#plan, { ...options, onError, sliceMs: SLICE_MS });
    if (!options.control) return;
    options.control.steer = turn => this.#steer(turn);
    options.control.endFirst = atMs => this.#endFirst(atMs);
  }

  start() {
    const { signal } = this.#options;
    signal?.addEventListener('abort', () => this.#abort(), { once: true });
    if (signal?.aborted) this.#abort();
    else this.#tick();
    return this.#end.promise;
  }

  #tick() {
    try {
      const untilMs = performance.now() + SLICE_MS;
      for (;;) {
        const boundary = this.#nextBoundaryMs();
        const nowMs = performance.now();
        const atMs = this.#next?.atMs ?? Infinity;
        if (atMs < boundary && atMs <= nowMs && nowMs < untilMs) this.#startNext(nowMs);
        else if (boundary <= nowMs) this.#passBoundary();
        else break;
        if (this.#isFinished) return;
      }
      const atMs = this.#next?.atMs ?? Infinity;
      const tick = () => this.#tick();
      if (atMs <= performance.now()) this.#soon = setImmediate(tick);
      else this.#timer = setTimeout(tick, delayUntil(Math.min(atMs, this.#nextBoundaryMs())));
    } catch (error) {
      this.#finish(error);
    }
  }

  /** What is already due stays due when it was; the rest follows the new schedule. @param {PhaseTurn} turn */
  #steer({ index, atMs, to }) {
    const entry = this.#plan[index];
    if (!entry || this.#isFinished) return;
    const offsetMs = atMs - this.#epochOf(entry.fromMs);
    entry.turns.push({ offsetMs: Math.max(offsetMs, entry.turns.at(-1)?.offsetMs ?? 0), to });
    // Arrivals of an earlier phase may still be due: the walk comes to this one later.
    if (this.#next && this.#plan.indexOf(this.#next.entry) < index) return;
    this.#walkFrom(index);
    this.#tick();
  }

  /** The second phase began just now, and has had the arrivals since then. @param {number} atMs epoch */
  #endFirst(atMs) {
    const [first, ...later] = this.#plan;
    if (!first || this.#current > 0 || !this.#isBegun || this.#isFinished) return;
    const nextMs = this.#next?.atMs ?? 0;
    const earlyMs = this.#epochOf(first.toMs) - atMs;
    first.toMs -= earlyMs;
    for (const entry of later) {
      entry.fromMs -= earlyMs;
      entry.toMs -= earlyMs;
    }
    this.#walkFrom(1);
    while (this.#next?.user === null && this.#next.atMs < nextMs)
      this.#next = this.#due.next().value;
    this.#tick();
  }

  /** @param {number} index of a phase */
  #walkFrom(index) {
    this.#due = walkArrivals(this.#plan, this.#options.share, this.#options.random, index);
    this.#next = this.#due.next().value;
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
  }

  #nextBoundaryMs() {
    const entry = this.#plan[this.#current];
    if (!entry) return this.#next ? Infinity : -Infinity;
    return this.#isBegun ? entry.toMs : entry.fromMs;
  }

  #passBoundary() {
    const { onPhaseStart, onPhaseEnd } = this.#options;
    const entry = this.#plan[this.#current];
    if (!entry) this.#finish();
    else if (this.#isBegun) {
      this.#isBegun = false;
      this.#reportCounts(entry.phase);
      this.#current += 1;
      onPhaseEnd?.(entry.phase, this.#epochOf(entry.toMs));
    } else {
      this.#isBegun = true;
      this.#closedLoop.enterPhase(this.#current);
      onPhaseStart?.(entry.phase, this.#epochOf(entry.fromMs));
    }
  }

  /** @param {number} atMs on the clock of the plan */
  #epochOf(atMs) {
    return Math.round(this.#startAtMs + atMs - (this.#plan[0]?.fromMs ?? atMs));
  }

  /** @param {number} nowMs */
  #startNext(nowMs) {
    const { startUser, usersActive, onSkip, onStart } = this.#options;
    const { atMs, entry, user, mostUsers } = /** @type {DueArrival} */ (this.#next);
    this.#next = this.#due.next().value;
    if (user !== null) this.#closedLoop.join(user, atMs);
    else if (nowMs > entry.toMs + MAX_OVERRUN_MS && !isBurst(entry.phase))
      onSkip?.(entry.phase, 'late');
    else if (usersActive() >= mostUsers) onSkip?.(entry.phase, 'maxVusers');
    else {
      onStart?.(nowMs - atMs);
      startUser({ intendedAtMs: atMs, slot: null }, entry.phase, ignore);
    }
  }

  /** @param {Phase} phase */
  #reportCounts(phase) {
    const counts = this.#closedLoop.leavePhase();
    if (counts) this.#options.onUserCounts?.(phase, counts);
  }

  #abort() {
    const entry = this.#plan[this.#current];
    if (entry && this.#isBegun) this.#reportCounts(entry.phase);
    this.#closedLoop.abort();
    this.#finish();
  }

  /** @param {unknown} [error] */
  #finish(error) {
    if (this.#isFinished) return;
    this.#isFinished = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
    if (error === undefined) this.#end.resolve();
    else {
      this.#closedLoop.abort();
      this.#end.reject(error);
    }
  }
}

/**
 * @typedef {object} DueArrival
 * @property {number} atMs
 * @property {PlannedPhase} entry
 * @property {number | null} user index of a closed-loop user; null: an arrival
 * @property {number} mostUsers limit of concurrent users in this worker
 */

/**
 * @param {PlannedPhase[]} plan
 * @param {Share} share
 * @param {(() => number) | undefined} random
 * @param {number} [from] index of a phase
 * @returns {Generator<DueArrival, undefined>}
 */
function* walkArrivals(plan, share, random, from = 0) {
  for (const entry of plan.slice(from)) {
    const { phase, fromMs } = entry;
    const part = shareOfPhase(phase, share) ?? share;
    const mostUsers = phase.maxVusers === undefined ? Infinity : divideUsers(phase.maxVusers, part);
    if (isClosedLoop(phase)) {
      for (const { offsetMs, index } of userBegins(phase, share, entry.turns)) {
        yield { atMs: fromMs + offsetMs, entry, user: index, mostUsers };
      }
    } else {
      for (const offsetMs of arrivalOffsets(phase, share, random, entry)) {
        yield { atMs: fromMs + offsetMs, entry, user: null, mostUsers };
      }
    }
  }
}

/** Users of an arrival rate do not repeat. */
function ignore() {}

/** Timers of more than 24.8 days would fire immediately. */
const LONGEST_MS = 60 * 60 * 1000;

/**
 * How long to sleep until an event: nothing here polls or spins. The timer may fire up to 1 ms early, or long before a
 * distant event.
 * @param {number} atMs on the clock of `performance.now()`
 */
function delayUntil(atMs) {
  return Math.min(LONGEST_MS, Math.max(1, Math.ceil(atMs - performance.now() - 0.05)));
}
