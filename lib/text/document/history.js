/** A history of runs as a document: the changes, and the course of each figure. */
import { listPresent } from '../../base/files/maps.js';
import {
  formatChangeEstimate,
  formatInUnit,
  formatMoment,
  formatNumberOf,
} from '../../base/format.js';
import { MEASURE_LABELS } from '../measures.js';
import { describePhase, joinWords, nameHost, pair } from '../words.js';
import { amount, column, item, lede, list, pairs, section, table } from './build.js';

/** @import { HistoryChange, HistoryReport, HistorySeries, HistorySize } from '../../run/facts/history.d.ts' */
/** @import { Document } from './document.d.ts' */

const LEVELS = '▁▂▃▄▅▆▇█';
/** Newest runs that a sparkline shows. */
const SPARK_LENGTH = 40;
/** Fewest runs that can show a change: five before it and five after. */
const LEAST_RUNS = 10;
const NEEDED = `at least ${LEAST_RUNS} are needed.`;

/** @param {HistoryReport} history @returns {Document} */
export function describeHistory({ series, torn, file, alpha }) {
  const changes = series.reduce((sum, own) => sum + own.changes.length, 0);
  const runs = series.reduce((sum, own) => sum + own.entries.length, 0);
  const newest = series[0]?.changes.at(-1);
  const method = `E-divisive with permutation tests over all figures together (Matteson and James, 2014). Of histories of independent runs without a change, about ${100 * alpha} of 100 show one; more if a disturbance lasts for several runs. Slow drift of the machine counts as a change. Intervals are 95 %.`;
  return {
    title: `History: ${file}`,
    headline: {
      level: newest?.sizes[0]?.call ?? 'none',
      text: `${changes > 0 ? formatNumberOf(changes, 'change') : 'No change'} in ${formatNumberOf(runs, 'run')}${newest ? `. The newest: ${newest.sizes.slice(0, 1).map(saySize)}` : ''}.`,
      sentences: torn > 0 ? [`Lines of the file that cannot be read, left out: ${torn}.`] : [],
    },
    sections: listPresent(...series.map(describeSeries), section('method', 'Method', lede(method))),
    page: '--json',
  };
}

/** @param {HistorySeries} series @param {number} at */
function describeSeries({ of, entries, measures, changes, searched }, at) {
  const branches = [...new Set(entries.map(({ branch }) => branch ?? 'unknown'))];
  const used = entries.filter(({ isUsed }) => isUsed).length;
  return section(
    `series-${at + 1}`,
    `${of.script?.name ?? 'No load'}: ${formatNumberOf(entries.length, 'run')}`,
    pairs([
      ['load', of.phases.map(describePhase).join('; ')],
      ['machine', of.machines.map(nameHost).join('; load from ') || 'unknown'],
      ['target', of.target],
      ['recorded with', of.profiler],
      ['from', `${day(entries[0])} to ${day(entries.at(-1))}`],
      ['left out', used < entries.length && `${entries.length - used} invalid`],
      ['branches', branches.length > 1 && joinWords(branches)],
      ['searched', searched < used && `the newest ${searched}`],
    ]),
    used < LEAST_RUNS && lede(`${formatNumberOf(used, 'run')} cannot show a change: ${NEEDED}`),
    list(changes.toReversed().map(change => describeChange(change, entries))),
    table('Figures', measures, [
      column('Figure', ({ id }) => MEASURE_LABELS[id]),
      column('Runs', ({ values }) => drawSpark(values, changes)),
      amount('Newest', ({ values, unit }) => formatInUnit(values.at(-1) ?? null, unit)),
      amount('Range', ({ values, unit }) =>
        endsOf(values)
          .map(end => formatInUnit(end, unit))
          .join(' … '),
      ),
    ]),
  );
}

/** @param {HistoryChange} change @param {HistorySeries['entries']} entries */
function describeChange(change, entries) {
  const [first, before, after] = [change.at, change.before, change.after].map(at => entries[at]);
  const { commits, moreCommits, differences } = change;
  return item(
    `${day(first)}: ${joinWords(change.sizes.map(saySize))}.`,
    { level: change.sizes[0]?.call ?? 'none' },
    pairs([
      ['most likely since', nameEntry(first)],
      ['between (95 %)', `${nameEntry(before)} and ${nameEntry(after)}`],
      ...(commits ?? []).map(({ id, subject }) => pair(id, subject)),
      ['and', moreCommits > 0 && formatNumberOf(moreCommits, 'earlier commit')],
      ...differences.map(({ name, ...sides }) => pair(name, `${sides.before} → ${sides.after}`)),
    ]),
  );
}

/** @param {HistorySize} size */
function saySize({ measure, unit, relative, ...sides }) {
  const [before, after] = [sides.before, sides.after].map(({ center }) =>
    formatInUnit(center, unit),
  );
  const label = MEASURE_LABELS[measure];
  if (!relative) return `${label} ${before} → ${after}`;
  return `${label} ${formatChangeEstimate(relative)}`;
}

/** @param {HistorySeries['entries'][number] | undefined} entry */
function nameEntry(entry) {
  const commit = entry?.commit?.slice(0, 9) ?? 'unknown commit';
  return `${entry?.id} (${commit}${entry?.isDirty ? ' with uncommitted changes' : ''})`;
}

/** @param {HistorySeries['entries'][number] | undefined} entry */
const day = entry => formatMoment(entry?.t ?? null).slice(0, 10);

/** A bar for each of the newest runs, with a line at each change. @param {(number | null)[]} values @param {HistoryChange[]} changes */
function drawSpark(values, changes) {
  const [low = 0, high = 0] = endsOf(values.slice(-SPARK_LENGTH));
  const bars = values.map((value, index) => {
    const share = value === null || high === low ? 0 : (value - low) / (high - low);
    const bar = value === null ? ' ' : LEVELS[Math.round(share * (LEVELS.length - 1))];
    return `${changes.some(({ at }) => at === index) ? '│' : ''}${bar}`;
  });
  return bars.slice(-SPARK_LENGTH).join('');
}

/** @param {(number | null)[]} values */
function endsOf(values) {
  const known = values.filter(value => value !== null);
  return [Math.min(...known), Math.max(...known)];
}
