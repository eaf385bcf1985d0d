import { formatNumberOf } from '../../../format.js';
import { describeChangeCells } from '../../compare/change-words.js';
import { h, prose, severityTag } from '../dom.js';
import { callClass } from './change-marks.js';

/** @import { Change, CompareReport, MeasureId } from '../../../compare/compare-report.d.ts' */

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
  none: ['unknown', 'No difference shown'],
  unknown: ['unknown', 'Not enough runs'],
  invalid: ['invalid', 'Not valid'],
};
/** @type {MeasureId[][]} the first that is known of each */
const KEY_MEASURES = [
  ['throughputPerSec'],
  ['cpuMsPerRequest'],
  ['total.p95Ms', 'timeToFirstByte.p95Ms'],
  ['errorRate'],
];

/** The bar at the top. @param {CompareReport} comparison @param {string[]} ids of the sections that are there */
export function renderCompareHeader({ before, after }, ids) {
  const count = (/** @type {CompareReport['before']} */ { runs, label }) =>
    h('li', {}, `${label}: ${formatNumberOf(runs.length, 'run')}`);
  return h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'run' },
      h('span', { class: 'brand' }, 'loadflame'),
      h('span', {}, 'Comparison'),
      h('ul', { class: 'facts' }, count(before), count(after)),
    ),
    h(
      'nav',
      { 'aria-label': 'Sections' },
      SECTIONS_OF_COMPARISON.filter(([id = '']) => ids.includes(id)).map(([id, label]) =>
        h('a', { href: `#${id}` }, label),
      ),
    ),
  );
}

/** The answer, before anything else. @param {CompareReport} comparison */
export function renderCompareSummary(comparison) {
  const { verdict, warnings } = comparison;
  const [level, word] = CALL_LEVELS[verdict.level];
  return h(
    'section',
    { id: 'summary', 'aria-label': 'Verdict, doubts and key figures' },
    h(
      'div',
      { class: warnings.length > 0 ? 'answers' : null },
      h(
        'div',
        { class: `verdict verdict-${level}` },
        h('p', { class: 'level' }, word),
        h('h1', { class: 'headline' }, prose(verdict.headline)),
        h(
          'ul',
          { class: 'sentences' },
          verdict.sentences.map(sentence => h('li', {}, prose(sentence))),
        ),
      ),
      warnings.length > 0 &&
        h(
          'div',
          { class: 'findings-block' },
          h('h2', {}, 'What speaks against it'),
          h(
            'ul',
            { class: 'findings doubts' },
            warnings.map(({ severity, text }) =>
              h('li', {}, severityTag(severity), h('span', {}, prose(text))),
            ),
          ),
        ),
    ),
    h(
      'dl',
      { class: 'figures' },
      KEY_MEASURES.map(measures => keyFigure(comparison, measures)),
    ),
  );
}

/** @param {CompareReport} comparison @param {MeasureId[]} measures */
function keyFigure(comparison, measures) {
  /** @type {Change | undefined} */
  const change = measures
    .flatMap(measure =>
      comparison.changes.filter(item => item.scope === 'overall' && item.measure === measure),
    )
    .at(0);
  if (!change) return null;
  const cells = describeChangeCells(change, comparison);
  return h(
    'div',
    {},
    h('dt', {}, cells.label),
    h(
      'dd',
      {},
      h('span', { class: `value ${callClass(change)}` }, cells.change),
      h('span', { class: 'note' }, `${cells.before} → ${cells.after}`),
      cells.interval && h('span', { class: 'note' }, `95 %: ${cells.interval}`),
    ),
  );
}
