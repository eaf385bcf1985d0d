/** Tables of what changed, with a drawing of each change. */
import { h, makeChoice, section, svg, swatch } from '../dom.js';
import { figure, table } from '../table.js';

/** @import { Change, MeasureId } from '../../../facts/compare-report.d.ts' */
/** @import { WordedChange, WordedComparison } from '../../../text/worded-comparison.d.ts' */
/** @import { Child } from '../dom.js' */

/** A class for the colour of a change. @param {Change} change */
export function callClass({ call }) {
  return `call-${call}`;
}

/** @param {WordedComparison} comparison */
export function renderOverallChanges(comparison) {
  const rows = comparison.changes.filter(({ scope }) => scope === 'overall');
  if (rows.length === 0) return null;
  return section(
    'overall',
    'The whole run',
    changeTable('The whole run', rows, comparison, ({ text }) => text.measure),
  );
}

/** @param {WordedComparison} comparison */
export function renderCategoryChanges(comparison) {
  const rows = comparison.changes.filter(({ scope }) => scope === 'category');
  if (rows.length === 0) return null;
  const isTime = rows.some(({ measure }) => measure === 'cpuMsPerRequest');
  return section(
    'categories',
    isTime ? 'CPU time per request, by category' : 'Shares of CPU, by category',
    changeTable('Changes by category', rows, comparison, change => [
      swatch(comparison.categories.find(({ id }) => id === change.name)?.color),
      change.text.name,
    ]),
  );
}

/** Endpoints × measures, then all about one measure. @param {WordedComparison} comparison */
export function renderEndpointChanges(comparison) {
  const rows = comparison.changes.filter(({ scope }) => scope === 'endpoint');
  const measures = comparison.measures.filter(({ id }) => rows.some(row => row.measure === id));
  const first = measures.find(({ id }) => id === 'cpuMsPerRequest') ?? measures[0];
  if (!first) return null;
  const detail = h('div', { 'aria-live': 'polite' });
  const show = (/** @type {MeasureId} */ id) => {
    const label = measures.find(measure => measure.id === id)?.label ?? '';
    const shown = rows.filter(row => row.measure === id);
    detail.replaceChildren(
      changeTable(`${label} by endpoint`, shown, comparison, ({ name }) => name),
    );
  };
  show(first.id);
  return section(
    'endpoints',
    'Endpoints',
    overviewTable(rows, measures),
    h('h3', {}, 'One measure in detail'),
    makeChoice({
      label: 'Measure',
      className: 'choices',
      options: measures.map(({ id, label }) => ({ value: id, label })),
      picked: first.id,
      onPick: show,
    }).element,
    detail,
  );
}

/** @param {WordedChange[]} rows @param {WordedComparison['measures']} measures */
function overviewTable(rows, measures) {
  /** @param {string} name @param {MeasureId} measure */
  const find = (name, measure) => rows.find(row => row.name === name && row.measure === measure);
  return table(
    'Change of each measure by endpoint; “~”: no significant difference',
    [...new Set(rows.map(({ name }) => name))],
    [
      { label: 'Endpoint', cell: name => name, key: name => name },
      ...measures.map(({ id, label }) => ({
        label,
        number: true,
        cell: (/** @type {string} */ name) => changeCell(find(name, id)),
        key: (/** @type {string} */ name) => find(name, id)?.relative?.value ?? 0,
      })),
    ],
    { sorting: { column: -1, down: true } },
  );
}

/** @param {WordedChange | undefined} change */
function changeCell(change) {
  if (!change) return null;
  const { before, after, interval, change: text } = change.text;
  const title = `${before} → ${after}${interval ? `, 95 %: ${interval}` : ''}`;
  return h('span', { class: callClass(change), title }, text);
}

/**
 * @param {string} caption
 * @param {WordedChange[]} changes
 * @param {WordedComparison} comparison
 * @param {(change: WordedChange) => Child} name
 */
function changeTable(caption, changes, comparison, name) {
  const reach = reachOf(changes);
  const { before, after, basis } = comparison;
  const isTest = basis === 'runs';
  const about =
    basis === 'within-run' ? 'of the one run' : 'median over runs, ± half of their range';
  return table(caption, changes, [
    { label: '', cell: change => name(change) },
    figure(before.label, ({ text }) => text.before, about),
    figure(after.label, ({ text }) => text.after, about),
    {
      label: 'Runs',
      about: `every run: ${before.label} above ${after.label}`,
      cell: change => drawRuns(change),
    },
    figure('Change', change => h('strong', { class: callClass(change) }, change.text.change)),
    {
      label: `±${Math.round(reach * 100)} %`,
      about: 'the change and its 95 % interval; the line in the middle is no change',
      cell: change => drawChange(change, reach),
    },
    figure('95 % interval', ({ text }) => text.interval),
    isTest &&
      figure(
        'p',
        ({ text }) => text.p,
        'exact Mann–Whitney test over runs; over endpoints step-down (Westfall and Young)',
      ),
    isTest &&
      figure(
        'Cliff’s delta',
        ({ cliffsDelta }) => cliffsDelta?.toFixed(2).replace('-', '−'),
        '±1 where the runs of the sides do not overlap, 0 where they are mixed',
      ),
    { label: '', cell: ({ text }) => text.note },
  ]);
}

const WIDTH = 150;
const HEIGHT = 20;
const EDGE = 5;

/** @param {string} className @param {...Child} children */
function drawing(className, ...children) {
  const size = { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
  return svg('svg', { class: `mark ${className}`, ...size, 'aria-hidden': 'true' }, children);
}

/**
 * The value of every run, `before` above `after`: what the figures in the row are made from.
 * @param {Change} change
 */
function drawRuns({ before, after }) {
  const all = [...before.values, ...after.values];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (/** @type {number} */ value) =>
    high > low ? EDGE + ((value - low) / (high - low)) * (WIDTH - 2 * EDGE) : WIDTH / 2;
  /** @param {number[]} values @param {number} cy @param {string} side */
  const dots = (values, cy, side) =>
    values.map(value => svg('circle', { cx: x(value).toFixed(1), cy, r: 3, class: side }));
  return drawing(
    '',
    dots(before.values, 5.5, 'mark-before'),
    dots(after.values, 14.5, 'mark-after'),
  );
}

/**
 * A relative change with its interval, around the line of "no change".
 * @param {Change} change
 * @param {number} reach what the ends of the drawing are
 */
function drawChange(change, reach) {
  const { value, low, high } = change.relative ?? { value: null, low: null, high: null };
  const x = (/** @type {number} */ at) =>
    (WIDTH / 2 + Math.max(-1, Math.min(1, at / reach)) * (WIDTH / 2 - EDGE)).toFixed(1);
  const middle = HEIGHT / 2;
  return drawing(
    callClass(change),
    svg('line', { x1: WIDTH / 2, x2: WIDTH / 2, y1: 0, y2: HEIGHT, class: 'mark-zero' }),
    low !== null &&
      high !== null &&
      svg('line', { x1: x(low), x2: x(high), y1: middle, y2: middle, class: 'mark-interval' }),
    value !== null && svg('circle', { cx: x(value), cy: middle, r: 3.5, class: 'mark-value' }),
  );
}

/** What the drawings of a table reach to: the furthest end, at least ±5 %. @param {Change[]} changes */
function reachOf(changes) {
  const ends = changes.flatMap(({ relative }) =>
    relative ? [relative.value, relative.low ?? 0, relative.high ?? 0].map(Math.abs) : [],
  );
  return Math.min(2, Math.max(0.05, ...ends));
}
