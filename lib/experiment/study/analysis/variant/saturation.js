/** From which step more load gains nothing, and which steps are the plateau. */

import { mapEstimate } from '../../../../base/math/intervals.js';
import { mean } from '../../../../base/math/summary.js';
import { ratioOfThroughputs } from '../estimates.js';

/** @import { Estimate } from '../../../../base/math/estimate.d.ts' */
/** @import { EstimateSteps } from './points.js' */
/** @import { Point } from '../../../../run/facts/study-report.d.ts' */
/** @import { Saturation } from '../../../../run/facts/saturation.d.ts' */

/**
 * @typedef {object} SaturationPoint one step, over all repeats
 * @property {number} step
 * @property {Estimate} throughputPerSec
 * @property {number[]} values throughput of each repeat
 * @property {number | null} inFlight measured concurrency N = X·R
 * @property {number} [dispatchPerSec] what was sent in, if throughput is what came out
 * @property {Point['latency']} [latency]
 * @property {boolean} isGeneratorLimit
 */
/** @typedef {[SaturationPoint, ...SaturationPoint[]]} SaturationPoints at least one */

const LEAST_STEPS = 3;
/** A level may rise by this share per doubling of the load. */
const LEVEL = 0.05;
/** A drop of more than this share below the highest, after it, is a fall and no noise. */
const FALL = 0.075;
/** If less than this share of the input comes out, the rest piles up. */
const KEPT_UP = 0.9;

/**
 * The plateau starts with the first step within 5 % of the highest. Its height is that of all its steps together,
 * because the highest of several is high by luck too. It is reached if a step with more load follows its first
 * one.
 * @param {SaturationPoint[]} points
 * @param {EstimateSteps} estimate
 * @param {{isBurst?: boolean, isPipeline?: boolean, base?: number}} [load] `base`: load beside each step
 * @returns {Saturation}
 */
export function findSaturation(points, estimate, load = {}) {
  const { isBurst = false, isPipeline = false, base = 0 } = load;
  const ascending = points
    .filter(({ throughputPerSec }) => throughputPerSec.value > 0)
    .toSorted((a, b) => a.step - b.step);
  const limited = ascending.findIndex(({ isGeneratorLimit }) => isGeneratorLimit);
  const [first, ...others] = limited < 0 ? ascending : ascending.slice(0, limited);
  const generatorStep = limited < 0 ? null : (ascending[limited]?.step ?? null);
  const nothing = { step: null, throughputPerSec: null, kneeInFlight: null };
  const facts = { leastSteps: LEAST_STEPS, generatorStep };
  if (!first) {
    const none = { steps: 0, lastStep: null, dispatchPerSec: null };
    return { state: 'unknown', sign: 'too-few-steps', ...nothing, ...facts, ...none };
  }
  /** @type {SaturationPoints} */
  const kept = [first, ...others];
  const heightOf = (/** @type {SaturationPoint} */ { throughputPerSec }) => throughputPerSec.value;
  const queued = isBurst ? findQueued(kept, isPipeline) : null;
  // with two steps, it is unknown whether they are level
  /** @type {SaturationPoints} */
  const level =
    queued ??
    (kept.length < LEAST_STEPS || isBurst
      ? [findHighest(kept, heightOf)]
      : findLevel(kept, heightOf, base));
  const [begin] = level;
  const last = kept.at(-1) ?? first;
  const known = {
    ...nothing,
    throughputPerSec: estimate(stepsOf(level), 'throughputPerSec')?.estimate ?? null,
    ...facts,
    steps: kept.length,
    lastStep: last.step,
    dispatchPerSec: last.dispatchPerSec ?? null,
  };
  if (queued) return { state: 'reached', sign: 'queued', ...known, step: begin.step };
  if (isBurst) return { state: 'not-reached', sign: 'keeps-up', ...known };
  if (kept.length < LEAST_STEPS) return { state: 'unknown', sign: 'too-few-steps', ...known };
  if (begin !== last) {
    // beside a base load each step has another mix of requests, so their times are not comparable
    const kneeInFlight = base > 0 ? null : findKnee(kept, level, estimate);
    return { state: 'reached', sign: 'levels-off', ...known, step: begin.step, kneeInFlight };
  }
  if (isBehind(last)) return { state: 'reached', sign: 'falls-behind', ...known, step: last.step };
  return generatorStep === null
    ? { state: 'not-reached', sign: 'still-rises', ...known }
    : { state: 'unknown', sign: 'generator-limit', ...known };
}

/**
 * What is not completed piles up, and more load will not complete it. Every repeat must show this.
 * @param {SaturationPoint} point
 */
