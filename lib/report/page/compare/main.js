/** The page of a comparison. */
import { formatNumberOf } from '../../../base/format.js';
import { printSection } from '../../print/html.js';
import { h, mountPage, readData } from '../dom.js';
import { makeDifferentialFlame } from '../flame/flame-diff.js';
import { renderSummary, renderTop } from '../overview.js';

/** @import { MeasureId } from '../../../run/facts/compare-report.d.ts' */
/** @import { Section } from '../../../text/document/document.d.ts' */
/** @import { WordedComparison } from '../../../text/worded-comparison.d.ts' */

const CALL_LEVELS = {
  better: ['good', 'Better'],
  worse: ['bad', 'Worse'],
  mixed: ['warn', 'Better and worse'],
  none: ['unknown', 'No significant difference'],
  unknown: ['unknown', 'Not enough runs'],
  invalid: ['invalid', 'Invalid comparison'],
};
/** @type {MeasureId[][]} of each list, the first known measure is shown */
const KEY_MEASURES = [
  ['throughputPerSec'],
  ['cpuMsPerRequest'],
  ['total.p95Ms', 'timeToFirstByte.p95Ms'],
  ['errorRate'],
];
/** @type {WordedComparison} */
const comparison = readData('comparison');
/** @type {Section[]} */
const content = readData('content');
const { before, after, flame } = comparison;
const drawings = {
  flamegraph: () =>
    flame && makeDifferentialFlame(flame, { before: before.label, after: after.label }),
};
document.title = `${before.label} and ${after.label} – loadflame`;
const summary = renderCompareSummary(comparison, content);
const sections = content.filter(({ id }) => id !== 'caveats');
const printed = sections.map(own => printSection(own, drawings));
mountPage([summary, ...printed], ids => renderCompareHeader(comparison, ids));

/** The bar at the top. @param {WordedComparison} comparison @param {string[]} ids of the page's sections */
function renderCompareHeader({ before, after }, ids) {
  const facts = [before, after].map(
    ({ runs, label }) => `${label}: ${formatNumberOf(runs.length, 'run')}`,
  );
  return renderTop(h('span', {}, 'Comparison'), facts, ids);
}

/** The result, before anything else. @param {WordedComparison} comparison @param {Section[]} content */
function renderCompareSummary(comparison, content) {
  const { verdict } = comparison;
  const [level = '', word = ''] = CALL_LEVELS[verdict.level];
  return renderSummary({
    about: 'Verdict, caveats and key figures',
    verdict: {
      ...(verdict.spoiled ? { level: 'warn', word: `${word}, with caveats` } : { level, word }),
      ...verdict.text,
    },
    aside: content.find(({ id }) => id === 'caveats'),
    figures: KEY_MEASURES.map(measures => keyFigure(comparison, measures)),
  });
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
