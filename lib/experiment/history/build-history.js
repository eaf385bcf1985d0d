/** Groups the lines of a history into comparable series, and finds their changes. */
import { stepDownPs } from '../../base/math/multiple-testing.js';
import { findDifferences } from '../compare/comparability.js';
import { compareValues } from '../compare/compare-values.js';
import { COMPARED } from '../compare/figures.js';
import { ALPHA, findChangePoints, findRange } from './change-points.js';

/** @import { HistoryChange, HistoryEntry, HistoryMeasure, HistoryReport, HistorySeries, HistorySize } from '../../run/facts/history.d.ts' */
/** @import { ChangePoint } from './change-points.js' */

/** Older runs are only drawn: the search time grows with the square of their number. */
const MOST_SEARCHED = 400;
/** The nearest runs on each side show the size of a change; exact intervals of more take long. */
const MOST_COMPARED = 30;
/** Error rate for the interval of a size, and for naming further measures. */
const SIZE_ALPHA = 0.05;

/**
 * @param {{entries: HistoryEntry[], torn: number}} history in order of time
 * @param {{file: string, branch?: string | null}} options
 * @returns {HistoryReport} without the commits in between
 */
export function buildHistory({ entries, torn }, { file, branch = null }) {
  const shown = entries.filter(own => branch === null || own.branch === branch);
  const series = [...Map.groupBy(shown, ({ of }) => JSON.stringify(of)).values()]
    .sort((a, b) => (b.at(-1)?.t ?? 0) - (a.at(-1)?.t ?? 0))
    .map(buildSeries);
  const schema = 'loadflame-history-report/1';
  return { schema, file, torn, branch, alpha: ALPHA, series };
}

/** @param {HistoryEntry[]} entries @returns {HistorySeries} */
function buildSeries(entries) {
  const isUsed = entries.map(({ reliability }) => reliability !== 'invalid');
  const measures = COMPARED.map(measure => ({
    ...measure,
    values: entries.map((own, at) => (isUsed[at] ? (own.measures[measure.id] ?? null) : null)),
  })).filter(({ values }) => values.some(value => value !== null));
  const used = [...entries.keys()].filter(at => isUsed[at]).slice(-MOST_SEARCHED);
  const points = findChangePoints(measures.map(({ values }) => used.map(at => values[at] ?? null)));
  const [{ of, fingerprint }] = /** @type {[HistoryEntry]} */ (entries);
  return {
    ...{ of, fingerprint, measures, searched: used.length },
    entries: entries.map(({ t, id, commit, branch, isDirty, reliability, isPartial }, at) => {
      const wasUsed = isUsed[at] ?? false;
      return { t, id, commit, branch, isDirty, reliability, isPartial, isUsed: wasUsed };
    }),
    changes: points.map((point, index) => {
      const before = used.slice(points[index - 1]?.at ?? 0, point.at);
      const after = used.slice(point.at, points[index + 1]?.at);
      return buildChange(point, { entries, measures, before, after });
    }),
  };
}

/**
 * @param {ChangePoint} point
 * @param {{entries: HistoryEntry[], measures: HistoryMeasure[], before: number[], after: number[]}} series
 *   `before`, `after`: the entries between this change and its neighbours
 * @returns {HistoryChange}
 */
function buildChange(point, { entries, measures, before, after }) {
  const clearest = /** @type {HistoryMeasure} */ (measures[point.measure]);
  const all = [...before, ...after];
  const range = findRange(
    all.map(at => clearest.values[at] ?? null),
    before.length,
  );
  const [last = 0, first = 0] = [all[range.first - 1], all[range.last]];
  const sides = { before: before.slice(-MOST_COMPARED), after: after.slice(0, MOST_COMPARED) };
  const compared = [...sides.before, ...sides.after];
  const known = measures.filter(({ values }) => compared.every(at => values[at] !== null));
  const ps = stepDownPs(
    known.map(({ values }) => compared.map(at => values[at] ?? 0)),
    sides.before.length,
  );
  const others = known.filter((measure, at) => measure !== clearest && (ps[at] ?? 1) <= SIZE_ALPHA);
  return {
    ...{ at: after[0] ?? 0, before: last, after: first, p: point.p, measure: clearest.id },
    sizes: [clearest, ...others].map(measure => measureSize(measure, sides)),
    ...{ commits: null, moreCommits: 0 },
    differences: findDifferences({
      before: entries.slice(last, last + 1).map(run => ({ run })),
      after: entries.slice(first, first + 1).map(run => ({ run })),
    }),
  };
}

/** @param {HistoryMeasure} measure @param {{before: number[], after: number[]}} sides @returns {HistorySize} */
function measureSize({ id, unit, better, values }, { before, after }) {
  const pick = (/** @type {number[]} */ side) => side.flatMap(at => values[at] ?? []);
  const compared = compareValues(pick(before), pick(after), { alpha: SIZE_ALPHA });
  const isBetter = (compared.shift?.value ?? 0) > 0 === (better === 'higher');
  return { measure: id, unit, ...compared, call: isBetter ? 'better' : 'worse' };
}
