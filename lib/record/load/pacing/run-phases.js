/** Starts users at the times that a list of phases schedules, and sleeps in between. */
import { createClosedLoop } from './closed-loop.js';
import {
  arrivalOffsets,
  divideUsers,
  isBurst,
  isClosedLoop,
  phaseLengthMs,
  shareOfPhase,
  userBegins,
} from './schedule.js';

/** @import { Phase, PlannedPhase, RunPhasesOptions, Share } from './schedule.js' */

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
  const { share, startUser, usersActive, onSkip, onStart, onPhaseStart, onPhaseEnd, signal } =
    options;
  const { startAtMs = Date.now() } = options;
  const plan = planPhases(phases, startAtMs);
  /** @type {PromiseWithResolvers<void>} */
  const { promise, resolve, reject } = Promise.withResolvers();
  const due = walkArrivals(plan, share, options.random);
  const closedLoop = createClosedLoop(plan, { ...options, onError: finish, sliceMs: SLICE_MS });
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {NodeJS.Immediate | undefined} */
  let soon;
  let next = due.next().value;
  /** Phases before this one are over; it has begun if `begun`. */
  let current = 0;
  let begun = false;
  let finished = false;

  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  else tick();
  return promise;

  function tick() {
    try {
      const untilMs = performance.now() + SLICE_MS;
      for (;;) {
        const boundary = nextBoundaryMs();
        const nowMs = performance.now();
        if (next && next.atMs < boundary && next.atMs <= nowMs && nowMs < untilMs) startNext(nowMs);
        else if (boundary <= nowMs) passBoundary();
        else break;
        if (finished) return;
      }
      if (next && next.atMs <= performance.now()) soon = setImmediate(tick);
      else timer = setTimeout(tick, delayUntil(Math.min(next?.atMs ?? Infinity, nextBoundaryMs())));
    } catch (error) {
      finish(error);
    }
  }

  function nextBoundaryMs() {
    const entry = plan[current];
    if (!entry) return next ? Infinity : -Infinity;
    return begun ? entry.toMs : entry.fromMs;
  }

  function passBoundary() {
    const entry = plan[current];
    if (!entry) finish();
    else if (begun) {
      begun = false;
      reportCounts(entry.phase);
      current += 1;
      onPhaseEnd?.(entry.phase, epochOf(entry.toMs));
    } else {
      begun = true;
      closedLoop.enterPhase(current);
      onPhaseStart?.(entry.phase, epochOf(entry.fromMs));
    }
  }

  /** @param {number} atMs on the clock of the plan */
  function epochOf(atMs) {
    return Math.round(startAtMs + atMs - (plan[0]?.fromMs ?? atMs));
  }

  /** @param {number} nowMs */
  function startNext(nowMs) {
    const { atMs, entry, user, mostUsers } = /** @type {DueArrival} */ (next);
    next = due.next().value;
    if (user !== null) closedLoop.join(user, atMs);
    else if (nowMs > entry.toMs + MAX_OVERRUN_MS && !isBurst(entry.phase))
      onSkip?.(entry.phase, 'late');
    else if (usersActive() >= mostUsers) onSkip?.(entry.phase, 'maxVusers');
    else {
      onStart?.(nowMs - atMs);
      startUser({ intendedAtMs: atMs, slot: null }, entry.phase, ignore);
    }
  }

  /** @param {Phase} phase */
  function reportCounts(phase) {
    const counts = closedLoop.leavePhase();
    if (counts) options.onUserCounts?.(phase, counts);
  }

  function abort() {
    const entry = plan[current];
    if (entry && begun) reportCounts(entry.phase);
    closedLoop.abort();
    finish();
  }

  /** @param {unknown} [error] */
  function finish(error) {
    if (finished) return;
    finished = true;
    clearTimeout(timer);
    clearImmediate(soon);
    if (error === undefined) resolve();
    else {
      closedLoop.abort();
      reject(error);
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
 * @returns {Generator<DueArrival, undefined>}
 */
function* walkArrivals(plan, share, random) {
  for (const entry of plan) {
    const { phase, fromMs } = entry;
    const part = shareOfPhase(phase, share) ?? share;
    const mostUsers = phase.maxVusers === undefined ? Infinity : divideUsers(phase.maxVusers, part);
    if (isClosedLoop(phase)) {
      for (const { offsetMs, index } of userBegins(phase, share)) {
        yield { atMs: fromMs + offsetMs, entry, user: index, mostUsers };
      }
    } else {
      for (const offsetMs of arrivalOffsets(phase, share, random)) {
        yield { atMs: fromMs + offsetMs, entry, user: null, mostUsers };
      }
    }
  }
}

/** @param {Phase[]} phases @param {number} startAtMs @returns {PlannedPhase[]} */
function planPhases(phases, startAtMs) {
  let atMs = performance.now() + startAtMs - Date.now();
  return phases.map(phase => {
    const fromMs = atMs;
    atMs += phaseLengthMs(phase);
    return { phase, fromMs, toMs: atMs };
  });
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
