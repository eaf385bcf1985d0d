/** The report of a study as a document. Charts are drawn by the page alone. */
import { listPresent } from '../../base/files/maps.js';
import { formatChange, formatChangeInterval, formatNumberOf } from '../../base/format.js';
import { CELL_COLUMNS } from '../measures.js';
import {
  describeComparison,
  describeLoad,
  formatStep,
  labelVariant,
  listMeasuring,
} from '../study-words.js';
import { endSentence } from '../words.js';
import {
  amount,
  column,
  drawing,
  lede,
  list,
  muted,
  onPage,
  pairs,
  paragraph,
  section,
  table,
  tag,
} from './build.js';
import { describeFindings } from './run-machine.js';
import {
  describeBottlenecks,
  describeDrains,
  describeUse,
  describeVariants,
  describeWhy,
  variant,
  variantName,
} from './study-variants.js';

/** @import { StudyReport, VariantReport } from '../study-report.d.ts' */
/** @import { Document } from './document.d.ts' */
/** @typedef {StudyReport['cells'][number]} Cell */

const MOST_COMPARISONS = 10;
const HALF = 'with half of its 95 % interval';
const GAIN = 'over the row before';
const ABOUT_INTERVALS =
  'Intervals (95 %) are between repeats; figures of fewer than three have none.';

/** @param {StudyReport} report @returns {Document} */
export function describeStudy(report) {
  const { study, verdict, findings } = report;
  const why = study.status === 'partial' && study.reasons.map(({ text }) => text).join('; ');
  return {
    title: study.title,
    headline: {
      level: verdict.level,
      text: verdict.headline.text,
      sentences: [
        ...(why ? [endSentence(`Not complete: ${why}`)] : []),
        ...verdict.lines.map(({ text }) => text),
      ],
    },
    sections: listPresent(
      describeCapacity(report),
      describeLoadSection(report),
      describeVariants(report),
      describeSpikes(report),
      describeScaling(report),
      describeBottlenecks(report),
      describeUse(report),
      describeDrains(report),
      describeWhy(report),
      describeComparisons(report),
      findings.length > 0 ? describeFindings(findings) : null,
      describeCells(report),
      section('measuring', 'How it was measured', pairs(listMeasuring(report))),
    ),
    page: 'study.html',
  };
}

/** The objective: variants that reach it, and their headroom. @param {StudyReport} report */
function describeCapacity(report) {
  const { capacity, verdict } = report;
  if (!capacity) return null;
  const { answer, variants } = capacity;
  const percent = Math.round(capacity.headroom * 100);
  return section(
    'capacity',
    'Capacity',
    answer.id !== verdict.headline.id && paragraph(answer.text),
    table(
      'Capacity of each variant within the objective; never extrapolated past what was measured',
      variants,
      [
        column('', own => variantName(own.variant, report)),
        amount('within the objective', own => own.capacityPerSec, 'perSec', HALF),
        amount(`with ${percent} % headroom`, ({ usablePerSec }) => usablePerSec, 'perSec'),
        column('enough', ({ enough }) =>
          enough === null ? '–' : tag(enough ? 'good' : 'bad', enough ? 'yes' : 'no'),
        ),
        amount('needed', ({ needed }) => (needed === null ? '–' : `${needed}`)),
        column('', own => (own.capacityPerSec === null ? muted(own.text) : '')),
      ],
    ),
  );
}

/** Throughput and latency over load. @param {StudyReport} report */
function describeLoadSection(report) {
  const { load, variants } = report;
  if (variants.every(({ points }) => points.length === 0)) return null;
  const until = load.untilSaturated ? (load.stopRule?.text ?? 'saturated') : null;
  return section(
    'load',
    'Throughput and latency over load',
    lede(`${describeLoad(load, until)} ${ABOUT_INTERVALS}`),
    drawing('variant-picks', null),
    drawing('load-charts', null),
    onPage(describeCurves(report)),
  );
}

/** Saturation and fit of each curve. @param {StudyReport} report */
function describeCurves(report) {
  const sayLast = (/** @type {VariantReport} */ { points, stop }) =>
    `${formatStep(points.at(-1)?.step ?? null, report)}${stop ? `: ${stop.text}` : ''}`;
  return table('Saturation and fit of each curve', report.variants, [
    column('Variant', ({ label }, index) => variant(label, index)),
    column('Last step', sayLast, 'and why there was none after it'),
    column('Saturation', ({ saturation }) => saturation.text),
    column('Fit', ({ usl }) => usl.text, 'Universal Scalability Law'),
  ]);
}

