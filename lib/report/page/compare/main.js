/** The page of a comparison. */
import { formatNumberOf } from '../../../format.js';
import { printSection } from '../../print/html.js';
import { h, mountPage, readData, svg } from '../dom.js';
import { makeDifferentialFlame } from '../flame/flame-diff.js';
import { renderAside, renderFigureList, renderTop, renderVerdict } from '../overview.js';

/** @import { Change, MeasureId } from '../../../facts/compare-report.d.ts' */
/** @import { Section } from '../../../text/document/document.d.ts' */
/** @import { WordedComparison } from '../../../text/worded-comparison.d.ts' */
/** @import { Child } from '../dom.js' */

const CALL_LEVELS = {
  better: ['good', 'Better'],
  worse: ['bad', 'Worse'],
  mixed: ['warn', 'Better and worse'],
  none: ['unknown', 'No significant difference'],
  unknown: ['unknown', 'Not enough runs'],
  invalid: ['invalid', 'Invalid comparison'],
};
/** @type {MeasureId[][]} the first that is known of each */
const KEY_MEASURES = [
  ['throughputPerSec'],
  ['cpuMsPerRequest'],
  ['total.p95Ms', 'timeToFirstByte.p95Ms'],
  ['errorRate'],
];
/** Of a drawing beside the figures of a change, px. */
const WIDTH = 150;
const HEIGHT = 20;
const EDGE = 5;

/** @type {WordedComparison} */
const comparison = readData('comparison');
/** @type {Section[]} */
const content = readData('content');
const { before, after, flame } = comparison;
const drawings = {
  runs: drawRuns,
  change: drawChange,
  flamegraph: () =>
    flame && makeDifferentialFlame(flame, { before: before.label, after: after.label }),
};
document.title = `${before.label} and ${after.label} – loadflame`;
mountPage(
  [
    renderCompareSummary(comparison, content),
    ...content.filter(({ id }) => id !== 'caveats').map(own => printSection(own, drawings)),
  ],
  ids => renderCompareHeader(comparison, ids),
);

/** The bar at the top. @param {WordedComparison} comparison @param {string[]} ids of the page's sections */
function renderCompareHeader({ before, after }, ids) {
  const facts = [before, after].map(
    ({ runs, label }) => `${label}: ${formatNumberOf(runs.length, 'run')}`,
  );
  return renderTop(h('span', {}, 'Comparison'), facts, ids);
}

/** The result, before anything else. @param {WordedComparison} comparison @param {Section[]} content */
function renderCompareSummary(comparison, content) {
  const { verdict, warnings } = comparison;
  const [level = '', word = ''] = CALL_LEVELS[verdict.level];
  return h(
    'section',
    { id: 'summary', 'aria-label': 'Verdict, caveats and key figures' },
    h(
      'div',
      { class: warnings.length > 0 && 'answers' },
      renderVerdict({
        ...(verdict.spoiled ? { level: 'warn', word: `${word}, with caveats` } : { level, word }),
        ...verdict.text,
      }),
      renderAside(content.find(({ id }) => id === 'caveats')),
    ),
    renderFigureList(KEY_MEASURES.flatMap(measures => keyFigure(comparison, measures) ?? [])),
  );
}

/** @param {WordedComparison} comparison @param {MeasureId[]} measures */
function keyFigure(comparison, measures) {
  const [change] = measures.flatMap(measure =>
    comparison.changes.filter(item => item.scope === 'overall' && item.measure === measure),
  );
  if (!change) return null;
  const cells = change.text;
  return {
    label: cells.measure,
    value: cells.change,
    className: `call-${change.call}`,
    notes: [
      `${cells.before} → ${cells.after}`,
      ...(cells.interval ? [`95 %: ${cells.interval}`] : []),
    ],
  };
}

/** @param {string} className @param {...Child} children */
function markOf(className, ...children) {
  const size = { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
  return svg('svg', { class: `mark ${className}`, ...size, 'aria-hidden': 'true' }, children);
}

/**
 * The value of every run, `before` above `after`: what the figures in the row are made from.
 * @param {[before: number[], after: number[]]} values
 */
function drawRuns([before, after]) {
  const all = [...before, ...after];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (/** @type {number} */ value) =>
    high > low ? EDGE + ((value - low) / (high - low)) * (WIDTH - 2 * EDGE) : WIDTH / 2;
  /** @param {number[]} values @param {number} cy @param {string} side */
  const dots = (values, cy, side) =>
    values.map(value => svg('circle', { cx: x(value).toFixed(1), cy, r: 3, class: side }));
  return markOf('', dots(before, 5.5, 'mark-before'), dots(after, 14.5, 'mark-after'));
}

/**
 * A relative change with its interval, around the line of "no change".
 * @param {Pick<Change, 'relative' | 'call'> & {reach: number}} change `reach`: what the ends of the drawing are
 */
function drawChange({ relative, call, reach }) {
  const { value, low, high } = relative ?? { value: null, low: null, high: null };
  const x = (/** @type {number} */ at) =>
    (WIDTH / 2 + Math.max(-1, Math.min(1, at / reach)) * (WIDTH / 2 - EDGE)).toFixed(1);
  const middle = HEIGHT / 2;
  return markOf(
    `call-${call}`,
    svg('line', { x1: WIDTH / 2, x2: WIDTH / 2, y1: 0, y2: HEIGHT, class: 'mark-zero' }),
    low !== null &&
      high !== null &&
      svg('line', { x1: x(low), x2: x(high), y1: middle, y2: middle, class: 'mark-interval' }),
    value !== null && svg('circle', { cx: x(value), cy: middle, r: 3.5, class: 'mark-value' }),
  );
}
