/** Signs that the load generator's figures are wrong. The thresholds are data, with their reasons. */
import { most, sum } from '../../base/math/summary.js';

/**
 * A second of one worker; it is longer where the worker stalled.
 * @typedef {object} GeneratorSecond
 * @property {number} fromMs
 * @property {number} lengthMs
 * @property {number} worker
 * @property {number} utilization share of the time in which it was working or ready to, 0…1
 * @property {number | null} cores CPU time ÷ time
 * @property {number | null} delayP99Ms
 * @property {number | null} lagP50Ms null where no user arrived by a schedule
 * @property {number | null} lagP99Ms
 * @property {number | null} usersLate mean number of users waiting to be started
 */

/** @import { GeneratorSign } from '../../run/facts/load-report.d.ts' */

/**
 * The first seconds of a worker are skipped: code is being compiled, modules are loading, and the first connections
 * are being made.
 */
const START_UP_MS = 2000;
/** A sign must last this long, and for this share of the time: a single hiccup limits nothing. */
const LEAST_MS = 3000;
const LEAST_SHARE = 0.1;
/**
 * Queueing grows with 1 ÷ (1 − utilisation): at 0.9 a response waits for the event loop about nine times as long as
 * the loop works on one. Our engine sleeps while it waits, so this is work and not spinning.
 */
const BUSY = 0.9;
/** Always at work on less CPU than this: the worker was ready to run, but did not get a core. */
const OWN_CORE = 0.8;
/**
 * Five times what the pacing promises (2 ms at p99), and an operating system's time slice. A lag that is small
 * compared with the responses changes no figure. Users wait for each other where half of a second's users are late
 * and one is waiting on average (Little's law). Otherwise something else had the CPU for a moment, and the rate
 * holds.
 */
const LATE_MS = 10;
const LATE_QUEUE = 1;
const SHARE_OF_ANSWER = 0.1;
/** The generator's pauses count as the target's: one would double a response of 20 ms. Slow responses: as for a lag. */
const PAUSE_MS = 20;
/** Share of the time in which it had work but no CPU. */
const CROWDED = 0.1;

/**
 * @type {{
 *   id: (seconds: GeneratorSecond[]) => GeneratorSign['id'],
 *   isLimit: boolean,
 *   holds: (second: GeneratorSecond, typicalMs: number) => boolean,
 * }[]} the worst first; only the first that holds counts for a worker
 */
const SIGNS = [
  {
    id: seconds => ((meanCores(seconds) ?? OWN_CORE) >= OWN_CORE ? 'busy' : 'starved'),
    isLimit: true,
    holds: ({ utilization }) => utilization >= BUSY,
  },
  {
    id: () => 'late',
    isLimit: true,
    holds: ({ lagP50Ms, usersLate }, typicalMs) =>
      (usersLate ?? 0) >= LATE_QUEUE && isMuch(lagP50Ms, LATE_MS, typicalMs),
  },
  {
    id: () => 'paused',
    isLimit: false,
    holds: ({ delayP99Ms }, typicalMs) => isMuch(delayP99Ms, PAUSE_MS, typicalMs),
  },
  {
    id: () => 'late',
    isLimit: false,
    holds: ({ lagP99Ms }, typicalMs) => isMuch(lagP99Ms, LATE_MS, typicalMs),
  },
];

/** @param {number | null} ms @param {number} leastMs @param {number} typicalMs */
const isMuch = (ms, leastMs, typicalMs) =>
  ms !== null && ms > Math.max(leastMs, typicalMs * SHARE_OF_ANSWER);

/**
 * @param {GeneratorSecond[]} series the seconds of one worker, in order
 * @param {number} typicalMs median response time
 * @param {boolean} isWarm the series starts later than the worker
 * @returns {GeneratorSign | null} the worst
 */
export function findSign(series, typicalMs, isWarm) {
  const beginMs = (series[0]?.fromMs ?? 0) + (isWarm ? 0 : START_UP_MS);
  const judged = series.filter(({ fromMs }) => fromMs >= beginMs);
  const judgedMs = lengthOf(judged);
  const leastMs = Math.max(
    isWarm ? Math.min(LEAST_MS, judgedMs) : LEAST_MS,
    judgedMs * LEAST_SHARE,
  );
  for (const { id, isLimit, holds } of SIGNS) {
    const seconds = judged.filter(second => holds(second, typicalMs));
    const [first] = seconds;
    const lengthMs = lengthOf(seconds);
    if (!first || lengthMs < leastMs) continue;
    return {
      id: id(seconds),
      isLimit,
      worker: first.worker,
      seconds: Math.round(lengthMs / 1000),
      ofSeconds: Math.round(judgedMs / 1000),
      ...measureSeconds(seconds),
    };
  }
  return null;
}

/** Limits before doubts, the longest first. @param {GeneratorSign[]} signs */
export function rankSigns(signs) {
  return signs.toSorted(
    (a, b) =>
      Number(b.isLimit) - Number(a.isLimit) || b.seconds / b.ofSeconds - a.seconds / a.ofSeconds,
  );
}

/**
 * What the seconds of a sign had in common.
 * @param {GeneratorSecond[]} seconds
 * @returns {Pick<GeneratorSign, 'utilization' | 'cores' | 'isCrowded' | 'lagMaxMs' | 'pauseMaxMs'>}
 */
function measureSeconds(seconds) {
  const utilization = mean(seconds, 'utilization');
  const cores = meanCores(seconds);
  return {
    utilization,
    cores,
    // Work without CPU time was spent in the queue for a core.
    isCrowded: cores !== null && utilization - cores >= CROWDED,
    lagMaxMs: most(seconds.map(({ lagP99Ms }) => lagP99Ms ?? 0)),
    pauseMaxMs: most(seconds.map(({ delayP99Ms }) => delayP99Ms ?? 0)),
  };
}

/** @param {GeneratorSecond[]} all @returns {number | null} null unless known for all */
const meanCores = all => (all.every(({ cores }) => cores !== null) ? mean(all, 'cores') : null);

/** @param {GeneratorSecond[]} seconds @param {'utilization' | 'cores'} of */
function mean(seconds, of) {
  return sum(seconds.map(second => (second[of] ?? 0) * second.lengthMs)) / lengthOf(seconds);
}

/** @param {GeneratorSecond[]} seconds */
const lengthOf = seconds => sum(seconds.map(({ lengthMs }) => lengthMs));
