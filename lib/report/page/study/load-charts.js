/** Throughput and latency over load, with what the curves say of each variant. */
import {
  formatCount,
  formatEstimate,
  formatMs,
  formatPercent,
  formatRate,
} from '../../../format.js';
import { formatStep } from '../../../text/study-words.js';
import { h, lede } from '../dom.js';
import { makeLoadChart, scaleOfSteps, scaleOfTimes } from './load-chart.js';
import { styleOfVariant } from './variants.js';

/** @import { StudyReport, VariantReport } from '../../../text/study-report.d.ts' */
/** @import { Chart, ChartMark, ChartSeries } from './load-chart.js' */
/** @import { Shown, VariantPicks } from './variants.js' */

/** @param {StudyReport} report @param {VariantPicks} picks */
export function makeLoadCharts(report, picks) {
  const { variants } = report;
  const hasFailures = variants.some(({ points }) => points.some(({ errorRate }) => errorRate > 0));
  const hasFit = variants.some(({ usl }) => usl.curve.length > 0);
  const describers = [
    describeThroughput,
    describeLatency,
    ...(hasFailures ? [describeFailures] : []),
    ...(hasFit && !variants.every(canCarryCurve(report)) ? [describeConcurrency] : []),
  ];
  const fit = hasFit
    ? ' Smooth curves are the Universal Scalability Law with its 95 % band, drawn where it is valid; past what was measured they are dotted.'
    : '';
  return [
    h(
      'div',
      { class: 'charts' },
      describers.map(describe => makeLoadChart(() => describe(report, picks.list()), picks)),
    ),
    lede(
      `A ring marks where throughput levels off. The short line at the bottom is the knee: with more requests in progress, some have to queue. Hollow points: the load generator was the bottleneck.${fit}`,
    ),
  ];
}

/** A curve over N is drawn on an axis of users only where as many are in progress. */
const ALIKE = 0.15;
/** More names than these cover each other. */
const NAMED_MARKS = 3;

/** @param {StudyReport} report @returns {(variant: VariantReport) => boolean} */
const canCarryCurve =
  ({ load }) =>
  ({ points }) =>
    load.unit === 'users' &&
    points.every(
      ({ step, inFlight }) => inFlight !== null && Math.abs(inFlight / step - 1) <= ALIKE,
    );

const X_LABELS = {
  users: 'virtual users (closed)',
  'per second': 'arrivals per second (open)',
  'at once': 'requests at once',
};

/** The axis of steps, which says what model the load is. @param {StudyReport} report */
export function xOfSteps(report) {
  const { load, variants } = report;
  const steps = variants.flatMap(({ points }) => points.map(({ step }) => step));
  const ends = variants
    .filter(canCarryCurve(report))
    .flatMap(({ usl }) => usl.curve.at(-1)?.n ?? []);
  const x = scaleOfSteps(steps);
  return {
    x: x.isLog ? { ...x, high: Math.max(x.high, ...ends) } : x,
    xLabel: X_LABELS[load.unit],
    formatX: (/** @type {number} */ step) => formatCount(step),
    sayX: (/** @type {number} */ step) => formatStep(step, report),
  };
}

/** @param {StudyReport} report @param {Shown[]} shown @returns {Chart} */
function describeThroughput(report, shown) {
  const isAlike = canCarryCurve(report);
  const series = shown.map(({ variant, index }) => {
    const curve = isAlike(variant) ? curveOf(variant) : [];
    return {
      name: variant.label,
      ...styleOfVariant(index),
      joined: curve.length === 0,
      points: variant.points.map(({ step, throughputPerSec, isGeneratorLimit }) => ({
        x: step,
        y: throughputPerSec.value,
        low: throughputPerSec.low,
        high: throughputPerSec.high,
        text: formatEstimate(throughputPerSec, formatRate),
        hollow: isGeneratorLimit,
      })),
      curve,
    };
  });
  return {
    title: 'Throughput',
    about: `Throughput over load: ${listSaturations(shown)}. The table of cells has all values.`,
    yLabel: report.throughputLabel,
    formatY: formatRate,
    y: { isLog: false, low: 0, high: highestOf(series) },
    ...xOfSteps(report),
    series,
    marks: shown.flatMap(({ variant, index }) => {
      const { saturation, points } = variant;
      const { color } = styleOfVariant(index);
      const ring = points.find(({ step }) => step === saturation.step);
      const knee = isAlike(variant) ? saturation.kneeInFlight : null;
      /** @type {(ChartMark | null)[]} */
      const marks = [
        ring ? { along: 'point', at: ring.step, y: ring.throughputPerSec.value, color } : null,
        knee && {
          along: 'x',
          at: knee.value,
          color,
          label: shown.length <= NAMED_MARKS ? 'knee' : '',
        },
      ];
      return marks.filter(mark => mark !== null);
    }),
  };
}