/** Latency of each endpoint before, during and after a spike. @param {StudyReport} report */
function describeSpikes(report) {
  const rows = report.variants.flatMap(({ label, spikes = [] }, index) =>
    spikes.flatMap(({ endpoints, ...spike }) =>
      endpoints.map(one => ({ label, index, ...spike, ...one })),
    ),
  );
  return section(
    'spikes',
    'Before the spike, in it, after it',
    table('p95 of every endpoint before each spike, in it and after it, as long each', rows, [
      column('', ({ index, label }) => variant(label, index)),
      column('spike', ({ step }) => formatStep(step, report)),
      column('endpoint', ({ name }) => name),
      amount('p95 before', ({ p95Ms }) => p95Ms.before, 'ms'),
      amount('in it', ({ p95Ms }) => p95Ms.during, 'ms'),
      amount('after', ({ p95Ms }) => p95Ms.after, 'ms'),
      amount('failed in it', ({ errorRate }) => errorRate, 'share'),
      column('', ({ name, endpoint, isVictim, isJudged }) =>
        name === endpoint ? 'the spike' : isVictim ? 'slower' : isJudged ? '' : 'not judged',
      ),
    ]),
  );
}

/** The gain of more workers, processes or pods. @param {StudyReport} report */
function describeScaling({ scaling }) {
  const [{ over } = { over: '' }] = scaling;
  const rows = scaling.flatMap(({ label, points }) =>
    points.length > 1 ? points.map(point => ({ label, ...point })) : [],
  );
  return section(
    'scaling',
    `Scaling over ${over}`,
    list(scaling.map(({ text }) => text)),
    table(`Scaling over ${over}`, rows, [
      rows.some(({ label }) => label) && column('', ({ label }) => label),
      column(over, ({ value }) => `${value}`),
      amount('throughput', own => own.throughputPerSec, 'perSec', HALF),
      amount('gain', ({ gain }) => formatChange(gain?.value ?? null), undefined, GAIN),
      amount('95 % interval', ({ gain }) => (gain ? formatChangeInterval(gain) : '')),
      amount('efficiency', own => own.efficiency.value, 'share', 'of proportional scaling'),
    ]),
  );
}

/** Pairs of variants that differ in one factor. @param {StudyReport} report */
function describeComparisons(report) {
  const rows = report.comparisons.map(own => ({ ...own, texts: describeComparison(own) }));
  return section(
    'comparisons',
    'Pairs that differ in one factor',
    rows.length > 0 && lede('“~”: no significant difference, or too few runs to test it.'),
    table(
      'Pairs of variants that differ in one factor, the biggest difference first',
      rows,
      [
        column('before', own => labelVariant(own.before, report)),
        column('after', own => labelVariant(own.after, report)),
        amount('was', ({ texts }) => texts.before),
        amount('is', ({ texts }) => texts.after),
        amount('change', ({ call: level, texts }) => ({ text: texts.change, level })),
        amount('95 % interval', ({ texts }) => texts.interval),
        amount('p', ({ texts }) => texts.p),
        column('', ({ call }) => (call === 'none' ? '' : call)),
        column('measure', ({ label, unserved }) => `${label}${sayUnserved(unserved)}`),
      ],
      { most: MOST_COMPARISONS },
    ),
  );
}

/** @param {StudyReport['comparisons'][number]['unserved']} unserved */
const sayUnserved = unserved =>
  unserved ? `; ${unserved.users} of ${unserved.of} users completed nothing` : '';

const OUTCOMES = /** @type {const} */ ({ measured: 'good', failed: 'bad', missing: 'warn' });

/** Every cell, with its own report. @param {StudyReport} report */
function describeCells(report) {
  const { cells, throughputLabel } = report;
  const figures = CELL_COLUMNS.map(({ id, label, unit }) =>
    amount(label, (/** @type {Cell} */ cell) => cell[id], unit),
  );
  return onPage(
    section(
      'cells',
      `Cells (${formatNumberOf(cells.length, 'cell')})`,
      table(
        'Every cell of the study, with a link to its own report; sort with a click on a header',
        cells,
        [
          column('Variant', cell => variantName(cell.variant, report)),
          amount('Step', ({ step }) => step, 'count'),
          amount('Repeat', ({ repeat }) => repeat, 'count'),
          amount(`Throughput, ${throughputLabel}`, cell => cell.throughputPerSec, 'perSec'),
          ...figures,
          amount('Machine, cores', ({ hostCores }) => hostCores, 'cores'),
          column('Report', ({ outcome, folder, kind, reason }) => [
            ...(outcome === 'measured' ? [] : [tag(OUTCOMES[outcome], outcome)]),
            ...(folder
              ? [{ text: kind === 'profile' ? 'profile' : 'report', href: `${folder}/report.html` }]
              : []),
            reason ? ` ${reason}` : '',
          ]),
        ],
        { isSortable: true },
      ),
    ),
  );
}
