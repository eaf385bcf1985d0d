import { formatCount, formatMoment } from '../../../format.js';
import { h, lede, mono, mountPage, section, severityTag } from '../dom.js';
import { makeDifferentialFlame } from '../flame/flame-diff.js';
import { amount, table } from '../table.js';
import { renderCategoryChanges, renderEndpointChanges, renderOverallChanges } from './changes.js';
import { renderCompareHeader, renderCompareSummary } from './compare-summary.js';

/** @import { WordedComparison } from '../../../text/worded-comparison.d.ts' */

const RELIABILITY_TAGS = /** @type {const} */ ({
  valid: ['good', 'valid'],
  doubtful: ['warn', 'doubtful'],
  invalid: ['bad', 'left out'],
});
const THRESHOLD_TAGS = /** @type {const} */ ({
  pass: ['good', 'passed'],
  fail: ['bad', 'failed'],
  uncertain: ['warn', 'uncertain'],
  unknown: ['info', 'unknown'],
});

/** @param {readonly [Parameters<typeof severityTag>[0], string]} tag */
const tagOf = ([severity, word]) => severityTag(severity, word);

/** @type {WordedComparison} */
const comparison = JSON.parse(document.getElementById('comparison')?.textContent ?? '');
document.title = `${comparison.before.label} and ${comparison.after.label} – loadflame`;
mountPage(
  [
    renderCompareSummary(comparison),
    renderThresholds(comparison),
    renderOverallChanges(comparison),
    renderCategoryChanges(comparison),
    renderEndpointChanges(comparison),
    renderFlame(comparison),
    renderSides(comparison),
    renderDifferences(comparison),
    h('p', { class: 'lede small' }, comparison.method),
  ],
  ids => renderCompareHeader(comparison, ids),
);

/** @param {WordedComparison} comparison */
function renderFlame({ flame, basis, before, after }) {
  if (!flame) return null;
  const unit = flame.unit === 'ms' ? 'CPU time per request' : 'share of the CPU samples';
  const noise =
    basis === 'within-run'
      ? ' With one run a side, the noise is that of the samples, and 10 % for how much runs differ.'
      : '';
  return section(
    'flamegraph',
    'Where it changed',
    lede(
      `Width: ${unit} of one side. Coloured is what changed by more than the noise: orange costs more after, blue less.${noise}`,
    ),
    makeDifferentialFlame(flame, { before: before.label, after: after.label }),
  );
}

/** The runs of both sides and the quality of their measurements. @param {WordedComparison} comparison */
function renderSides({ before, after }) {
  return section(
    'runs',
    'Runs',
    table(
      'Runs of both sides and their quality',
      [before, after].flatMap(({ label, runs }) => runs.map(run => ({ label, run }))),
      [
        { label: 'Run', cell: ({ run }) => linkRun(run) },
        { label: 'Side', cell: ({ label }) => label },
        { label: 'Start', cell: ({ run }) => formatMoment(run.startedAtMs) },
        amount('Requests', ({ run }) => run.requests, formatCount),
        amount('Active samples', ({ run }) => run.samples, formatCount),
        {
          label: 'Quality',
          cell: ({ run: { reliability, reasons } }) => [
            tagOf(RELIABILITY_TAGS[reliability]),
            reasons.map(({ text }) => text).join(' '),
          ],
        },
      ],
    ),
  );
}

/** A run, and the way to its report where that is known. @param {WordedComparison['before']['runs'][number]} run */
function linkRun({ id, report }) {
  if (!report) return mono(id);
  const href = `./${report.split('/').map(encodeURIComponent).join('/')}`;
  return h('a', { class: 'mono', href }, id);
}

/** @param {WordedComparison} comparison */
function renderDifferences({ differences, before, after }) {
  if (differences.length === 0) return null;
  return section(
    'differences',
    'Settings and versions that differ',
    table('Settings and versions that differ between the sides', differences, [
      { label: 'Name', cell: ({ name }) => name },
      { label: before.label, cell: difference => difference.before },
      { label: after.label, cell: difference => difference.after },
    ]),
  );
}

/** @param {WordedComparison} comparison */
function renderThresholds({ thresholds }) {
  if (thresholds.length === 0) return null;
  return section(
    'thresholds',
    'Thresholds',
    table('Thresholds and what was measured', thresholds, [
      { label: 'Threshold', cell: ({ expression }) => mono(expression) },
      { label: 'Of', cell: ({ endpoint }) => endpoint ?? 'the whole run' },
      { label: 'Result', cell: ({ status }) => tagOf(THRESHOLD_TAGS[status]) },
      { label: 'Measured', cell: ({ text }) => text },
    ]),
  );
}
