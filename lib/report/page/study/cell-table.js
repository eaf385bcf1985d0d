import { formatCores, formatMs, formatPercent, formatRate } from '../../../format.js';
import {
  formatStep,
  labelComponent,
  labelVariant,
  listMeasuring,
} from '../../study/study-words.js';
import { h, section, severityTag } from '../dom.js';
import { table } from '../table.js';
import { reportLink } from './report-link.js';
import { variantKey } from './variant-picks.js';

/** @import { StudyReport } from '../../../study/study-report.d.ts' */

const OUTCOMES = /** @type {const} */ ({
  measured: ['good', 'measured'],
  failed: ['bad', 'failed'],
  missing: ['warn', 'missing'],
});

/** Every cell, with its own report. @param {StudyReport} report */
export function renderCells(report) {
  const { cells, components, throughputLabel } = report;
  const shown = components.filter(({ name }) => cells.some(({ cores }) => name in cores));
  const number = (/** @type {number | null} */ value) => value ?? -1;
  return section(
    'cells',
    'Cells',
    table(
      'Every cell of the study, with a link to its own report; headers sort',
      [
        { label: 'Variant' },
        { label: 'Step', number: true },
        { label: 'Repeat', number: true },
        { label: `Throughput, ${throughputLabel}`, number: true },
        ...['Median', 'p95', 'p99', 'Failed'].map(label => ({ label, number: true })),
        ...shown.map(({ name }) => ({
          label: `${labelComponent(name, report)}, cores`,
          number: true,
        })),
        { label: 'Machine, cores', number: true },
        { label: 'Report' },
      ],
      cells.map(cell => {
        const [, word] = OUTCOMES[cell.outcome];
        const index = report.variants.findIndex(({ id }) => id === cell.variant);
        const name = cell.kind === 'profile' ? 'profile' : 'report';
        return {
          cells: [
            [variantKey(Math.max(0, index)), labelVariant(cell.variant, report)],
            formatStep(cell.step, report),
            String(cell.repeat),
            formatRate(cell.throughputPerSec),
            ...[cell.p50Ms, cell.p95Ms, cell.p99Ms].map(formatMs),
            formatPercent(cell.errorRate),
            ...shown.map(own => formatCores(cell.cores[own.name] ?? null)),
            formatCores(cell.hostCores),
            [
              cell.outcome !== 'measured' && severityTag(OUTCOMES[cell.outcome][0], word),
              cell.folder && h('a', { href: reportLink(cell.folder) }, name),
              cell.reason && ` ${cell.reason}`,
            ],
          ],
          keys: [
            index,
            cell.step,
            cell.repeat,
            number(cell.throughputPerSec),
            ...[cell.p50Ms, cell.p95Ms, cell.p99Ms, cell.errorRate].map(number),
            ...shown.map(own => number(cell.cores[own.name] ?? null)),
            number(cell.hostCores),
            word,
          ],
        };
      }),
    ),
  );
}

/** With what, on what and how it was measured. @param {StudyReport} report */
export function renderMeasuring(report) {
  return section(
    'measuring',
    'How it was measured',
    h(
      'dl',
      { class: 'run-facts' },
      listMeasuring(report).map(([name, value]) =>
        h('div', {}, h('dt', {}, name), h('dd', {}, value)),
      ),
    ),
    h('h3', {}, 'Files'),
    h(
      'ul',
      { class: 'files' },
      FILES.map(([name = '', about]) =>
        h('li', {}, h('a', { href: `./${name}` }, name), ` ${about}`),
      ),
    ),
  );
}

const FILES = [
  ['study.json', 'all of this page as data'],
  ['study.csv', 'a row for each cell'],
  ['study.md', 'for a wiki, an issue or a pull request'],
];
