/** Which differences are significant. */

import { measureOf } from '../../facts/measures.js';
import { sameGroupsP, stepDownPs } from '../../math/multiple-testing.js';
import { toLogs } from './compare-values.js';
import { compareBesideOthers } from './control.js';

/** @import { Change } from '../../facts/compare-report.d.ts' */
/** @import { Beside } from './control.js' */
/** @typedef {Omit<Change, 'pAdjusted' | 'call' | 'beside'>} Compared */

/** @param {Pick<Change, 'call'>} change */
export function isSignificant({ call }) {
  return call === 'better' || call === 'worse' || call === 'different';
}

/**
 * Few figures of the whole run, which everybody asks for, stand beside many details: of these, only
 * what is more striking by this factor speaks for a difference between the groups.
 */
const CAUTION = { overall: 1, category: 10, cost: 2, endpoint: 10 };

/**
 * A difference is significant when three things agree: the two groups of runs differ at all, the exact
 * test of this figure says so, and, for an endpoint, it stands out among all endpoints. The CPU time of
 * an endpoint is tested twice, as it is and beside that of the other endpoints.
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
    // What a run lacks can't be dealt with the others: Bonferroni.
    for (const change of family) adjusted.set(change, Math.min(1, (change.p ?? 1) * family.length));
    const dealt = family.filter(change => complete.includes(change));
    const beside = measure === 'cpuMsPerRequest' ? besides : [];
    const ps = stepDownPs([...dealt.map(toFigure), ...beside.map(toOwnFigure)], before);
    for (const [index, own] of [...dealt, ...beside].entries())
      adjusted.set(own, Math.max(('p' in own && own.p) || 0, ps[index] ?? 1));
  }
  return adjusted;
}

/** A value per run, as a logarithm where that is known. @param {Compared} change */
function toFigure({ before, after }) {
  return (toLogs(before.values, after.values) ?? [before.values, after.values]).flat();
}

/** @param {Beside<Compared>} beside */
function toOwnFigure({ values }) {
  return values.map(Math.log);
}

/** @param {Compared[]} complete @param {Beside<Compared>[]} besides @param {number} before @param {number} runs */
function testTogether(complete, besides, before, runs) {
  const families = [
    ...Map.groupBy(complete, change => (isCostOfEndpoint(change) ? 'cost' : change.scope)),
  ].map(([family, changes]) => ({
    figures: [...changes.map(toFigure), ...(family === 'cost' ? besides.map(toOwnFigure) : [])],
    doubt: CAUTION[family],
  }));
  return sameGroupsP(families, before, runs);
}
