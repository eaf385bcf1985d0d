import { formatCount, formatMoment } from '../../../format.js';
import { h, section, severityTag } from '../dom.js';
import { table } from '../table.js';

/** @import { CompareReport } from '../../../compare/compare-report.d.ts' */

const VALIDITY_TAGS = /** @type {const} */ ({
  valid: ['good', 'valid'],
  doubtful: ['warn', 'doubtful'],
  invalid: ['bad', 'left out'],
});
const THRESHOLD_TAGS = /** @type {const} */ ({
  pass: ['good', 'kept'],
  fail: ['bad', 'failed'],
  uncertain: ['warn', 'uncertain'],
  unknown: ['info', 'not known'],
});

/** The runs of both sides and what is to be said of their quality. @param {CompareReport} comparison */
export function renderSides({ before, after }) {
  const rows = [before, after].flatMap(({ label, runs }) =>
    runs.map(run => {
      const [severity, word] = VALIDITY_TAGS[run.validity];
      return {
        cells: [
          h('span', { class: 'mono' }, run.id),
          label,
          formatMoment(run.startedAtMs),
          formatCount(run.requests),
          formatCount(run.samples),
          [severityTag(severity, word), run.reasons.join(' ')],
        ],
      };
    }),
  );
  return section(
    'runs',
    'Runs',
    table(
      'Runs of both sides and their quality',
      [
        { label: 'Run' },
        { label: 'Side' },
        { label: 'Start' },
        { label: 'Requests', number: true },
        { label: 'Active samples', number: true },
        { label: 'Quality' },
      ],
      rows,
    ),
  );
}

/** @param {CompareReport} comparison */
export function renderDifferences({ differences, before, after }) {
  if (differences.length === 0) return null;
  return section(
    'differences',
    'Settings and versions that differ',
    table(
      'Settings and versions that differ between the sides',
      [{ label: 'Name' }, { label: before.label }, { label: after.label }],
      differences.map(({ name, before: was, after: is }) => ({ cells: [name, was, is] })),
    ),
  );
}

/** @param {CompareReport} comparison */
export function renderThresholds({ thresholds }) {
  if (thresholds.length === 0) return null;
  return section(
    'thresholds',
    'Thresholds',
    table(
      'Thresholds and what was measured',
      [{ label: 'Threshold' }, { label: 'Of' }, { label: 'Result' }, { label: 'Measured' }],
      thresholds.map(({ text, endpoint, status, message }) => {
        const [severity, word] = THRESHOLD_TAGS[status];
        return {
          cells: [
            h('span', { class: 'mono' }, text),
            endpoint ?? 'the whole run',
            severityTag(severity, word),
            message,
          ],
        };
      }),
    ),
  );
}
