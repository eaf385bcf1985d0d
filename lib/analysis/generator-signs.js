/** What speaks against the load generator's own figures. The thresholds are data, with their reasons. */
import { formatMs, formatPercent } from '../format.js';

/**
 * A second of a worker; one in which it stood still can be longer.
 * @typedef {object} GeneratorSecond
 * @property {number} fromMs
 * @property {number} lengthMs
 * @property {number} worker
 * @property {number} utilization of the event loop, 0…1
 * @property {number | null} cores CPU time ÷ time
 * @property {number | null} delayP99Ms
 * @property {number | null} lagP99Ms null where nobody arrived by a schedule
 */

/** @typedef {import('./report.d.ts').GeneratorSign} GeneratorSign */

/**
 * The first seconds of a worker are not judged: code is being compiled, modules are loaded, first
 * connections are made.
 */
const START_UP_MS = 2000;
/** A sign must hold for so long, and for such a share of the time: one hiccup limits nothing. */
const LEAST_MS = 3000;
const LEAST_SHARE = 0.1;
/**
 * Queueing grows with 1 ÷ (1 − utilisation): at 0.9 an answer waits for the event loop about nine
 * times as long as the loop works on one. Our engine sleeps while it waits, so this is work and no
 * spinning.
 */
const BUSY = 0.9;
/** Less CPU than this, and still always at work: it was ready to run and nobody let it. */
const OWN_CORE = 0.8;
/**
 * Five times what the pacing promises (2 ms at p99), and an operating system's slice of time. A lag
 * that is small beside the answers changes no figure.
 */
const LATE_MS = 10;
const SHARE_OF_ANSWER = 0.1;
/** A pause of the generator is counted as the target's; an answer of 20 ms would be doubled. Beside slow answers as a lag. */
const PAUSE_MS = 20;
/** Share of the time in which it had work and no CPU. */
const CROWDED = 0.1;

/**
 * @type {{
 *   isLimit: boolean,
 *   holds: (second: GeneratorSecond, typicalMs: number) => boolean,
 *   tell: (seconds: GeneratorSecond[]) => Pick<GeneratorSign, 'id' | 'text'>,
 * }[]} the worst first; of a worker only the first that holds is told
 */
const SIGNS = [
  {
    isLimit: true,
    holds: ({ utilization }) => utilization >= BUSY,
    tell: seconds => {
      const busy = formatPercent(mean(seconds, 'utilization'));
      const cores = seconds.every(second => second.cores !== null) ? mean(seconds, 'cores') : null;
      if (cores === null || cores >= OWN_CORE)
        return { id: 'busy', text: `was busy ${busy} of the time` };
      const text = `had work ${busy} of the time and got ${cores.toFixed(2)} of a core, because others or a quota took the rest,`;
      return { id: 'starved', text };
    },
  },
  {
    isLimit: true,
    holds: ({ lagP99Ms }, typicalMs) =>
      lagP99Ms !== null && lagP99Ms > Math.max(LATE_MS, typicalMs * SHARE_OF_ANSWER),
    tell: seconds => ({
      id: 'late',
      text: `started users up to ${formatMs(highest(seconds, 'lagP99Ms'))} after their time (p99 of a second)`,
    }),
  },
  {
    isLimit: false,
    holds: ({ delayP99Ms }, typicalMs) =>
      delayP99Ms !== null && delayP99Ms > Math.max(PAUSE_MS, typicalMs * SHARE_OF_ANSWER),
    tell: seconds => ({
      id: 'paused',
      text: `stood still for up to ${formatMs(highest(seconds, 'delayP99Ms'))} (p99 of a second)${describeCrowd(seconds)}`,
    }),
  },
];

/**
 * @param {GeneratorSecond[]} series the seconds of one worker, in order
 * @param {number} typicalMs median of the answers' times
 * @param {boolean} isWarm the series does not begin with the start of the worker
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
  for (const { isLimit, holds, tell } of SIGNS) {
    const seconds = judged.filter(second => holds(second, typicalMs));
    const [first] = seconds;
    const lengthMs = lengthOf(seconds);
    if (!first || lengthMs < leastMs) continue;
    const { worker } = first;
    const { id, text } = tell(seconds);
    return {
      id,
      isLimit,
      worker,
      seconds: toSeconds(lengthMs),
      ofSeconds: toSeconds(judgedMs),
      text: `worker ${worker} ${text} in ${toSeconds(lengthMs)} of ${toSeconds(judgedMs)} s`,
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

/** @param {GeneratorSecond[]} seconds @param {'utilization' | 'cores'} of */
function mean(seconds, of) {
  const sum = seconds.reduce((n, second) => n + (second[of] ?? 0) * second.lengthMs, 0);
  return sum / lengthOf(seconds);
}

/** Time at work that was not on a CPU was spent in the queue for one. @param {GeneratorSecond[]} seconds */
function describeCrowd(seconds) {
  if (seconds.some(({ cores }) => cores === null)) return '';
  const [busy, cores] = [mean(seconds, 'utilization'), mean(seconds, 'cores')];
  if (busy - cores < CROWDED) return '';
  return `, because others took the CPU (it had work ${formatPercent(busy)} of the time and a CPU ${formatPercent(cores)}),`;
}

/** @param {GeneratorSecond[]} seconds */
function lengthOf(seconds) {
  return seconds.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
}

/** @param {number} ms */
function toSeconds(ms) {
  return Math.round(ms / 1000);
}

/** @param {GeneratorSecond[]} seconds @param {'lagP99Ms' | 'delayP99Ms'} of */
function highest(seconds, of) {
  return Math.max(...seconds.map(second => second[of] ?? 0));
}
