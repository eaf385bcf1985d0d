/** Turns the runs of a try into a comparison of both sides that contains the decisions of the try. */

import { measureOf } from '../../run/facts/measures.js';
import { isSignificant } from '../compare/significance.js';
import { ALPHA } from '../strategies/pairs.js';
import { readFigures } from './figures.js';
import { listPredictions } from './predictions.js';
import { decideAll } from './run-try.js';

/** @import { Change, CompareReport, DifferentialFlame, MeasureId, NamedChange, Verdict } from '../../run/facts/compare-report.d.ts' */
/** @import { QualityItem } from '../../run/facts/quality.d.ts' */
/** @import { ReportedPair } from './figures.js' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Decision, Noise, TryReport } from '../../run/facts/try.d.ts' */
/** @import { TryPlan, TryResult } from './run-try.js' */

/**
 * The decisions replace the comparison's own for the same figures, so that a page shows only one.
 * @param {CompareReport} comparison of all runs that count
 * @param {TryPlan} plan
 * @param {TryResult} result
 * @returns {CompareReport}
 */
export function judgeTry(
  comparison,
  { sides, load, isNoise },
  { pairs, decisions, excluded, end, elapsedMs, smallest, noise, accounts },
) {
  const reports = (/** @type {'a' | 'b'} */ side) => pairs.map(pair => pair[side].report);
  /** @type {TryReport} */
  const tried = {
    schema: 'loadflame-try/1',
    ...{ sides, load, alpha: ALPHA, smallest, elapsedMs },
    ...{ pairs: pairs.length, excluded, end, decisions, noise, isNoise },
    endpoint: findEndpoint(comparison, reports('a')),
    path: findPath(comparison.flame),
    predictions:
      pairs.length > 0
        ? listPredictions(reports('a'), reports('b'), decisions, sides.b.env.LOADFLAME_REMEDY)
        : [],
  };
  const { verdict } = comparison;
  if (verdict.level === 'invalid') return { ...comparison, tried };
  const points = verdict.points.filter(({ id }) => id === 'categories' || id === 'endpoints');
  return {
    ...comparison,
    tried,
    changes: comparison.changes.map(change => replaceCall(change, decisions)),
    verdict: {
      level: isNoise ? judgeNoise(noise) : judgeLevel(decisions),
      spoiled: verdict.spoiled?.id === 'not-comparable' ? verdict.spoiled : null,
      headline: { id: 'tried', facts: tried },
      points: [...findDoubts(pairs, tried, accounts), ...points],
    },
  };
}

/** Doubts about profiles, from which a try decides nothing. */
const OF_PROFILES = /^(frame-names|samples|segments|sampling-errors|pausing|late|samples-to-cpu)$/;

/**
 * @param {ReportedPair[]} pairs @param {TryReport} tried
 * @param {TryResult['accounts']} accounts @returns {Verdict['points']}
 */
function findDoubts(pairs, { load: { model }, smallest }, accounts) {
  // A closed loop is meant to fill the cores of its server.
  const isOne = (/** @type {QualityItem} */ { id }) =>
    !OF_PROFILES.test(id) && !(model === 'closed' && id === 'full-machine');
  const listReasons = (/** @type {ReportedPair} */ { a, b }) =>
    [a, b].flatMap(({ report }) => report.reliability.reasons.filter(isOne));
  const reasons = new Map(pairs.flatMap(listReasons).map(reason => [reason.id, reason]));
  return [...reasons].map(([id, reason]) => {
    const left = pairs.filter(pair => listReasons(pair).every(own => own.id !== id));
    const without = decideAll(readFigures(model, left), accounts, smallest);
    const all = pairs.length;
    return { id: 'doubt', facts: { reason, pairs: all - left.length, all, without } };
  });
}