function isBehind({ values, dispatchPerSec = 0 }) {
  return values.every(value => value < KEPT_UP * dispatchPerSec);
}

/** Responses of a burst that wait for each other arrive gradually, up to many times as late as the first. */
const BY_AND_BY = 3;

/**
 * Bursts that had to wait: what is completed per second is then the maximum. The responses of an API that only accepts
 * work show how fast work arrived; otherwise their times show a wait.
 * @param {SaturationPoints} points @param {boolean} isPipeline
 * @returns {SaturationPoints | null} null where no burst had to wait
 */
function findQueued(points, isPipeline) {
  const hasWaited = (/** @type {SaturationPoint} */ point) =>
    isPipeline
      ? isBehind(point)
      : point.latency != null && point.latency.p90Ms > BY_AND_BY * point.latency.minMs;
  const waited = points.filter(hasWaited);
  const most = Math.max(...waited.map(({ throughputPerSec }) => throughputPerSec.value));
  const end = waited.findLastIndex(({ throughputPerSec: { value } }) => value >= (1 - FALL) * most);
  const [first, ...others] = waited.slice(0, end + 1);
  return first ? [first, ...others] : null;
}

/**
 * Starts at the first step whose later steps are, together, no more than 5 % higher per doubling of the load (a single
 * high step is luck, half of the time), and ends at the last step before throughput falls for good.
 * @param {SaturationPoints} points @param {(point: SaturationPoint) => number} heightOf @param {number} base of the load
 * @returns {SaturationPoints}
 */
function findLevel(points, heightOf, base) {
  const best = findHighest(points, heightOf);
  const end = points.findLastIndex(point => heightOf(point) >= (1 - FALL) * heightOf(best)) + 1;
  const begin = points.findIndex((point, index) => {
    const above = points.slice(index + 1, end).map(other => ({
      gain: Math.log(heightOf(other) / heightOf(point)),
      allowed: Math.log1p(LEVEL) * Math.log2((base + other.step) / (base + point.step)),
    }));
    return above.reduce((sum, { gain, allowed }) => sum + gain - allowed, 0) <= 0;
  });
  const [first = best, ...others] = points.slice(begin, end);
  return [first, ...others];
}

/** @param {SaturationPoints} points @param {(point: SaturationPoint) => number} heightOf */
function findHighest(points, heightOf) {
  return points.reduce((most, point) => (heightOf(point) > heightOf(most) ? point : most));
}

/** @param {SaturationPoint[]} points */
const stepsOf = points => points.map(({ step }) => step);

/**
 * N* = X_max·R_min (P. Denning, J. Buzen, Computing Surveys 10 (1978); E. Lazowska et al., "Quantitative
 * System Performance" (1984), 5.2): below it no request has to wait, above it some request must.
 * R is N/X (Little), so it is the same kind of quantity as throughput, whatever a transaction is.
 * @param {SaturationPoints} points @param {SaturationPoints} plateau @param {EstimateSteps} estimate
 * @returns {Estimate | null}
 */
function findKnee(points, plateau, estimate) {
  const speedOf = (/** @type {SaturationPoint} */ { throughputPerSec, inFlight }) =>
    inFlight ? throughputPerSec.value / inFlight : 0;
  const fastest = findLevel(points, speedOf, 0);
  if (!(speedOf(fastest[0]) > 0)) return null;
  const [most, fast] = [plateau, fastest].map(own => estimate(stepsOf(own), 'throughputPerSec'));
  if (!most || !fast) return null;
  const inFlight = mean(fastest.map(point => point.inFlight ?? 1));
  return mapEstimate(ratioOfThroughputs(most, fast), ratio => ratio * inFlight);
}

/**
 * The steps of a variant with the highest throughput, before the generator was the limit: the steps of the plateau,
 * or without a plateau the single best step.
 * @param {Point[]} points ascending @param {Saturation} saturation
 * @returns {Point[]} ascending; empty without a good step
 */
export function saturatedSteps(points, saturation) {
  const limited = points.findIndex(({ isGeneratorLimit }) => isGeneratorLimit);
  const own = (limited < 0 ? points : points.slice(0, limited)).filter(
    ({ throughputPerSec }) => throughputPerSec.value > 0,
  );
  const [best] = own.toSorted((a, b) => b.throughputPerSec.value - a.throughputPerSec.value);
  if (!best) return [];
  if (saturation.state !== 'reached' || saturation.step === null) return [best];
  const from = saturation.step;
  const least = best.throughputPerSec.value * (1 - FALL);
  const end = own.findLastIndex(({ throughputPerSec }) => throughputPerSec.value >= least) + 1;
  return own.slice(0, end).filter(({ step }) => step >= from);
}
