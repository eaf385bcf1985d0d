/** A change as cells of a table, for the terminal, Markdown and the page (it runs in the browser too). */
import { formatChange, formatChangeInterval, formatInUnit } from '../../format.js';

/** @import { Change, CompareReport, Measure } from '../../compare/compare-report.d.ts' */

/** @typedef {{label: string, before: string, after: string, change: string, interval: string, p: string, note: string}} ChangeCells */

/** Below this, half of the range of the runs is not worth its place. */
const LEAST_SPREAD = 0.0005;

/**
 * @param {Change} change
 * @param {CompareReport} comparison
 * @returns {ChangeCells} `change` is "~" where nothing can be said
 */
export function describeChangeCells(change, { measures, basis, sameGroupsP, alpha }) {
  const measure = /** @type {Measure} */ (measures.find(({ id }) => id === change.measure));
  const { relative, shift, call, pAdjusted } = change;
  const isCalled = call === 'better' || call === 'worse' || call === 'different';
  const size = relative ? formatChange(relative.value) : formatShift(shift?.value ?? null, measure);
  const isGateClosed = sameGroupsP !== null && sameGroupsP > alpha && (pAdjusted ?? 1) <= alpha;
  return {
    label: measure.label,
    before: formatSideValue(change.before, measure),
    after: formatSideValue(change.after, measure),
    change: call === 'incomparable' ? '–' : isCalled ? size : basis === 'runs' ? '~' : `~ ${size}`,
    interval: relative && relative.low !== relative.high ? formatChangeInterval(relative) : '',
    p: pAdjusted === null ? '' : formatP(pAdjusted),
    note: isCalled
      ? call
      : call === 'incomparable'
        ? `only ${change.before.values.length > 0 ? 'before' : 'after'}`
        : isGateClosed
          ? 'by chance?'
          : describeNeed(change),
  };
}

/**
 * How many more runs a side would show a change of this size, or what change these runs would show.
 * @param {Change} change
 */
function describeNeed({ runsNeeded, before, after, detectable }) {
  if (runsNeeded !== null) {
    const more = runsNeeded - Math.min(before.values.length, after.values.length);
    return `${more} more ${more === 1 ? 'run' : 'runs'}`;
  }
  return detectable ? `sees ${formatChange(detectable).slice(1)}` : '';
}

/** "88 ms ± 2 %": the median and half of the range of its runs @param {Change['before']} side @param {Measure} measure */
function formatSideValue({ values, center }, { unit }) {
  const text = formatInUnit(center, unit);
  if (values.length < 2 || !center) return text;
  const spread = (Math.max(...values) - Math.min(...values)) / 2 / center;
  return spread < LEAST_SPREAD ? text : `${text} ± ${Math.max(1, Math.round(spread * 100))} %`;
}

/** @param {number | null} value @param {Measure} measure */
function formatShift(value, { unit }) {
  if (value === null) return '–';
  if (value === 0) return '±0';
  if (unit === 'share')
    return `${value < 0 ? '−' : '+'}${formatInUnit(Math.abs(value), unit)} of all`;
  return `${value < 0 ? '−' : '+'}${formatInUnit(Math.abs(value), unit)}`;
}

/** ".029" @param {number} p */
export function formatP(p) {
  if (p >= 0.9995) return '1';
  if (p < 0.001) return '< .001';
  return p.toFixed(p < 0.0995 ? 3 : 2).slice(1);
}

/** What a row is about. @param {Change} change @param {CompareReport} comparison */
export function nameOfChange({ scope, name }, { categories }) {
  return scope === 'category' ? (categories.find(({ id }) => id === name)?.label ?? name) : name;
}
