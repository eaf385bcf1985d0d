import { h, prose } from './dom.js';
import { renderFigures } from './figures.js';
import { renderFindings } from './findings.js';

/** @import { Report } from '../../analysis/report.d.ts' */

const LEVELS = {
  good: 'All right',
  warn: 'Look at this',
  bad: 'Problem',
  invalid: 'Not valid',
  unknown: 'Not enough data',
};

/** The answers, before anything else: verdict, findings, key figures. @param {Report} report */
export function renderSummary(report) {
  const { verdict, run } = report;
  return h(
    'section',
    { id: 'summary', 'aria-label': 'Verdict, findings and key figures' },
    run.status === 'partial' &&
      h(
        'div',
        { class: 'banner', role: 'note' },
        h(
          'p',
          {},
          h('strong', {}, 'Partial run.'),
          ' Something ended early; the numbers cover what was measured until then.',
        ),
        h(
          'ul',
          {},
          run.reasons.map(reason => h('li', {}, reason)),
        ),
      ),
    h(
      'div',
      { class: 'answers' },
      h(
        'div',
        { class: `verdict verdict-${verdict.level}` },
        h('p', { class: 'level' }, LEVELS[verdict.level]),
        h('h1', { class: 'headline' }, prose(verdict.headline)),
        verdict.sentences.length > 0 &&
          h(
            'ul',
            { class: 'sentences' },
            verdict.sentences.map(sentence => h('li', {}, prose(sentence))),
          ),
      ),
      renderFindings(report),
    ),
    renderFigures(report),
  );
}
