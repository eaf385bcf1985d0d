/** The tables of a study: fairness, comparisons, cells and the method. */
import { formatCores, formatCount, formatMs, formatPercent, formatRate } from '../../../format.js';
import { CELL_COLUMNS } from '../../../text/measures.js';
import {
  describeComparison,
  formatStep,
  labelVariant,
  listMeasuring,
  listSpikeRows,
} from '../../study/study-words.js';
import {
  bulletList,
  h,
  lede,
  muted,
  pairList,
  prose,
  relativeLink,
  section,
  severityTag,
} from '../dom.js';
import { amount, figure, measureColumns, table } from '../table.js';
import { makeLoadChart, scaleOfSteps } from './load-chart.js';
import { styleOfVariant, variantKey } from './variants.js';

/** @import { StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */
/** @import { Shown, VariantPicks } from './variants.js' */

/** How evenly work was spread. @param {StudyReport} report @param {VariantPicks} picks */
export function renderFairness(report, picks) {
  const rows = report.variants.flatMap((variant, index) =>
    variant.fairness.map(fairness => ({ variant, index, fairness })),
  );
  if (rows.length === 0) return null;
  /** @param {{of: string}} fairness @param {number | null} value */
  const spread = ({ of }, value) => (of === 'latency' ? formatMs : formatCount)(value);
  return section(
    'fairness',
    'Fairness',
    lede('Jain’s index is 1 where all got the same and 1/n where one of n got everything.'),
    rows.some(({ fairness }) => fairness.counts) &&
      h(
        'div',
        { class: 'charts' },
        makeLoadChart(() => describeUsers(report, picks.list()), picks),
      ),
    table('Fairness over workers, instances, users and responses', rows, [
      { label: 'Variant', cell: ({ variant, index }) => [variantKey(index), variant.label] },
      { label: 'Of', cell: ({ fairness }) => fairness.of },
      { label: 'At', cell: ({ fairness }) => formatStep(fairness.step, report) },
      amount('Number', ({ fairness }) => fairness.count, formatCount),
      figure('Min', ({ fairness }) => spread(fairness, fairness.min)),
      figure('Mean', ({ fairness }) => spread(fairness, fairness.mean)),
      figure('Median', ({ fairness }) => spread(fairness, fairness.median)),
      figure('Max', ({ fairness }) => spread(fairness, fairness.max)),
      figure('Jain', ({ fairness }) => fairness.jain?.toFixed(3) ?? '–'),
      { label: '', cell: ({ fairness }) => muted(prose(fairness.text)) },
    ]),
  );
}

/** What each user got, the most first. @param {StudyReport} report @param {Shown[]} shown @returns {Chart} */
function describeUsers(report, shown) {
  const users = shown.flatMap(({ variant, index }) =>
    variant.fairness.flatMap(({ counts, step }) =>
      counts ? { label: variant.label, index, counts, step } : [],
    ),
  );
  const counts = users.flatMap(own => own.counts);
  const steps = new Set(users.map(({ step }) => formatStep(step, report)));
  const where = steps.size === 1 ? ` at ${[...steps][0]}` : '';
  return {
    title: `What each user got${where}, the most first`,
    about: `Completed scenarios of each user${where}: ${users.map(({ label, counts: own }) => `${label} ${own.join(', ')}`).join('; ')}`,
    xLabel: 'user',
    yLabel: 'completed scenarios',
    x: scaleOfSteps(users.flatMap(own => own.counts.map((_, rank) => rank + 1))),
    y: { isLog: false, low: 0, high: Math.max(1, ...counts) },
    formatX: formatCount,
    sayX: rank => `user ${formatCount(rank)}`,
    formatY: formatCount,
    series: users.map(({ label, index, counts: own }) => ({
      name: label,
      ...styleOfVariant(index),
      joined: true,
      points: own.map((count, rank) => ({ x: rank + 1, y: count })),
    })),
  };
}

