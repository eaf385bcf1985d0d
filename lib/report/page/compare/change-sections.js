import { describeChangeCells, nameOfChange } from '../../compare/change-words.js';
import { h, section, swatch } from '../dom.js';
import { table } from '../table.js';
import { callClass, drawChange, drawRuns, reachOf } from './change-marks.js';

/** @import { Change, CompareReport, MeasureId } from '../../../compare/compare-report.d.ts' */
/** @import { ChangeCells } from '../../compare/change-words.js' */
/** @import { Child } from '../dom.js' */
/** @import { Column } from '../table.js' */

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

/** @typedef {Column & {cell: (change: Change, cells: ChangeCells) => Child, isTestOnly?: boolean}} ChangeColumn */

/**
 * @param {string} caption
 * @param {Change[]} rows
 * @param {CompareReport} comparison
 * @param {(change: Change) => Child} name
 */
function changeTable(caption, rows, comparison, name) {
  const reach = reachOf(rows);
  const { before, after, basis } = comparison;
  const about =
    basis === 'within-run' ? 'of the one run' : 'median over runs, ± half of their range';
  /** @type {ChangeColumn[]} */
  const columns = [
    { label: '', cell: name },
    { label: before.label, number: true, about, cell: (_, cells) => cells.before },
    { label: after.label, number: true, about, cell: (_, cells) => cells.after },
    { label: 'Runs', about: `every run: ${before.label} above ${after.label}`, cell: drawRuns },
    {
      label: 'Change',
      number: true,
      cell: (change, cells) => h('strong', { class: callClass(change) }, cells.change),
    },
    {
      label: `±${Math.round(reach * 100)} %`,
      about: 'the change and its 95 % interval, around no change',
      cell: change => drawChange(change, reach),
    },
    { label: '95 % interval', number: true, cell: (_, cells) => cells.interval },
    {
      label: 'p',
      number: true,
      about: 'exact Mann–Whitney test over runs; over endpoints adjusted by Benjamini and Hochberg',
      isTestOnly: true,
      cell: (_, cells) => cells.p,
    },
    {
      label: 'Overlap',
      number: true,
      about: 'Cliff’s delta: ±1 where the runs of the sides do not overlap, 0 where they are mixed',
      isTestOnly: true,
      cell: ({ cliffsDelta }) => cliffsDelta?.toFixed(2).replace('-', '−'),
    },
    { label: '', cell: (_, cells) => cells.note },
  ];
  const shown = columns.filter(({ isTestOnly }) => !isTestOnly || basis === 'runs');
  return table(
    caption,
    shown,
    rows.map(change => {
      const cells = describeChangeCells(change, comparison);
      return { cells: shown.map(({ cell }) => cell(change, cells)) };
    }),
  );
}
