/** Does a run keep to its thresholds? */

import { keyOfFigure, MEASURES } from '../compare/measures.js';
import { meanOfRuns } from '../compare/statistics/student.js';
import { estimateWithinRun } from '../compare/within-run.js';
import { formatChange, formatChangeInterval, formatInUnit } from '../format.js';
import { wilsonInterval } from '../wilson.js';
import { metricOf } from './parse-threshold.js';

/** @import { Estimate, Report } from '../analysis/report.d.ts' */
/** @import { CompareReport } from '../compare/compare-report.d.ts' */
/** @import { WithinRun } from '../compare/compare-values.js' */
/** @import { Threshold, ThresholdResult, ThresholdStatus } from './threshold.d.ts' */

const ALPHA = 0.05;

/** @typedef {{report: Report, within: Map<string, WithinRun>}} Run */

/**
 * @param {Threshold[]} thresholds
 * @param {object} facts
 * @param {Report[]} facts.reports the run; or several of one program, whose mean is judged
 * @param {CompareReport | null} facts.comparison with a baseline, for `regression(…)`
 * @returns {Promise<ThresholdResult[]>} in the order of the thresholds; `*` becomes one for each endpoint
 */
export async function checkThresholds(thresholds, { reports, comparison }) {
  if (thresholds.length === 0) return [];
  if (thresholds.length === 0) return [];
  const runs = await Promise.all(
    reports.map(async report => ({ report, within: await estimateWithinRun(report, ALPHA) })),
  );
  return thresholds.flatMap(threshold =>
    namesOf(threshold, reports).map(endpoint =>
      checkOne({ ...threshold, endpoint }, runs, comparison),
    ),
  );
}

/** Exit code 5: at least one has surely failed. @param {ThresholdResult[]} results */
export function hasFailed(results) {
  return results.some(({ status }) => status === 'fail');
}

/** @param {Threshold} threshold @param {Report[]} reports */
function namesOf({ endpoint }, reports) {
  if (endpoint !== '*') return [endpoint];
  return [...new Set(reports.flatMap(({ load }) => load?.endpoints ?? []).map(({ name }) => name))];
}

/**
 * @param {Threshold} threshold @param {Run[]} runs @param {CompareReport | null} comparison
 * @returns {ThresholdResult}
 */
function checkOne(threshold, runs, comparison) {
  const { value, missing } = threshold.isRegression
    ? readRegression(threshold, comparison)
    : readRuns(threshold, runs);
  const status = value ? judgeValue(threshold, value) : 'unknown';
  const { text, place, endpoint, limit, unit, isRegression } = threshold;
  const message = value ? describe(threshold, value, status) : `not known: ${missing}`;
  return { text, place, endpoint, status, value, limit, unit, isRegression, message };
}

/** @typedef {{value: Estimate | null, missing: string}} Found */

/** @param {Threshold} threshold @param {Run[]} runs @returns {Found} */
function readRuns(threshold, runs) {
  const found = runs.map(run => readValue(threshold, run));
  const values = found.flatMap(({ value }) => value ?? []);
  const [first] = found;
  if (values.length < 2) return { value: values[0] ?? null, missing: first?.missing ?? '' };
  return {
    value: meanOfRuns(
      values.map(({ value }) => value),
      ALPHA,
    ),
    missing: '',
  };
}

/** @param {Threshold} threshold @param {Run} run @returns {Found} */
function readValue(threshold, { report, within }) {
  const metric = metricOf(threshold);
  const { endpoint, category } = threshold;
  const isKnown = endpoint === null || report.load?.endpoints.some(({ name }) => name === endpoint);
  const read = metric.read(report, { endpoint, category });
  if (read === null) {
    const missing = isKnown ? metric.missing : `the run has no endpoint “${endpoint}”`;
    return { value: null, missing };
  }
  const value = typeof read === 'number' ? { value: read, low: null, high: null } : read;
  if (value.low !== null) return { value, missing: '' };
  return { value: addInterval(value, threshold, report, within), missing: '' };
}

/**
 * The interval that a block bootstrap within the run gives.
 * @param {Estimate} estimate @param {Threshold} threshold @param {Report} report
 * @param {Map<string, WithinRun>} within @returns {Estimate}
 */
function addInterval(estimate, threshold, { load }, within) {
  const { measure } = metricOf(threshold);
  const { endpoint } = threshold;
  const scope = endpoint === null ? 'overall' : 'endpoint';
  const known =
    measure && !threshold.category
      ? within.get(keyOfFigure({ scope, name: endpoint ?? '', measure }))
      : undefined;
  const half = known ? known.error * known.t : null;
  const { value } = estimate;
  if (measure === 'errorRate') {
    const requests =
      (endpoint === null ? load?.http : load?.endpoints.find(({ name }) => name === endpoint))
        ?.requests ?? 0;
    // No error among few requests does not mean that there is none.
    const { low, high } = wilsonInterval(value * requests, requests);
    return {
      value,
      low: Math.max(0, Math.min(low, value - (half ?? 0))),
      high: Math.max(high, value + (half ?? 0)),
    };
  }
  if (half === null) return estimate;
  return { value, low: Math.max(0, value - half), high: value + half };
}

/** How much worse, as a fraction of the baseline. @param {Threshold} threshold @param {CompareReport | null} comparison @returns {Found} */
function readRegression(threshold, comparison) {
  if (!comparison)
    return { value: null, missing: 'there is nothing to compare with: add --baseline <run>' };
  const { measure } = metricOf(threshold);
  const { endpoint, category } = threshold;
  const scope = endpoint !== null ? 'endpoint' : category !== null ? 'category' : 'overall';
  const change = comparison.changes.find(
    item =>
      item.scope === scope &&
      item.name === (endpoint ?? category ?? '') &&
      item.measure === measure,
  );
  if (!change || change.call === 'incomparable')
    return { value: null, missing: 'one of the sides does not know it' };
  if (!change.relative) {
    if (change.before.center === 0 && change.after.center === 0)
      return { value: { value: 0, low: null, high: null }, missing: '' };
    return { value: null, missing: 'a side has 0, so there is no ratio: set a limit of its own' };
  }
  const isLowerBetter = MEASURES.find(({ id }) => id === measure)?.better === 'lower';
  return { value: isLowerBetter ? change.relative : turnRound(change.relative), missing: '' };
}

/** A throughput that falls is a regression. @param {Estimate} change @returns {Estimate} */
function turnRound({ value, low, high }) {
  return { value: -value, low: high === null ? null : -high, high: low === null ? null : -low };
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

/** @param {Threshold} threshold @param {Estimate} estimate @param {ThresholdStatus} status */
function describe({ unit, isRegression, metric }, estimate, status) {
  const { value, low, high } = estimate;
  const isWithin = low === null || high === null;
  const text = isRegression
    ? `${formatChange(value)}${isWithin ? '' : `, 95 %: ${formatChangeInterval(estimate)}`}`
    : `${formatInUnit(value, unit)}${isWithin ? '' : `, 95 %: ${formatInUnit(low, unit)} to ${formatInUnit(high, unit)}`}`;
  if (status !== 'uncertain') return text;
  const remedy = isRegression
    ? 'compare more runs'
    : metric === 'share'
      ? 'sample longer'
      : 'measure longer';
  return `${text}: the limit lies inside, so this run can not say; ${remedy}`;
}
