/** Which differences are significant. */

import { adjustForMany, sameGroupsP } from '../math/multiple-testing.js';
import { findLeastRuns } from '../math/power.js';
import { estimateRunsNeeded, toLogs } from './compare-values.js';
import { measureOf } from './measures.js';

/** @import { Change } from './compare-report.d.ts' */
/** @typedef {Omit<Change, 'pAdjusted' | 'call' | 'runsNeeded'>} Compared */

/** @param {Pick<Change, 'call'>} change */
export function isSignificant({ call }) {
  return call === 'better' || call === 'worse' || call === 'different';
}

/**
 * Few figures of the whole run, which everybody asks for, stand beside many details: of these, only
 * what is far more striking speaks for a difference between the groups.
 */
const CAUTION = { overall: 1, category: 10, endpoint: 10 };

/**
 * A difference is significant when three things agree: the two groups of runs can be told apart at all, the
 * exact test of this figure says so, and, for an endpoint, it still does so after an adjustment for
 * having looked at all endpoints.
 * @param {Compared[]} compared
 * @param {{before: number, after: number, alpha: number, isTestable: boolean}} options numbers of runs
 * @returns {{changes: Change[], sameGroupsP: number | null}}
 */
export function findSignificant(compared, { before, after, alpha, isTestable }) {
  const together = isTestable ? testTogether(compared, before, after) : null;
  const adjusted = adjustEndpoints(compared);
  const changes = compared.map(change => {
    const pAdjusted = adjusted.get(change) ?? change.p;
    const isOwn = (together ?? 1) <= alpha && (pAdjusted ?? 1) <= alpha;
    return {
      ...change,
      pAdjusted,
      call: callOf(change, isOwn),
      runsNeeded: isOwn ? null : findRuns(change, countQuestions(compared, change), alpha),
    };
  });
  return { changes, sameGroupsP: together };
}

/** @param {Compared} change @param {boolean} isOwn @returns {Change['call']} */
function callOf({ before, after, measure, shift }, isOwn) {
  if (before.values.length === 0 || after.values.length === 0) return 'incomparable';
  if (!isOwn || !shift) return 'none';
  const { better } = measureOf(measure);
  if (better === 'neither') return 'different';
  return shift.value > 0 === (better === 'higher') ? 'better' : 'worse';
}

/** @param {Compared} change @param {number} questions @param {number} alpha */
function findRuns({ before, after, detectable }, questions, alpha) {
  const runs = Math.min(before.values.length, after.values.length);
  if (runs === 0) return null;
  if (before.values.length + after.values.length < 3) return findLeastRuns(alpha / questions);
  if (detectable === 0) return null;
  return estimateRunsNeeded(before.values, after.values, { alpha, questions });
}

/** Endpoints that are asked the same. @param {Compared[]} compared @param {Compared} change */
function countQuestions(compared, { scope, measure }) {
  if (scope !== 'endpoint') return 1;
  return compared.filter(other => other.scope === scope && other.measure === measure).length;
}

/** p-values of endpoints, adjusted over the endpoints of each measure. @param {Compared[]} compared */
function adjustEndpoints(compared) {
  /** @type {Map<Compared, number>} */
  const adjusted = new Map();
  const asked = compared.filter(({ scope, p }) => scope === 'endpoint' && p !== null);
  for (const family of Map.groupBy(asked, ({ measure }) => measure).values()) {
    const ps = adjustForMany(family.map(({ p }) => p ?? 1));
    for (const [index, change] of family.entries()) adjusted.set(change, ps[index] ?? 1);
  }
  return adjusted;
}

/** @param {Compared[]} compared @param {number} before @param {number} after */
function testTogether(compared, before, after) {
  const complete = compared.filter(
    change => change.before.values.length === before && change.after.values.length === after,
  );
  const families = [...Map.groupBy(complete, ({ scope }) => scope)].map(([scope, family]) => ({
    figures: family.map(({ before: a, after: b }) =>
      (toLogs(a.values, b.values) ?? [a.values, b.values]).flat(),
    ),
    doubt: CAUTION[scope],
  }));
  return sameGroupsP(families, before, before + after);
}
