/**
 * Computes when users should arrive: pure arithmetic on a phase, without timers.
 *
 * Every schedule is the inverse of an expected count: at a constant rate r the n-th arrival is due at
 * n/r; on a ramp where the integral of the rate reaches n. Poisson arrivals are the same with
 * exponential steps in the count instead of whole ones (time change of a unit-rate process; Çinlar,
 * Introduction to Stochastic Processes, 1975, ch. 4.7).
 */

/** @import { Arrival } from '../engine/engine.d.ts' */

const SEC_MS = 1000;
/** 0.1 × 30 must be 3 arrivals though binary fractions make it 2.9999999. */
const ROUNDING = 1e-6;

/**
 * A phase with numbers, as `../script/resolve-phases.js` makes it.
 * @typedef {object} Phase
 * @property {number} [duration] seconds
 * @property {number} [pause] seconds without arrivals
 * @property {number} [arrivalRate] per second
 * @property {number} [rampTo] arrivals per second (or users, with `users`) at the end
 * @property {number} [arrivalCount] spread evenly over `duration`
 * @property {Record<string, number>} [more] scenario → its extra arrivals per second, included in `arrivalRate`
 * @property {number} [users] number of closed-loop users
 * @property {number} [maxVusers] limit of concurrent users: arrivals beyond it are skipped
 * @property {string} [mode] `uniform` or `poisson`
 * @property {string} [name]
 * @property {number} [index]
 */

/**
 * The part of the load that this worker sends.
 * @typedef {object} Share
 * @property {number} index 0 … of − 1
 * @property {number} of number of workers
 */

/**
 * @typedef {object} UserCounts in the order of the users
 * @property {number[]} ended includes failed ones
 * @property {number[] | null} failed null: none
 */

/**
 * From a moment of a phase without a ramp on, another rate or number of users than planned.
 * @typedef {object} Turn
 * @property {number} offsetMs since the beginning of the phase; never before the turn in front of it
 * @property {number} to arrivals per second, or users
 */

/** @typedef {{index: number, atMs: number, to: number}} PhaseTurn `index`: of the phase; `atMs`: epoch, within it */

/**
 * A phase on the clock of `performance.now()`.
 * @typedef {object} PlannedPhase
 * @property {Phase} phase
 * @property {number} fromMs
 * @property {number} toMs
 * @property {Turn[]} turns
 * @property {number} [next] the arrival of this worker that is due next, as a count of all arrivals
 */

/** `endFirst`: the first phase ended at this time, epoch @typedef {{steer: (turn: PhaseTurn) => void, endFirst: (atMs: number) => void}} PhaseControl */

/**
 * @typedef {object} RunPhasesOptions
 * @property {Share} share the part of this worker
 * @property {number} [startAtMs] epoch; the same in all workers, so that their phases agree
 * @property {(arrival: Arrival, phase: Phase, done: (error?: unknown) => void) => void} startUser
 *   `done` is for closed-loop users (`arrival.slot` is set): the user has ended, with this error
 * @property {() => number} usersActive in this worker, for `maxVusers`
 * @property {(phase: Phase, why: 'maxVusers' | 'late') => void} [onSkip] an arrival was skipped: above `maxVusers`, or
 *   still due a second after its phase
 * @property {(lagMs: number | null) => void} [onStart] a user starts, this late against the schedule; null for
 *   closed-loop users, who have no schedule
 * @property {(phase: Phase) => void} [onPause] a closed-loop user failed immediately several times and waits before it
 *   repeats
 * @property {(phase: Phase, counts: UserCounts) => void} [onUserCounts] a closed-loop phase has ended or was aborted
 * @property {(phase: Phase, atMs: number) => void} [onPhaseStart] `atMs`: its scheduled start, epoch
 * @property {(phase: Phase, atMs: number) => void} [onPhaseEnd]
 * @property {AbortSignal} [signal] ends everything immediately
 * @property {PhaseControl} [control] gets the functions that change a phase of the run
 * @property {() => number} [random] uniform on [0, 1), for Poisson arrivals
 */

/** @param {Phase} phase @returns {boolean} a number of users that repeat, instead of arrivals */
export function isClosedLoop(phase) {
  return phase.users !== undefined;
}

/** A phase in which all users arrive together has no length: each starts when those before it have. */
const BURST_MS = 1;

/** @param {Phase} phase @returns {boolean} whether all its users arrive together */
export function isBurst(phase) {
  return phase.arrivalCount !== undefined && phaseLengthMs(phase) <= BURST_MS;
}

/** Scheduled length of a phase. @param {Phase} phase @returns {number} ms */
export function phaseLengthMs({ pause, duration }) {
  return (pause ?? duration ?? 0) * SEC_MS;
}

/** @param {Phase[]} phases @param {number} startAtMs on any clock @returns {PlannedPhase[]} on that clock */
export function planPhases(phases, startAtMs) {
  let atMs = startAtMs;
  return phases.map(phase => {
    const fromMs = atMs;
    atMs += phaseLengthMs(phase);
    return { phase, fromMs, toMs: atMs, turns: [] };
  });
}

/**
 * How many of the users one worker gets: the first workers take the remainder.
 * @param {number} users
 * @param {Share} share
 * @returns {number}
 */
export function divideUsers(users, { index, of }) {
  return Math.max(0, Math.ceil((users - index) / of));
}

/**
 * The share of one phase. If `maxVusers` is smaller than the number of workers, only that many workers run the phase:
 * a worker that may have no user would skip all its arrivals.
 * @param {Phase} phase
 * @param {Share} share
 * @returns {Share | null} null when there is nothing to do for this worker
 */