/** What each endpoint took before a spike, in it and after it. @param {StudyReport} report */
export function renderSpikes(report) {
  const rows = listSpikeRows(report);
  if (rows.length === 0) return null;
  return section(
    'spikes',
    'Before the spike, in it, after it',
    table('p95 of every endpoint before each spike, in it and after it, as long each', rows, [
      { label: 'Variant', cell: ({ index, label }) => [variantKey(index), label] },
      { label: 'Spike', cell: ({ step }) => formatStep(step, report) },
      { label: 'Endpoint', cell: ({ name }) => name },
      amount('p95 before', ({ p95Ms }) => p95Ms.before, formatMs),
      amount('In it', ({ p95Ms }) => p95Ms.during, formatMs),
      amount('After', ({ p95Ms }) => p95Ms.after, formatMs),
      amount('Failed in it', ({ errorRate }) => errorRate, formatPercent),
      { label: '', cell: ({ remark }) => remark },
    ]),
  );
}

/** Pairs of variants that differ in one factor. @param {StudyReport} report */
export function renderComparisons(report) {
  if (report.comparisons.length === 0) return null;
  const rows = report.comparisons.map(comparison => ({
    comparison,
    texts: describeComparison(comparison),
  }));
  return section(
    'comparisons',
    'Pairs that differ in one factor',
    lede(`“~”: no significant difference, or too few runs to test it.`),
    table('Pairs of variants that differ in one factor, the biggest difference first', rows, [
      { label: 'Before', cell: ({ comparison }) => labelVariant(comparison.before, report) },
      { label: 'After', cell: ({ comparison }) => labelVariant(comparison.after, report) },
      { label: 'Measure', cell: ({ comparison }) => comparison.label },
      figure('Was', ({ texts }) => texts.before),
      figure('Is', ({ texts }) => texts.after),
      figure('Change', ({ comparison, texts }) =>
        h('strong', { class: `call-${comparison.call}` }, texts.change),
      ),
      figure('95 % interval', ({ texts }) => texts.interval),
      figure('p', ({ texts }) => texts.p),
      { label: '', cell: ({ comparison: { call } }) => call !== 'none' && call },
    ]),
  );
}

/** Links stay below the study's folder, whatever a folder's name says. @param {string} folder */
export const reportLink = folder => relativeLink(`${folder}/report.html`);

const OUTCOMES = /** @type {const} */ ({ measured: 'good', failed: 'bad', missing: 'warn' });

/** @typedef {StudyReport['cells'][number]} Cell */

/** Every cell, with its own report. @param {StudyReport} report */
export function renderCells(report) {
  const { cells, components, throughputLabel } = report;
  const indexOf = (/** @type {Cell} */ { variant }) =>
    report.variants.findIndex(({ id }) => id === variant);
  return section(
    'cells',
    'Cells',
    table(
      'Every cell of the study, with a link to its own report; sort with a click on a header',
      cells,
      [
        {
          label: 'Variant',
          cell: cell => [
            variantKey(Math.max(0, indexOf(cell))),
            labelVariant(cell.variant, report),
          ],
          key: indexOf,
        },
        amount(
          'Step',
          ({ step }) => step,
          step => formatStep(step, report),
        ),
        amount('Repeat', ({ repeat }) => repeat, String),
        amount(`Throughput, ${throughputLabel}`, cell => cell.throughputPerSec, formatRate),
        ...measureColumns(CELL_COLUMNS, (cell, id) => cell[id]),
        ...components
          .filter(({ name }) => cells.some(({ cores }) => name in cores))
          .map(({ name, label }) =>
            amount(`${label}, cores`, ({ cores }) => cores[name], formatCores),
          ),
        amount('Machine, cores', ({ hostCores }) => hostCores, formatCores),
        {
          label: 'Report',
          cell: ({ outcome, folder, kind, reason }) => [
            outcome !== 'measured' && severityTag(OUTCOMES[outcome], outcome),
            folder &&
              h('a', { href: reportLink(folder) }, kind === 'profile' ? 'profile' : 'report'),
            reason && ` ${reason}`,
          ],
          key: ({ outcome }) => outcome,
        },
      ],
      { sorting: { column: -1, down: true } },
    ),
  );
}

/** With what, on what and how it was measured. @param {StudyReport} report */
export function renderMeasuring(report) {
  return section(
    'measuring',
    'How it was measured',
    pairList(listMeasuring(report), 'run-facts'),
    h('h3', {}, 'Files'),
    bulletList(
      FILES.map(([name = '', about]) => [h('a', { href: `./${name}` }, name), ` ${about}`]),
      { class: 'files' },
    ),
  );
}

const FILES = [
  ['study.json', 'everything on this page as data'],
  ['study.csv', 'one row per cell'],
  ['study.md', 'for a wiki, an issue or a pull request'],
];
