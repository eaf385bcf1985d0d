/** Does a run meet its thresholds? */

import { negateEstimate, wilsonInterval } from '../../base/math/intervals.js';
import { meanOfRuns } from '../../base/math/means.js';
import { sum } from '../../base/math/summary.js';
import { findSent, measureOf, readMeasure } from '../../run/facts/measures.js';
import { keyOfFigure } from '../compare/figures.js';
import { estimateWithinRun } from '../compare/within-run.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { CompareReport, MeasureId } from '../../run/facts/compare-report.d.ts' */
/** @import { WithinRun } from '../compare/compare-values.js' */
/** @import { Missing, Threshold, ThresholdResult, ThresholdStatus } from '../../run/facts/threshold.d.ts' */
/** @import { Measure } from '../../run/facts/measures.js' */

const ALPHA = 0.05;

/** @typedef {{report: Report, within: Map<string, WithinRun>}} Run */
/** One of the two is null. @typedef {{value: Estimate | null, missing: Missing | null}} Found */

/**
 * @param {Threshold[]} thresholds
 * @param {object} facts
 * @param {Report[]} facts.reports one run, or several of one program, whose mean is judged
 * @param {CompareReport | null} facts.comparison with a baseline, for `regression(…)`
 * @returns {Promise<ThresholdResult[]>} in the order of the thresholds; `*` becomes one for each
 *   endpoint, and is unknown without endpoints
 */
export async function checkThresholds(thresholds, { reports, comparison }) {
  if (thresholds.length === 0) return [];
  const runs = await Promise.all(
    reports.map(async report => ({ report, within: await estimateWithinRun(report, ALPHA) })),
  );
  return thresholds.flatMap(threshold =>
    namesOf(threshold, reports).map(endpoint => {
      const { operator, ...own } = { ...threshold, endpoint };
      const found = own.isRegression
        ? readRegression(own, comparison)
        : readRuns({ ...own, operator }, runs);
      const status = found.value ? judgeValue(threshold, found.value) : 'unknown';
      return { ...own, status, ...found };
    }),
  );
}

/** Exit code 5: at least one has certainly failed. @param {Pick<ThresholdResult, 'status'>[]} results */
export function hasFailed(results) {
  return results.some(({ status }) => status === 'fail');
}

/** @param {Threshold} threshold @param {Report[]} reports */
function namesOf({ endpoint }, reports) {
  if (endpoint !== '*') return [endpoint];
  const names = new Set(reports.flatMap(({ load }) => load?.endpoints ?? []).map(e => e.name));
  return names.size > 0 ? [...names] : [endpoint];
}

/** @param {Threshold} threshold @param {Run[]} runs @returns {Found} */
function readRuns(threshold, runs) {
  const measure = measureOf(threshold.metric, 'threshold');
  const values = runs.flatMap(run => readValue(threshold, run) ?? []);
  const [first] = runs;
  const [only, ...others] = values;
  if (!only)
    return {
      value: null,
      missing: first
        ? findMissing(measure, first.report, threshold)
        : { id: 'no-valid-run', facts: {} },
    };
  const means = values.map(({ value }) => value);
  const value = others.length > 0 ? meanOfRuns(means, ALPHA) : only;
  const known = measure.id === 'errorRate' ? widenErrorRate(value, threshold, runs) : value;
  return { value: keepPossible(known, threshold), missing: null };
}

/**
 * No error in a few requests does not prove that there are none.
 * @param {Estimate} rate @param {Threshold} threshold @param {Run[]} runs @returns {Estimate}
 */
function widenErrorRate({ value, low, high }, { endpoint }, runs) {
  const requests = sum(
    runs.map(({ report: { load } }) => (load && findSent(load, endpoint)?.requests) ?? 0),
  );
  const wilson = wilsonInterval(value * requests, requests);
  return {
    value,
    low: Math.min(wilson.low, low ?? value),
    high: Math.max(wilson.high, high ?? value),
  };
}

/** No time, rate or size is negative, and no share above 1. @param {Estimate} estimate @param {Threshold} threshold @returns {Estimate} */
function keepPossible({ value, low, high }, { unit }) {
  const most = unit === 'share' ? 1 : Number.POSITIVE_INFINITY;
  return { value, low: low && Math.max(0, low), high: high && Math.min(most, high) };
}

/** @param {Threshold} threshold @param {Run} run @returns {Estimate | null} */
function readValue(threshold, { report, within }) {
  const measure = measureOf(threshold.metric, 'threshold');
  const read = measure.isPart?.(report, threshold) ? null : readMeasure(measure, report, threshold);
  if (read === null) return null;
  const value = typeof read === 'number' ? { value: read, low: null, high: null } : read;
  return value.low === null ? addInterval(value, threshold, within) : value;
}

