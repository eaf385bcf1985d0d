/**
 * `findSaturation(points)` → Saturation (`study-report.d.ts`): from which step on more load brings no more.
 */
import { meanOfRuns } from '../../compare/statistics/student.js';
import { formatCount, formatRate } from '../../format.js';
import { ratioOfThroughputs } from './ratio-of-throughputs.js';

/** @typedef {import('../study-report.d.ts').Saturation} Saturation */
/** @typedef {import('../../analysis/report.d.ts').Estimate} Estimate */

/**
 * @typedef {object} SaturationPoint one step, over all repeats
 * @property {number} step
 * @property {Estimate} throughputPerSec
 * @property {number[]} values throughput of each repeat
 * @property {number | null} inFlight measured concurrency N = X·R
 * @property {number} [dispatchPerSec] what was put in, where throughput is what came out
 * @property {boolean} isGeneratorLimit
 */
/** @typedef {[SaturationPoint, ...SaturationPoint[]]} SaturationPoints at least one */

const LEAST_STEPS = 3;
/** A level may rise by this share per doubling of the load. */
const LEVEL = 0.05;
/** What lies lower than this below the highest, after it, is no noise but a fall. */
const FALL = 0.075;
const ALPHA = 0.05;
/** Where less than this share of what is put in comes out, the rest piles up. */
const KEPT_UP = 0.9;

/**
 * The plateau begins with the first step that comes within 5 % of the highest; its height is that of
 * all its steps together, for the highest of several alone is high by luck, too. It is reached where
 * there is a step of more load after its first.
 * @param {SaturationPoint[]} points
 * @returns {Saturation}
 */
export function findSaturation(points) {
  const ascending = points
    .filter(({ throughputPerSec }) => throughputPerSec.value > 0)
    .toSorted((a, b) => a.step - b.step);
  const limited = ascending.findIndex(({ isGeneratorLimit }) => isGeneratorLimit);
  const [first, ...others] = limited < 0 ? ascending : ascending.slice(0, limited);
  const generator = limited < 0 ? null : (ascending[limited]?.step ?? null);
  if (!first) return unknown(null, null, describeTooFew(0, generator));
  /** @type {SaturationPoints} */
  const kept = [first, ...others];
  const level = findLevel(kept, ({ throughputPerSec }) => throughputPerSec.value);
  const [begin] = level;
  const last = kept.at(-1) ?? first;
  const throughputPerSec = pool(level);
  const knee = findKnee(kept, level);
  if (kept.length < LEAST_STEPS)
    return unknown(throughputPerSec, null, describeTooFew(kept.length, generator));
  const height = formatRate(throughputPerSec.value);
  if (begin !== last)
    return {
      state: 'reached',
      step: begin.step,
      throughputPerSec,
      kneeInFlight: knee,
      text: `throughput levels off at ${height} from step ${formatCount(begin.step)} on${describeKnee(knee)}`,
    };
  if (isBehind(last))
    return {
      state: 'reached',
      step: last.step,
      throughputPerSec,
      kneeInFlight: null,
      text: `at step ${formatCount(last.step)} ${formatRate(last.dispatchPerSec ?? null)} were put in and ${height} came out: more load brings no more`,
    };
  if (generator !== null)
    return unknown(
      throughputPerSec,
      null,
      `the load generator was the limit at step ${formatCount(generator)}: the target takes at least ${height}, and how much more is not known`,
    );
  return {
    state: 'not-reached',
    step: null,
    throughputPerSec,
    kneeInFlight: null,
    text: `throughput still rises at step ${formatCount(last.step)}, the highest: the target takes at least ${height}`,
  };
}

/**
 * What is not done piles up, and will not be done by more load: so it was in each repeat.
 * @param {SaturationPoint} point
 */
function isBehind({ values, dispatchPerSec = 0 }) {
  return values.every(value => value < KEPT_UP * dispatchPerSec);
}

/** @param {Estimate | null} throughputPerSec @param {Estimate | null} kneeInFlight @param {string} text @returns {Saturation} */
function unknown(throughputPerSec, kneeInFlight, text) {
  return { state: 'unknown', step: null, throughputPerSec, kneeInFlight, text };
}

/** @param {number} steps @param {number | null} generator */
function describeTooFew(steps, generator) {
  const why =
    generator === null
      ? ''
      : ` below step ${formatCount(generator)}, where the generator was the limit`;
  return `where it saturates is not known: it takes at least ${LEAST_STEPS} steps${why}, here are ${steps}`;
}

/**
 * From the first step above which the others are, together, no more than 5 % higher per doubling of
 * the load (one high step alone is luck, half of the time) to the last before it falls for good.
 * @param {SaturationPoints} points @param {(point: SaturationPoint) => number} heightOf @returns {SaturationPoints}
 */
function findLevel(points, heightOf) {
  const best = points.reduce((most, point) => (heightOf(point) > heightOf(most) ? point : most));
  const end = points.findLastIndex(point => heightOf(point) >= (1 - FALL) * heightOf(best)) + 1;
  const begin = points.findIndex((point, index) => {
    const above = points.slice(index + 1, end).map(other => ({
      gain: Math.log(heightOf(other) / heightOf(point)),
      allowed: Math.log1p(LEVEL) * Math.log2(other.step / point.step),
    }));
    return above.reduce((sum, { gain, allowed }) => sum + gain - allowed, 0) <= 0;
  });
  const [first = best, ...others] = points.slice(begin, end);
  return [first, ...others];
}

/** Over all cells; with one, what it says of itself. @param {SaturationPoints} points @returns {Estimate} */
function pool(points) {
  const values = points.flatMap(point => point.values);
  if (values.length > 1) return meanOfRuns(values, ALPHA);
  return points[0].throughputPerSec;
}

/**
 * N* = X_max·R_min (P. Denning, J. Buzen, Computing Surveys 10 (1978); E. Lazowska et al., "Quantitative
 * System Performance" (1984), 5.2): with fewer at a time nobody has to wait, with more somebody must.
 * R is N/X (Little), so it is the same kind of thing as throughput, whatever a transaction is.
 * @param {SaturationPoints} points @param {SaturationPoints} plateau @returns {Estimate | null}
 */
function findKnee(points, plateau) {
  const speedOf = (/** @type {SaturationPoint} */ { throughputPerSec, inFlight }) =>
    inFlight ? throughputPerSec.value / inFlight : 0;
  const fastest = findLevel(points, speedOf);
  if (!(speedOf(fastest[0]) > 0)) return null;
  const speeds = fastest.flatMap(({ values, inFlight }) => values.map(x => x / (inFlight ?? 1)));
  const [one] = fastest;
  const scale = 1 / (one.inFlight ?? 1);
  const { value, low, high } = one.throughputPerSec;
  const own = { value: value * scale, low: low && low * scale, high: high && high * scale };
  return ratioOfThroughputs(
    { throughputPerSec: pool(plateau), values: plateau.flatMap(({ values }) => values) },
    { throughputPerSec: own, values: speeds },
  );
}

/** @param {Estimate | null} knee */
function describeKnee(knee) {
  if (!knee) return '';
  return `; requests begin to queue at ${knee.value.toFixed(knee.value < 9.95 ? 1 : 0)} under way`;
}
