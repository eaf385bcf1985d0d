/**
 * The result of a comparison, in the order of trust: what spoils the measurement, what users noticed
 * (errors, latency), throughput, cost.
 */

import { findLeastRuns } from '../../base/math/rank-tests.js';
import { measureOf } from '../../run/facts/measures.js';
import { findSpoiled } from './comparability.js';
import { isSignificant } from './significance.js';

/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Change, CompareReport, MeasureId, NamedChange, PointTable, Verdict } from '../../run/facts/compare-report.d.ts' */
/** @import { Statement } from '../../run/facts/statement.d.ts' */

/** @typedef {Pick<CompareReport, 'before' | 'after' | 'basis' | 'alpha' | 'sameGroupsP' | 'changes' | 'categories' | 'warnings'>} Facts */
/** @typedef {Omit<Verdict, 'spoiled'>} Judged */
/** @typedef {Statement<PointTable>} Point */

const MOST_NAMED = 3;
/** Measures that a headline names, in the order of trust. @type {MeasureId[]} */
const TELLING = ['errorRate', 'total.p95Ms', 'throughputPerSec', 'cpuMsPerRequest'];

/**
 * @param {Facts} facts
 * @param {{before: Report[], after: Report[]}} reports all runs
 * @returns {Verdict}
 */
export function judgeComparison(facts, reports) {
  const judged = judge(facts);
  const isInvalid = judged.level === 'invalid';
  return { ...judged, spoiled: isInvalid ? null : findSpoiled(reports, facts.warnings) };
}

/** @param {Facts} facts @returns {Judged} */
function judge(facts) {
  const { basis, changes, alpha } = facts;
  const [before = 0, after = 0] = [facts.before, facts.after].map(
    ({ runs }) => runs.filter(({ isUsed }) => isUsed).length,
  );
  if (before === 0 || after === 0) {
    const { label, runs } = before === 0 ? facts.before : facts.after;
    const [reason = null] = runs.flatMap(({ reasons }) => reasons);
    const headline = { id: /** @type {const} */ ('no-valid-run'), facts: { side: label, reason } };
    return { level: 'invalid', headline, points: [] };
  }
  if (changes.length === 0)
    return { level: 'unknown', headline: { id: 'nothing-known', facts: {} }, points: [] };
  if (basis === 'runs')
    return changes.some(isSignificant)
      ? judgeDifference(facts)
      : {
          level: 'none',
          headline: { id: 'no-difference', facts: { before, after } },
          points: explainNone(facts),
        };
  /** @type {Point} */
  const least = { id: 'least-runs', facts: { runs: findLeastRuns(alpha), alpha } };
  const isOne = basis === 'within-run';
  return {
    level: 'unknown',
    headline: isOne ? { id: 'one-run', facts: {} } : { id: 'few-runs', facts: { before, after } },
    points: [...observe(facts), least],
  };
}

/** @param {Facts} facts @returns {Judged} */
function judgeDifference(facts) {
  const { before, after, changes } = facts;
  const significant = changes.filter(isSignificant);
  const overall = significant.filter(({ scope }) => scope === 'overall');
  const decisive = overall.length > 0 ? overall : significant;
  const [isBetter, isWorse] = ['better', 'worse'].map(own =>
    decisive.some(({ call }) => call === own),
  );
  const level = isBetter === isWorse ? 'mixed' : isBetter ? 'better' : 'worse';
  const points = [
    pointOut('categories', 'category', facts),
    pointOut('packages', 'package', facts),
    pointOut('endpoints', 'endpoint', facts),
  ];
  return {
    level,
    headline: {
      id: 'difference',
      facts: {
        level,
        before: before.label,
        after: after.label,
        changes: nameTelling(decisive, facts),
      },
    },
    points: points.filter(point => point !== null),
  };
}

/** The most important changes for a headline. @param {Change[]} changes @param {Facts} facts */
function nameTelling(changes, facts) {
  const telling = changes.filter(({ measure }) => TELLING.includes(measure));
  return (telling.length > 0 ? telling : changes)
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, TELLING.length)
    .map(change => nameChange(change, facts));
}

/** @param {Change} change @param {Pick<Facts, 'categories'>} facts @returns {NamedChange} */
function nameChange({ scope, name, measure, shift, relative, beside }, { categories }) {
  const label =
    scope === 'category' ? (categories.find(({ id }) => id === name)?.label ?? name) : name;
  return { scope, name: label, measure, unit: measureOf(measure).unit, shift, relative, beside };
}

/**
 * The largest significant changes of a scope, in the order of trust.
 * @param {'categories' | 'packages' | 'endpoints'} id
 * @param {Change['scope']} scope
 * @param {Facts} facts
 * @returns {Point | null}
 */
function pointOut(id, scope, facts) {
  const changes = facts.changes.filter(
    change =>
      isSignificant(change) &&
      change.scope === scope &&
      !change.measure.startsWith('timeToFirstByte.'),
  );
  if (changes.length === 0) return null;
  const largest = changes
    .toSorted((a, b) => rankOf(a) - rankOf(b) || sizeOf(b) - sizeOf(a))
    .slice(0, MOST_NAMED);
  return {
    id,
    facts: {
      changes: largest.map(change => nameChange(change, facts)),
      more: changes.length - largest.length,
    },
  };
}

/** Categories and packages are parts of one whole. The largest endpoint change is one from nothing. @param {Change} change */
function sizeOf({ scope, shift, relative }) {
  if (scope === 'category' || scope === 'package') return Math.abs(shift?.value ?? 0);
  return Math.abs(relative?.value ?? Number.MAX_VALUE);
}

/** What the intervals leave open, and what chance alone explains. @param {Facts} facts @returns {Point[]} */
function explainNone(facts) {
  const { changes, sameGroupsP, alpha } = facts;
  const significant = changes.filter(({ p }) => p !== null && p <= alpha).length;
  const observed = observe(facts);
  if (significant === 0 || sameGroupsP === null || sameGroupsP <= alpha) return observed;
  const byChance = { significant, figures: changes.length, sameGroupsP };
  return [{ id: 'by-chance', facts: byChance }, ...observed];
}

/** @param {Facts} facts @returns {Point[]} */
function observe(facts) {
  const known = facts.changes.filter(({ scope, relative }) => scope === 'overall' && relative);
  return known.length > 0
    ? [{ id: 'observed', facts: { changes: nameTelling(known, facts) } }]
    : [];
}

/** @param {Change} change */
function rankOf({ scope, measure }) {
  const rank = TELLING.indexOf(measure);
  return (rank < 0 ? TELLING.length : rank) + (scope === 'overall' ? 0 : 100);
}