export function shareOfPhase({ maxVusers }, { index, of }) {
  const workers = maxVusers ? Math.max(1, Math.min(of, Math.floor(maxVusers))) : of;
  return index < workers ? { index, of: workers } : null;
}

/**
 * Generates the arrivals of one worker in one phase, one at a time, so that high rates cost no memory. Uniform shares
 * interleave: together they are exactly the schedule of one worker. Poisson arrivals are a separate process in each
 * worker.
 * @param {Phase} phase
 * @param {Share} share
 * @param {() => number} [random] uniform on [0, 1); a seeded one makes Poisson arrivals repeatable
 * @param {Pick<PlannedPhase, 'turns' | 'next'>} [from] where a schedule continues, which has turned meanwhile
 * @returns {Generator<number, void>} ms from the beginning of the phase, never decreasing
 */
export function* arrivalOffsets(phase, share, random = Math.random, from = { turns: [] }) {
  const part = shareOfPhase(phase, share);
  const { expected, offsetMs } = from.turns.reduce(turnArrivals, expectArrivals(phase));
  if (!part || expected <= 0) return;
  // A count is exact, so only a rate can be random.
  const isRandom = phase.mode === 'poisson' && phase.arrivalCount === undefined;
  const end = isRandom ? expected : Math.max(1, Math.floor(expected + ROUNDING));
  // A random step is exponential, of mean 1.
  const advance = () => part.of * (isRandom ? -Math.log(1 - random()) : 1);
  from.next ??= isRandom ? advance() : part.index;
  for (; from.next < end; from.next += advance()) yield offsetMs(from.next);
}

/**
 * @typedef {object} Expected
 * @property {number} expected arrivals in the whole phase
 * @property {(n: number) => number} offsetMs when the n-th is due
 * @property {number} lengthMs of the phase
 * @property {(offsetMs: number) => number} countAt how many are due by then, not rounded: without a ramp, and not before the last turn
 */

/** How many arrivals a phase should have, and when the n-th is due. @param {Phase} phase @returns {Expected} */
function expectArrivals(phase) {
  const { pause, duration = 0, arrivalCount, arrivalRate = 0, rampTo = arrivalRate } = phase;
  const lengthMs = phaseLengthMs(phase);
  const none = { expected: 0, offsetMs: () => 0, lengthMs, countAt: () => 0 };
  if (pause !== undefined || isClosedLoop(phase)) return none;
  if (arrivalCount !== undefined) {
    const everyMs = (duration * SEC_MS) / arrivalCount;
    return { ...none, expected: arrivalCount, offsetMs: n => n * everyMs };
  }
  const growth = (rampTo - arrivalRate) / duration;
  return {
    lengthMs,
    countAt: ms => (arrivalRate * ms) / SEC_MS,
    expected: ((arrivalRate + rampTo) / 2) * duration,
    // n = rate·t + growth·t²/2 solved for t, in the form that does not cancel near zero.
    offsetMs: n =>
      n === 0
        ? 0
        : (2 * n * SEC_MS) /
          (arrivalRate + Math.sqrt(Math.max(0, arrivalRate ** 2 + 2 * growth * n))),
  };
}

/**
 * The same count grows at another rate from the turn on: no arrival is lost or due twice, however often it turns.
 * @param {Expected} before @param {Turn} turn @returns {Expected}
 */
function turnArrivals(before, { offsetMs, to }) {
  const count = before.countAt(offsetMs);
  const countAt = (/** @type {number} */ ms) => count + (to * (ms - offsetMs)) / SEC_MS;
  return {
    ...before,
    countAt,
    expected: countAt(before.lengthMs),
    offsetMs: n => (n < count ? before.offsetMs(n) : offsetMs + ((n - count) * SEC_MS) / to),
  };
}

/**
 * When a user takes part in a closed-loop phase. With `rampTo` the number of users changes linearly from `users` to
 * `rampTo`, rounded; the last to start are the first to stop.
 * @param {Phase} phase
 * @param {number} index over all workers
 * @param {Turn[]} [turns]
 * @returns {{fromMs: number, toMs: number} | null} ms from the beginning of the phase; the last time, if it takes part
 *   several times
 */
export function userWindow(phase, index, turns = []) {
  const lengthMs = phaseLengthMs(phase);
  let window = plannedWindow(phase, index);
  for (const { offsetMs, to } of turns) {
    const { fromMs = Infinity, toMs = 0 } = window ?? {};
    const isIn = fromMs <= offsetMs && offsetMs < toMs;
    if (index < to) window = { fromMs: isIn ? fromMs : offsetMs, toMs: lengthMs };
    else window = fromMs < offsetMs ? { fromMs, toMs: Math.min(toMs, offsetMs) } : null;
  }
  return window;
}

/** @param {Phase} phase @param {number} index @returns {{fromMs: number, toMs: number} | null} */
function plannedWindow(phase, index) {
  const { users = 0, rampTo = users } = phase;
  const lengthMs = phaseLengthMs(phase);
  if (index >= Math.max(users, rampTo)) return null;
  if (index < Math.min(users, rampTo)) return { fromMs: 0, toMs: lengthMs };
  const turnMs = (lengthMs * (index - users + 0.5)) / (rampTo - users);
  return rampTo > users ? { fromMs: turnMs, toMs: lengthMs } : { fromMs: 0, toMs: turnMs };
}

/**
 * When the users of one worker begin in a closed-loop phase.
 * @param {Phase} phase
 * @param {Share} share
 * @param {Turn[]} [turns]
 * @returns {Generator<{offsetMs: number, index: number}, void>} in the order of time
 */
export function* userBegins(phase, { index: first, of }, turns = []) {
  for (let index = first; ; index += of) {
    const window = userWindow(phase, index, turns);
    if (!window) return;
    yield { offsetMs: window.fromMs, index };
  }
}
