/** Which differences are significant. */

import { sameGroupsP, stepDownPs } from '../../base/math/multiple-testing.js';
import { mean, median } from '../../base/math/summary.js';
import { measureOf } from '../../run/facts/measures.js';
import { compareValues, toLogs } from './compare-values.js';

/** @import { Change } from '../../run/facts/compare-report.d.ts' */
/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { Comparison } from './compare-values.js' */

/** @typedef {Omit<Change, 'pAdjusted' | 'call' | 'beside'>} Compared */

/** @param {Pick<Change, 'call'>} change */
export function isSignificant({ call }) {
  return call === 'better' || call === 'worse' || call === 'different';
}

/**
 * The few figures of the whole run, which matter to everyone, sit beside many details. A detail suggests a difference
 * between the groups only if it is more striking by this factor.
 */
const CAUTION = { overall: 1, category: 10, package: 10, cost: 2, endpoint: 10 };

/**
 * A difference is significant when three things agree: the two groups of runs differ at all, the exact test of this
 * figure shows it, and an endpoint also stands out among all endpoints. The CPU time of an endpoint is tested twice:
 * as it is, and relative to the other endpoints.
 * @param {Compared[]} compared
 * @param {{before: number, after: number, alpha: number, isTestable: boolean}} options numbers of runs
 * @returns {{changes: Change[], sameGroupsP: number | null}}
 */
export function findSignificant(compared, { before, after, alpha, isTestable }) {
  const complete = isTestable
    ? compared.filter(
        change => change.before.values.length === before && change.after.values.length === after,
      )
    : [];
  const besides = compareBesideOthers(complete.filter(isCostOfEndpoint), before, alpha);
  const together = isTestable ? testTogether(complete, besides, before, before + after) : null;
  const adjusted = adjustEndpoints(compared, complete, besides, before);
  const isCalled = (/** @type {number | null | undefined} */ p) =>
    (together ?? 1) <= alpha && (p ?? 1) <= alpha;
  const changes = compared.map(change => {
    const pAdjusted = adjusted.get(change) ?? change.p;
    const beside = besides.find(own => own.change === change);
    const pBeside = beside && Math.max(beside.comparison.p ?? 1, adjusted.get(beside) ?? 1);
    if (beside?.isControl && isCalled(pBeside) && !isCalled(pAdjusted)) {
      const { before: _, after: __, ...figures } = beside.comparison;
      const own = { ...change, ...figures, pAdjusted: pBeside ?? null };
      return { ...own, beside: beside.others, call: callOf(own, true) };
    }
    return { ...change, beside: null, pAdjusted, call: callOf(change, isCalled(pAdjusted)) };
  });
  return { changes, sameGroupsP: together };
}

/** @param {Compared} change */
function isCostOfEndpoint({ scope, measure }) {
  return scope === 'endpoint' && measure === 'cpuMsPerRequest';
}

/** @param {Compared} change @param {boolean} isOwn @returns {Change['call']} */
function callOf({ before, after, measure, shift }, isOwn) {
  if (before.values.length === 0 || after.values.length === 0) return 'incomparable';
  if (!isOwn || !shift) return 'none';
  const { better } = measureOf(measure);
  if (better === 'neither') return 'different';
  return shift.value > 0 === (better === 'higher') ? 'better' : 'worse';
}

/**
 * p-values of endpoints, adjusted over the endpoints of each measure.
 * @param {Compared[]} compared @param {Compared[]} complete @param {Beside<Compared>[]} besides
 * @param {number} before
 */
function adjustEndpoints(compared, complete, besides, before) {
  /** @type {Map<Compared | Beside<Compared>, number>} */
  const adjusted = new Map();
  const asked = compared.filter(({ scope, p }) => scope === 'endpoint' && p !== null);
  for (const [measure, family] of Map.groupBy(asked, own => own.measure)) {
    // Figures that a run lacks can't be permuted with the others: Bonferroni.
    for (const change of family) adjusted.set(change, Math.min(1, (change.p ?? 1) * family.length));
    const dealt = family.filter(change => complete.includes(change));
    const beside = measure === 'cpuMsPerRequest' ? besides : [];
    const ps = stepDownPs([...dealt.map(toFigure), ...beside.map(toOwnFigure)], before);
    for (const [index, own] of [...dealt, ...beside].entries())
      adjusted.set(own, Math.max(('p' in own && own.p) || 0, ps[index] ?? 1));
  }
  return adjusted;
}

/** A value per run, as logarithms where possible. @param {Compared} change */
function toFigure({ before, after }) {
  return (toLogs(before.values, after.values) ?? [before.values, after.values]).flat();
}

/** @param {Beside<Compared>} beside */
const toOwnFigure = ({ values }) => values.map(Math.log);

/**
 * @param {Compared[]} complete
 * @param {Beside<Compared>[]} besides
 * @param {number} before
 * @param {number} runs
 */
function testTogether(complete, besides, before, runs) {
  const families = [
    ...Map.groupBy(complete, change => (isCostOfEndpoint(change) ? 'cost' : change.scope)),
  ].map(([family, changes]) => ({
    figures: [...changes.map(toFigure), ...(family === 'cost' ? besides.map(toOwnFigure) : [])],
    doubt: CAUTION[family],
  }));
  return sameGroupsP(families, before, runs);
}

/** With fewer other endpoints, a single one that changed would move their median. */
const LEAST_OTHERS = 4;
/** An endpoint that stays while most others change differs from them by as much as they changed. */
const LEAST_RATIO = 2;

/**
 * @template T
 * @typedef {{change: T, values: number[], comparison: Comparison, others: Estimate, isControl: boolean}} Beside
 *   `values`: one per run, `before` first, without what moved the others. `others`: their relative
 *   change; `isControl`: they did not change significantly, and by far less than the endpoint did
 */

/**
 * The other endpoints as a control: what moves all of them together is the machine, not the change. This tests the CPU
 * time of each endpoint without the part that the median of the other endpoints shares. A run's control ignores its
 * side, so that a permutation test stays exact.
 * @template {Comparison} T
 * @param {T[]} costs of all endpoints, with a value of every run
 * @param {number} before number of runs
 * @param {number} alpha
 * @returns {Beside<T>[]} empty with too few endpoints
 */
function compareBesideOthers(costs, before, alpha) {
  const known = costs.flatMap(change => {
    const values = [...change.before.values, ...change.after.values];
    if (values.some(value => value <= 0)) return [];
    const logs = values.map(Math.log);
    const middle = mean(logs);
    return [{ change, values, moves: logs.map(log => log - middle) }];
  });
  if (known.length <= LEAST_OTHERS) return [];
  const compare = (/** @type {number[]} */ values) =>
    compareValues(values.slice(0, before), values.slice(before), { alpha });
  return known.map(({ change, values: own }) => {
    const others = known.filter(other => other.change !== change);
    const drift = own.map((_, run) => Math.exp(median(others.map(({ moves }) => moves[run] ?? 0))));
    const values = own.map((value, run) => value / (drift[run] ?? 1));
    const comparison = compare(values);
    const control = compare(drift);
    const isControl =
      (control.p ?? 0) > alpha &&
      sizeOf(comparison.relative) > LEAST_RATIO * sizeOf(control.relative);
    const unknown = { value: 0, low: null, high: null };
    return { change, values, comparison, others: control.relative ?? unknown, isControl };
  });
}

/** Halving counts as much as doubling. @param {Estimate | null} relative */
const sizeOf = relative => Math.abs(Math.log1p(relative?.value ?? 0));
