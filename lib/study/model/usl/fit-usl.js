/**
 * `fitUsl(points, {random})` → UslFit (`study-report.d.ts`): how throughput grows with concurrency, where
 * it peaks, and how sure that is.
 */
import { studentTwoSidedQuantile } from '../../../compare/statistics/student.js';
import { createRandom } from '../../../random.js';
import { describeUsl } from './describe-usl.js';
import { fitPlateauCurve } from './fit-plateau-curve.js';
import { middleOf, resampleUsl } from './resample-usl.js';
import { solveUsl } from './solve-usl.js';
import { namedParameters, peakOf, throughputAt } from './usl.js';

/** @typedef {import('../../study-report.d.ts').UslFit} UslFit */
/** @typedef {import('./usl.js').Usl} Usl */

/**
 * @typedef {object} UslPoint one cell
 * @property {number} n measured concurrency X·R, or how many workers there are; above 0
 * @property {number} x throughput per second; above 0
 * @property {number} [step] the load step, where `n` differs between its repeats
 * @property {boolean} [isGeneratorLimit] its throughput is the generator's, not the target's: left out
 */

const LEAST_STEPS = 6;
/** Two parameters for the shape and one for the size leave this much of a surprise to chance. */
const PARAMETERS = 3;
/** One-sided: how often a peak may be seen where there is none. */
const FALSE_PEAKS = 0.04;
/** Points that lie exactly on a curve leave nothing but this. */
const ROUNDING = 1e-6;
const CURVE_POINTS = 48;
/** Typical miss of the points from which on the law does not describe them. */
const WORST_MISS = 0.3;
/** Nothing is said past this many times the largest N. */
const REACH = 2;

/**
 * Fits the universal scalability law. A peak is stated only where the data ask for one: the law has to
 * be better than every curve of the same number of parameters that levels off and never falls.
 * @param {UslPoint[]} points
 * @param {{random?: () => number}} [options] seeded numbers for the intervals
 * @returns {UslFit}
 */
export function fitUsl(points, { random = createRandom(1) } = {}) {
  const usable = points.filter(({ n, x }) => n > 0 && x > 0);
  const kept = usable.filter(({ isGeneratorLimit }) => !isGeneratorLimit);
  const steps = countSteps(kept);
  if (steps < LEAST_STEPS) {
    const isGenerator = countSteps(usable) >= LEAST_STEPS;
    return refuse(isGenerator ? 'generator-limited' : 'too-few-points', steps);
  }
  const full = solveUsl(kept);
  const level = solveUsl(kept, { isPeakless: true });
  if (!full || !level || Math.sqrt(full.squares / kept.length) > WORST_MISS)
    return refuse('no-fit', steps);
  const largest = Math.max(...kept.map(({ n }) => n));
  const validToN = REACH * largest;
  const hasPeak = needsPeak(kept, full.squares) && peakOf(full.usl) <= validToN;
  const { usl } = hasPeak ? full : level;
  const resampled = resampleUsl(kept, full, random);
  const parameters = namedParameters(usl);
  const others = resampled.map(namedParameters);
  const estimate = (/** @type {keyof typeof parameters} */ name) =>
    middleOf(
      parameters[name],
      others.map(other => other[name]),
    );
  const fit = {
    state: /** @type {const} */ ('fitted'),
    points: steps,
    lambda: estimate('lambda'),
    sigma: estimate('sigma'),
    kappa: hasPeak ? estimate('kappa') : { ...estimate('kappa'), low: 0 },
    nMax: hasPeak ? middleOf(peakOf(usl), resampled.map(peakOf)) : null,
    xMax: hasPeak ? middleOf(highestOf(usl), resampled.map(highestOf)) : null,
    validToN,
    curve: drawCurve(usl, resampled, Math.min(...kept.map(({ n }) => n)), validToN),
    rSquared: shareExplained(kept, usl),
  };
  return { ...fit, text: describeUsl(fit, largest) };
}

/** @param {UslPoint[]} points */
function countSteps(points) {
  return new Set(points.map(({ step, n }) => step ?? n)).size;
}

/** @param {Exclude<UslFit['state'], 'fitted'>} state @param {number} points @returns {UslFit} */
function refuse(state, points) {
  const texts = {
    'too-few-points': `no curve is fitted: it needs at least ${LEAST_STEPS} steps of load, here are ${points}`,
    'generator-limited': `no curve is fitted: the generator was the limit, and without its steps ${points} of the ${LEAST_STEPS} that it needs are left`,
    'no-fit': 'the universal scalability law does not describe these points',
  };
  return {
    state,
    points,
    ...{ lambda: null, sigma: null, kappa: null, nMax: null, xMax: null },
    ...{ validToN: null, curve: [], rSquared: null },
    text: texts[state],
  };
}

/**
 * F test of one parameter with the one side that counts, against the best curve that levels off.
 * @param {UslPoint[]} points @param {number} squares of the law with its peak
 */
function needsPeak(points, squares) {
  const dof = points.length - PARAMETERS;
  const noise = Math.max(squares / dof, ROUNDING ** 2);
  const t = Math.sqrt(Math.max(0, fitPlateauCurve(points) - squares) / noise);
  return t > studentTwoSidedQuantile(2 * FALSE_PEAKS, dof);
}

/** @param {Usl} usl */
function highestOf(usl) {
  const peak = peakOf(usl);
  return Number.isFinite(peak) ? throughputAt(usl, peak) : 1 / usl.b;
}

/** Evenly on a logarithmic axis, as steps that double are. @param {Usl} usl @param {Usl[]} resampled @param {number} from @param {number} to */
function drawCurve(usl, resampled, from, to) {
  return Array.from({ length: CURVE_POINTS }, (_, index) => {
    const n = from * (to / from) ** (index / (CURVE_POINTS - 1));
    const x = throughputAt(usl, n);
    const { low, high } = middleOf(
      x,
      resampled.map(other => throughputAt(other, n)),
    );
    return { n, x, low: low ?? x, high: high ?? x };
  });
}

/** R² of throughput. @param {UslPoint[]} points @param {Usl} usl */
function shareExplained(points, usl) {
  const mean = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  const all = points.reduce((sum, { x }) => sum + (x - mean) ** 2, 0);
  const left = points.reduce((sum, { n, x }) => sum + (x - throughputAt(usl, n)) ** 2, 0);
  return all > 0 ? Math.max(0, 1 - left / all) : null;
}
