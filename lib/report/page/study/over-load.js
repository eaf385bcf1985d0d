import { describeIntervals, describeLoad, formatStep } from '../../study/study-words.js';
import { h, prose, section } from '../dom.js';
import { table } from '../table.js';
import { makeLoadChart } from './load-chart.js';
import {
  canCarryCurve,
  describeConcurrency,
  describeLatency,
  describeThroughput,
} from './load-descriptions.js';
import { variantKey } from './variant-picks.js';

/** @import { StudyReport } from '../../../study/study-report.d.ts' */
/** @import { VariantPicks } from './variant-picks.js' */

/**
 * Throughput and latency over load, with what the curves say of each variant.
 * @param {StudyReport} report
 * @param {VariantPicks} picks
 */
export function renderOverLoad(report, picks) {
  const { variants } = report;
  if (variants.every(({ points }) => points.length === 0)) return null;
  const shown = () =>
    variants
      .map((variant, index) => ({ variant, index }))
      .filter(({ variant }) => picks.isShown(variant.id) && variant.points.length > 0);
  const hasFit = variants.some(({ usl }) => usl.curve.length > 0);
  const charts = [
    makeLoadChart(() => describeThroughput(report, shown())),
    makeLoadChart(() => describeLatency(report, shown())),
    ...(hasFit && !variants.every(canCarryCurve(report))
      ? [makeLoadChart(() => describeConcurrency(report, shown()))]
      : []),
  ];
  for (const chart of charts) picks.subscribe(chart.show);
  return section(
    'load',
    'Throughput and latency over load',
    h('p', { class: 'lede' }, `${describeLoad(report)} ${describeIntervals(report)}`),
    picks.element,
    h(
      'div',
      { class: 'charts' },
      charts.map(({ element }) => element),
    ),
    h('p', { class: 'lede small' }, explainMarks(hasFit)),
    renderCurves(report),
  );
}

/** @param {boolean} hasFit */
function explainMarks(hasFit) {
  const fit = hasFit
    ? ' Smooth curves are the Universal Scalability Law with its 95 % band, drawn where it is valid; past what was measured they are dotted.'
    : '';
  return `A ring is where throughput levels off. The short line at the foot is the knee: with more under way than that, requests queue. Hollow points are those at which the load generator was the limit.${fit}`;
}

/** What can be said of each curve, and what can not. @param {StudyReport} report */
function renderCurves(report) {
  const { variants } = report;
  return h(
    'details',
    { class: 'curves' },
    h('summary', {}, 'What the curves say: saturation, fit and Little’s law'),
    table(
      'What the curve of each variant says',
      [
        { label: 'Variant' },
        { label: 'Ends at', about: 'the last step, and why there was none after it' },
        { label: 'Saturation' },
        { label: 'Fit', about: 'Universal Scalability Law' },
        { label: 'Little’s law' },
      ],
      variants.map(({ label, points, saturation, usl, little, stop }, index) => ({
        cells: [
          [variantKey(index), label],
          [formatStep(points.at(-1)?.step ?? null, report), stop && `: ${stop.text}`],
          prose(saturation.text),
          prose(usl.text),
          prose(little.text),
        ],
      })),
    ),
  );
}
