import { formatNumberOf } from '../../../format.js';
import { bulletList, h, prose, severityTag } from '../dom.js';
import { renderFigureList, renderTop, renderVerdict } from '../overview.js';
import { callClass } from './changes.js';

/** @import { MeasureId } from '../../../facts/compare-report.d.ts' */
/** @import { WordedComparison } from '../../../text/worded-comparison.d.ts' */

/** @type {[string, string][]} */
const SECTIONS_OF_COMPARISON = [
  ['summary', 'Summary'],
  ['thresholds', 'Thresholds'],
  ['overall', 'Whole run'],
  ['categories', 'CPU time'],
  ['endpoints', 'Endpoints'],
  ['flamegraph', 'Flamegraph'],
  ['runs', 'Runs'],
  ['differences', 'Settings'],
];
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

/** The bar at the top. @param {WordedComparison} comparison @param {string[]} ids of the sections that are there */
export function renderCompareHeader({ before, after }, ids) {
  const facts = [before, after].map(
    ({ runs, label }) => `${label}: ${formatNumberOf(runs.length, 'run')}`,
  );
  return renderTop(h('span', {}, 'Comparison'), facts, SECTIONS_OF_COMPARISON, ids);
}

/** The result, before anything else. @param {WordedComparison} comparison */
export function renderCompareSummary(comparison) {
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
      warnings.length > 0 &&
        h(
          'div',
          { class: 'findings-block' },
          h('h2', {}, 'Caveats'),
          bulletList(
            warnings.map(({ severity, text }) => [
              severityTag(severity),
              h('span', {}, prose(text)),
            ]),
            { class: 'findings doubts' },
          ),
        ),
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
    className: callClass(change),
    notes: [
      `${cells.before} → ${cells.after}`,
      ...(cells.interval ? [`95 %: ${cells.interval}`] : []),
    ],
  };
}