/**
 * The interval from a block bootstrap within the run.
 * @param {Estimate} estimate @param {Threshold} threshold @param {Map<string, WithinRun>} within
 * @returns {Estimate}
 */
function addInterval(estimate, { endpoint, category, metric }, within) {
  const measure = idOf(metric);
  const scope = endpoint === null ? 'overall' : 'endpoint';
  const known =
    category === null
      ? within.get(keyOfFigure({ scope, name: endpoint ?? '', measure }))
      : undefined;
  if (!known) return estimate;
  const half = known.error * known.t;
  const { value } = estimate;
  return { value, low: value - half, high: value + half };
}

/**
 * How much worse, as a fraction of the baseline.
 * @param {Omit<Threshold, 'operator'>} threshold @param {CompareReport | null} comparison @returns {Found}
 */
function readRegression(threshold, comparison) {
  const lacks = (/** @type {'no-baseline' | 'one-side' | 'zero-run'} */ id) => ({
    value: null,
    missing: { id, facts: {} },
  });
  if (!comparison) return lacks('no-baseline');
  const { endpoint, category } = threshold;
  const measure = idOf(threshold.metric);
  const scope = endpoint !== null ? 'endpoint' : category !== null ? 'category' : 'overall';
  const change = comparison.changes.find(
    item =>
      item.scope === scope &&
      item.name === (endpoint ?? category ?? '') &&
      item.measure === measure,
  );
  if (!change || change.call === 'incomparable') return lacks('one-side');
  if (!change.relative) {
    // a median of 0 may hide runs with other values
    if ([...change.before.values, ...change.after.values].some(value => value !== 0))
      return lacks('zero-run');
    return { value: { value: 0, low: null, high: null }, missing: null };
  }
  const isLowerBetter = measureOf(change.measure).better === 'lower';
  // A throughput that falls is a regression.
  const value = isLowerBetter ? change.relative : negateEstimate(change.relative);
  return { value, missing: null };
}

/** The measure's id in comparisons. @param {string} metric */
function idOf(metric) {
  return /** @type {MeasureId} */ (measureOf(metric, 'threshold').id);
}

/** @param {Threshold} threshold @param {Estimate} estimate @returns {ThresholdStatus} */
function judgeValue({ operator, limit }, { value, low, high }) {
  const holds = (/** @type {number} */ number) =>
    ({ '<': number < limit, '<=': number <= limit, '>': number > limit, '>=': number >= limit })[
      operator
    ];
  const answers = new Set([value, low ?? value, high ?? value].map(holds));
  if (answers.size > 1) return 'uncertain';
  return answers.has(true) ? 'pass' : 'fail';
}

/**
 * Why a run lacks the figure of a threshold.
 * @param {Measure} measure @param {Report} report @param {Pick<Threshold, 'endpoint' | 'category'>} threshold
 * @returns {Missing}
 */
function findMissing({ id, threshold = id, needs }, report, { endpoint, category }) {
  const { load, cpu, profile } = report;
  if (load && load.http.requests > 0 && !findSent(load, endpoint))
    return endpoint === '*'
      ? { id: 'no-endpoints', facts: {} }
      : { id: 'no-endpoint', facts: { endpoint: endpoint ?? '' } };
  if (needs === 'profile' || needs === 'workers') {
    if (needs === 'profile' || category !== null ? !profile : !cpu)
      return { id: 'no-profile', facts: {} };
    if (needs === 'profile') return { id: 'no-samples', facts: {} };
    const isPerRequest = id === 'cpuMsPerRequest' && cpu?.basis === 'process-cpu';
    if (!isPerRequest || (load && load.http.requests > 0)) return { id: 'no-workers', facts: {} };
  }
  if (!load) return { id: 'no-load', facts: {} };
  if (needs === 'users') return { id: 'no-users', facts: {} };
  if (needs === 'calls') return { id: 'no-calls', facts: {} };
  if (needs === 'socketio')
    return { id: 'no-socketio-time', facts: { isUsed: Boolean(load.socketio) } };
  if (needs === 'sse') return { id: 'no-sse', facts: { isUsed: Boolean(load.sse) } };
  const { requests, timeToFirstByte, totalTime } = load.http;
  if (requests === 0) return { id: 'no-requests', facts: {} };
  if (!timeToFirstByte && !totalTime) return { id: 'no-responses', facts: { requests } };
  if (needs === 'schedule') {
    const isClosed = load.phases.some(({ model }) => model === 'closed');
    return { id: 'no-schedule', facts: { isClosed } };
  }
  return threshold.startsWith('http.') && !totalTime
    ? { id: 'no-total-time', facts: { use: threshold.replace('http.', 'ttfb.') } }
    : { id: 'no-responses', facts: { requests: findSent(load, endpoint)?.requests ?? requests } };
}