/** @param {VariantReport} variant */
const curveOf = ({ usl }) => usl.curve.map(({ n, x, low, high }) => ({ x: n, y: x, low, high }));

/** @param {Shown[]} shown */
const listSaturations = shown =>
  shown.map(({ variant }) => `${variant.label}: ${variant.saturation.text}`).join('; ');

/** @param {ChartSeries[]} series */
function highestOf(series) {
  return Math.max(
    1e-9,
    ...series.flatMap(({ points }) => points.map(({ y, high }) => Math.min(high ?? y, 2 * y))),
  );
}

/** @param {StudyReport} report @param {Shown[]} shown @returns {Chart} */
function describeLatency(report, shown) {
  const series = shown.flatMap(({ variant, index }) => {
    const { color } = styleOfVariant(index);
    const of = (/** @type {'p50Ms' | 'p95Ms'} */ which) =>
      variant.points.flatMap(({ step, latency, isGeneratorLimit }) => {
        if (!latency) return [];
        const text = `${formatMs(latency.p95Ms)}, median ${formatMs(latency.p50Ms)}`;
        return { x: step, y: latency[which], text, hollow: isGeneratorLimit };
      });
    return [
      { name: `${variant.label}, p95`, color, points: of('p95Ms') },
      { name: 'median', color, dash: [2, 3], width: 1.5, isBare: true, points: of('p50Ms') },
    ];
  });
  const objective = report.capacity?.p95Ms ?? null;
  const values = series.flatMap(({ points }) => points.map(({ y }) => y));
  return {
    title: 'Latency: p95 solid, median dotted',
    about: `Latency over load, median and p95 of ${shown.map(({ variant }) => variant.label).join('; ')}. The table of cells has all values.`,
    yLabel: 'latency',
    formatY: formatMs,
    y: scaleOfTimes(objective === null ? values : [...values, objective]),
    ...xOfSteps(report),
    series,
    ...(objective !== null && {
      marks: [
        {
          along: 'y',
          at: objective,
          color: '--bad',
          label: `objective: p95 < ${formatMs(objective)}`,
        },
      ],
    }),
  };
}

/** @param {StudyReport} report @param {Shown[]} shown @returns {Chart} */
function describeFailures(report, shown) {
  const series = shown.map(({ variant: { label, points }, index }) => ({
    name: label,
    ...styleOfVariant(index),
    joined: true,
    points: points.map(({ step, errorRate, isGeneratorLimit }) => ({
      x: step,
      y: errorRate,
      hollow: isGeneratorLimit,
    })),
  }));
  const high = Math.max(0.01, ...series.flatMap(({ points }) => points.map(({ y }) => y)));
  return {
    title: 'Failed requests',
    about: `Share of requests that failed over load, of ${shown.map(({ variant }) => variant.label).join('; ')}. The table of cells has all values.`,
    yLabel: 'failed',
    y: { isLog: false, low: 0, high },
    formatY: formatPercent,
    ...xOfSteps(report),
    series,
  };
}

/** @param {StudyReport} report @param {Shown[]} shown @returns {Chart} */
function describeConcurrency(report, shown) {
  const series = shown.map(({ variant, index }) => ({
    name: variant.label,
    ...styleOfVariant(index),
    joined: variant.usl.curve.length === 0,
    points: variant.points
      .flatMap(({ inFlight, throughputPerSec: { value, low, high }, isGeneratorLimit }) =>
        inFlight === null ? [] : [{ x: inFlight, y: value, low, high, hollow: isGeneratorLimit }],
      )
      .sort((a, b) => a.x - b.x),
    curve: curveOf(variant),
  }));
  const x = scaleOfSteps(
    series.flatMap(({ points, curve }) => [...points, ...curve].map(own => own.x)),
  );
  const ticks = Array.from({ length: 20 }, (_, power) => 2 ** (power - 4)).filter(
    tick => tick >= x.low && tick <= x.high,
  );
  return {
    title: 'Throughput over requests in progress',
    about: `Throughput over the mean number of requests in progress: ${listSaturations(shown)}`,
    xLabel: 'requests in progress (mean)',
    yLabel: report.throughputLabel,
    x: { ...x, ticks },
    y: { isLog: false, low: 0, high: highestOf(series) },
    formatX: value => (value < 1 ? String(value) : formatCount(value)),
    sayX: value => `${value.toFixed(1)} in progress`,
    formatY: formatRate,
    series,
  };
}
