import { formatChange } from '../../../format.js';
import { describeChangeCells, nameOfChange } from '../../compare/change-words.js';
import { h, section, swatch } from '../dom.js';
import { table } from '../table.js';
import { callClass, drawChange, drawRuns, reachOf } from './change-marks.js';

/** @import { Change, CompareReport, MeasureId } from '../../../compare/compare-report.d.ts' */
/** @import { Child } from '../dom.js' */

/** @param {CompareReport} comparison */
export function renderOverallChanges(comparison) {
  const rows = comparison.changes.filter(({ scope }) => scope === 'overall');
  if (rows.length === 0) return null;
  return section(
    'overall',
    'The whole run',
    changeTable(
      'Changes of the whole run',
      rows,
      comparison,
      change => describeChangeCells(change, comparison).label,
    ),
  );
}

/** @param {CompareReport} comparison */
export function renderCategoryChanges(comparison) {
  const rows = comparison.changes.filter(({ scope }) => scope === 'category');
  if (rows.length === 0) return null;
  const isTime = rows.some(({ measure }) => measure === 'cpuMsPerRequest');
  return section(
    'categories',
    isTime ? 'CPU time per request, by category' : 'Shares of CPU, by category',
    changeTable('Changes by category of work', rows, comparison, change => [
      swatch(comparison.categories.find(({ id }) => id === change.name)?.color),
      nameOfChange(change, comparison),
    ]),
  );
}

/** Endpoints × measures, then all about one measure. @param {CompareReport} comparison */
export function renderEndpointChanges(comparison) {
  const rows = comparison.changes.filter(({ scope }) => scope === 'endpoint');
  if (rows.length === 0) return null;
  const measures = comparison.measures.filter(({ id }) => rows.some(row => row.measure === id));
  const detail = h('div', { 'aria-live': 'polite' });
  const buttons = measures.map(({ id, label }) => {
    const button = h('button', { type: 'button', class: 'quiet' }, label);
    button.addEventListener('click', () => show(id));
    return { id, button };
  });
  const show = (/** @type {MeasureId} */ measure) => {
    for (const { id, button } of buttons)
      button.setAttribute('aria-pressed', String(id === measure));
    const shown = rows.filter(row => row.measure === measure);
    const label = measures.find(({ id }) => id === measure)?.label ?? '';
    detail.replaceChildren(
      changeTable(`${label} by endpoint`, shown, comparison, ({ name }) => name),
    );
  };
  const [first] = measures;
  if (first) show(measures.find(({ id }) => id === 'cpuMsPerRequest')?.id ?? first.id);
  return section(
    'endpoints',
    'Endpoints',
    overviewTable(rows, measures, comparison),
    h('h3', {}, 'One measure in detail'),
    h(
      'div',
      { class: 'choices', role: 'group', 'aria-label': 'Measure' },
      buttons.map(({ button }) => button),
    ),
    detail,
  );
}

/** @param {Change[]} rows @param {CompareReport['measures']} measures @param {CompareReport} comparison */
function overviewTable(rows, measures, comparison) {
  const names = [...new Set(rows.map(({ name }) => name))];
  return table(
    'Change of each measure by endpoint; “~”: nothing can be said',
    [{ label: 'Endpoint' }, ...measures.map(({ label }) => ({ label, number: true }))],
    names.map(name => {
      const found = measures.map(({ id }) =>
        rows.find(row => row.name === name && row.measure === id),
      );
      return {
        cells: [name, ...found.map(change => change && changeCell(change, comparison))],
        keys: [name, ...found.map(change => change?.relative?.value ?? change?.shift?.value ?? 0)],
      };
    }),
  );
}

/** @param {Change} change @param {CompareReport} comparison */
function changeCell(change, comparison) {
  const { before, after, interval, change: text } = describeChangeCells(change, comparison);
  const title = `${before} → ${after}${interval ? `, 95 %: ${interval}` : ''}`;
  return h('span', { class: callClass(change), title }, text);
}

/**
 * @param {string} caption
 * @param {Change[]} rows
 * @param {CompareReport} comparison
 * @param {(change: Change) => Child} name
 */
function changeTable(caption, rows, comparison, name) {
  const reach = reachOf(rows);
  return table(
    caption,
    [
      { label: '' },
      {
        label: comparison.before.label,
        number: true,
        about: 'median over runs, ± half of their range',
      },
      {
        label: comparison.after.label,
        number: true,
        about: 'median over runs, ± half of their range',
      },
      {
        label: 'Runs',
        about: `every run: ${comparison.before.label} above ${comparison.after.label}`,
      },
      { label: 'Change', number: true },
      {
        label: `±${formatChange(reach).slice(1)}`,
        about: 'the change and its 95 % interval, around no change',
      },
      { label: '95 % interval', number: true },
      {
        label: 'p',
        number: true,
        about:
          'exact Mann–Whitney test over runs; over endpoints adjusted by Benjamini and Hochberg',
      },
      {
        label: 'Overlap',
        number: true,
        about:
          'Cliff’s delta: ±1 where the runs of the sides do not overlap, 0 where they are mixed',
      },
      { label: '' },
    ],
    rows.map(change => {
      const cells = describeChangeCells(change, comparison);
      return {
        cells: [
          name(change),
          cells.before,
          cells.after,
          drawRuns(change),
          h('strong', { class: callClass(change) }, cells.change),
          drawChange(change, reach),
          cells.interval,
          cells.p,
          change.cliffsDelta === null ? '' : change.cliffsDelta.toFixed(2).replace('-', '−'),
          cells.note,
        ],
      };
    }),
  );
}