/** @param {Change} change @param {Decision[]} decisions @returns {Change} */
function replaceCall(change, decisions) {
  const own = decisions.find(({ measure }) => measure === change.measure);
  if (!own || change.scope !== 'overall') return change;
  const call = own.call === 'undecided' ? 'none' : own.call;
  return {
    ...change,
    relative: own.relative,
    intervalOf: 'sequence',
    p: null,
    pAdjusted: null,
    call,
  };
}

/** Equal sides decide nothing, but may show too little to know their noise. @param {Noise} noise @returns {Verdict['level']} */
const judgeNoise = ({ figures }) =>
  figures.some(({ change }) => change !== null) ? 'none' : 'unknown';

/** @param {Decision[]} decisions @returns {Verdict['level']} */
function judgeLevel(decisions) {
  const has = (/** @type {Decision['call']} */ wanted) =>
    decisions.some(({ call }) => call === wanted);
  if (has('better') && has('worse')) return 'mixed';
  if (has('worse')) return 'worse';
  if (has('better')) return 'better';
  return has('undecided') ? 'unknown' : 'none';
}

/** Measures of endpoints; the first that any endpoint has counts. @type {MeasureId[]} */
const OF_ENDPOINTS = ['cpuMsPerRequest', 'total.p95Ms', 'timeToFirstByte.p95Ms'];

/** @param {CompareReport} comparison @param {Report[]} before @returns {NamedChange | null} */
function findEndpoint({ changes }, before) {
  const requestsOf = (/** @type {string} */ name) =>
    before[0]?.load?.endpoints.find(own => own.name === name)?.requests ?? 0;
  const sizeOf = (/** @type {Change} */ { name, shift }) =>
    Math.abs(shift?.value ?? 0) * requestsOf(name);
  const significant = changes.filter(own => own.scope === 'endpoint' && isSignificant(own));
  const measured = OF_ENDPOINTS.map(id => significant.filter(({ measure }) => measure === id));
  const [most] = measured.flatMap(all => all.toSorted((a, b) => sizeOf(b) - sizeOf(a)));
  if (!most) return null;
  const { scope, name, measure, shift, relative, beside } = most;
  return { scope, name, measure, unit: measureOf(measure).unit, shift, relative, beside };
}

/** A function is named if it has at least this part of the largest change in a call tree. */
const MOST_OF_IT = 0.5;
const FUNCTIONS = 3;

/**
 * Follows the largest change from the root to the last function that differs by more than its noise. A caller may not
 * differ: the noise of all that it calls is in it.
 * @param {DifferentialFlame | null} flame
 * @returns {TryReport['path']}
 */
function findPath(flame) {
  if (flame?.unit !== 'ms') return null;
  const { parent, frame, frames, before, after, differs } = flame;
  const changeOf = (/** @type {number} */ node) => (after[node] ?? 0) - (before[node] ?? 0);
  /** Whether a node, or one below it, differs. Parents are before children. */
  const leads = [...differs];
  for (let node = leads.length - 1; node > 0; node--) if (leads[node]) leads[parent[node] ?? 0] = 1;
  const findNext = (/** @type {number} */ above) => {
    const below = [...parent.keys()].filter(node => parent[node] === above && leads[node]);
    return below.toSorted((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a)))[0];
  };
  /** @type {number[]} */
  const nodes = [];
  let next = findNext(0);
  const whole = next === undefined ? 0 : changeOf(next);
  while (next !== undefined && changeOf(next) / whole >= MOST_OF_IT) {
    nodes.push(next);
    next = findNext(next);
  }
  nodes.length = 1 + nodes.findLastIndex(node => differs[node]);
  const last = nodes.at(-1);
  if (last === undefined) return null;
  const functions = nodes.slice(-FUNCTIONS).flatMap(node => frames[frame[node] ?? -1] ?? []);
  const { file = '' } = functions.at(-1) ?? {};
  return {
    functions: functions.map(one => one.function),
    file,
    beforeMs: before[last] ?? 0,
    afterMs: after[last] ?? 0,
  };
}
