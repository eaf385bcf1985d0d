import {
  formatCores,
  formatCount,
  formatMs,
  formatPercent,
  formatRate,
  formatShare,
} from '../../../format.js';
import {
  describeComparison,
  describeIntervals,
  formatEstimate,
  formatStep,
  labelComponent,
  labelVariant,
  listMeasuring,
} from '../../study/study-words.js';
import { h, prose, safeColor, section, severityTag, swatch } from '../dom.js';
import { table } from '../table.js';
import { variantKey } from './variant-picks.js';

/** @import { Fairness, StudyReport, VariantReport } from '../../../study/study-report.d.ts' */

/** How evenly work spread. @param {StudyReport} report */
export function renderFairness(report) {
  const rows = report.variants.flatMap((variant, index) =>
    variant.fairness.map(fairness => ({ variant, index, fairness })),
  );
  if (rows.length === 0) return null;
  return section(
    'fairness',
    'How evenly it spread',
    h(
      'p',
      { class: 'lede' },
      'Jain’s index is 1 where all got the same and 1/n where one of n got everything.',
    ),
    table(
      'Fairness over workers, backends, users and answers',
      [
        { label: 'Variant' },
        { label: 'Of' },
        { label: 'At' },
        ...['Number', 'Min', 'Mean', 'Median', 'Max', 'Jain'].map(label => ({
          label,
          number: true,
        })),
        { label: '' },
      ],
      rows.map(({ variant, index, fairness }) => ({
        cells: [
          [variantKey(index), variant.label],
          fairness.of,
          formatStep(fairness.step, report),
          formatCount(fairness.count),
          ...amountsOf(fairness),
          fairness.jain === null ? '–' : fairness.jain.toFixed(3),
          h('span', { class: 'muted' }, prose(fairness.text)),
        ],
      })),
    ),
  );
}

/** @param {Fairness} fairness */
function amountsOf({ of, min, mean, median, max }) {
  return [min, mean, median, max].map(of === 'latency' ? formatMs : formatCount);
}

/** Whether more is dispatched than is completed. @param {StudyReport} report */
export function renderBacklog({ variants }) {
  const rows = variants.flatMap(({ label, backlog }, index) =>
    backlog
      ? [
          {
            cells: [
              [variantKey(index), label],
              backlog.stage ?? '–',
              formatRate(backlog.dispatchPerSec),
              formatRate(backlog.completionPerSec),
              formatEstimate(backlog.slopePerSec, formatRate),
              prose(backlog.text),
            ],
          },
        ]
      : [],
  );
  if (rows.length === 0) return null;
  return section(
    'backlog',
    'Dispatch and completion',
    table(
      'What was dispatched, what was completed, and how fast the backlog grew (Theil–Sen)',
      [
        { label: 'Variant' },
        { label: 'Before the stage' },
        { label: 'Dispatched', number: true },
        { label: 'Completed', number: true },
        { label: 'Backlog grows', number: true, about: 'with half of its 95 % interval' },
        { label: '' },
      ],
      rows,
    ),
  );
}

/** Where CPU time goes at the plateau. @param {StudyReport} report */
export function renderWhy(report) {
  const known = report.variants
    .map((variant, index) => ({ variant, index }))
    .filter(({ variant }) => variant.why);
  if (known.length === 0) return null;
  return section(
    'why',
    'Why: what the profile shows at the plateau',
    h(
      'p',
      { class: 'lede' },
      'Shares of the workers’ CPU, from one more cell with py-spy; that cell is not part of the figures above.',
    ),
    known.map(({ variant, index }) => renderProfile(variant, index, report)),
  );
}

/** @param {VariantReport} variant @param {number} index @param {StudyReport} report */
function renderProfile({ why, label }, index, report) {
  if (!why) return null;
  return h(
    'div',
    { class: 'why' },
    h(
      'h3',
      {},
      variantKey(index),
      label,
      h(
        'a',
        { class: 'why-link', href: reportLink(why.folder) },
        `report at ${formatStep(why.step, report)}`,
      ),
    ),
    h(
      'div',
      { class: 'stack', 'aria-hidden': 'true' },
      why.categories.map(category => {
        const part = h('span', { title: category.label }, h('span', {}, category.label));
        part.style.backgroundColor = safeColor(category.color);
        part.style.flexGrow = String(Math.max(0.001, category.share.value));
        return part;
      }),
    ),
    h(
      'ul',
      { class: 'layer-legend' },
      why.categories.map(category =>
        h(
          'li',
          {},
          swatch(category.color),
          `${category.label} `,
          h('strong', {}, formatShare(category.share)),
          category.cpuMs !== null && `, ${formatMs(category.cpuMs)} each`,
        ),
      ),
    ),
    h(
      'ul',
      { class: 'told' },
      why.sentences.map(sentence => h('li', {}, prose(sentence))),
    ),
  );
}

/** Pairs of variants that differ in one factor. @param {StudyReport} report */
export function renderComparisons(report) {
  const { comparisons } = report;
  if (comparisons.length === 0) return null;
  return section(
    'comparisons',
    'Pairs that differ in one factor',
    h(
      'p',
      { class: 'lede' },
      `“~”: no difference is called, what is seen may be chance. ${describeIntervals(report)}`,
    ),
    table(
      'Pairs of variants that differ in one factor, the biggest difference first',
      [
        { label: 'Before' },
        { label: 'After' },
        { label: 'Measure' },
        { label: 'Was', number: true },
        { label: 'Is', number: true },
        { label: 'Change', number: true },
        { label: '95 % interval', number: true },
        { label: 'p', number: true },
        { label: '' },
      ],
      comparisons.map(comparison => {
        const { before, after, change, interval, p } = describeComparison(comparison);
        const { label, step, call } = comparison;
        const told = call === 'none' ? '' : call;
        return {
          cells: [
            labelVariant(comparison.before, report),
            labelVariant(comparison.after, report),
            step === null ? label : `${label} at ${formatStep(step, report)}`,
            before,
            after,
            h('strong', { class: `call-${call}` }, change),
            interval,
            p,
            told,
          ],
        };
      }),
    ),
  );
}

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

/** A link that stays below the study's folder, whatever the name says. @param {string} folder */
function reportLink(folder) {
  const parts = folder.split('/').filter(part => part !== '..');
  return `./${[...parts, 'report.html'].map(encodeURIComponent).join('/')}`;
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
