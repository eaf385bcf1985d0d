/** What the charts over load show: plain data from a report and the variants that are picked. */
import { formatCount, formatMs, formatRate } from '../../../format.js';
import { formatEstimate, formatStep } from '../../study/study-words.js';
import { scaleOfSteps, scaleOfTimes } from './load-scale.js';
import { styleOfVariant } from './variant-picks.js';

/** @import { StudyReport, VariantReport } from '../../../study/study-report.d.ts' */
/** @import { Chart, ChartMark, ChartSeries } from './load-chart.js' */

/** A curve over N stands on an axis of users only where as many are under way. */
const ALIKE = 0.15;
/** More names than these cover each other. */
const NAMED_MARKS = 3;

/** @param {StudyReport} report @returns {(variant: VariantReport) => boolean} */
export const canCarryCurve =
  ({ load }) =>
  ({ points }) =>
    load.unit === 'users' &&
    points.every(
      ({ step, inFlight }) => inFlight !== null && Math.abs(inFlight / step - 1) <= ALIKE,
    );

/** @typedef {{variant: VariantReport, index: number}[]} Shown */

/** The axis of steps, which says what model the load is. @param {StudyReport} report */
export function xOfSteps(report) {
  const { load, variants } = report;
  const steps = [...new Set(variants.flatMap(({ points }) => points.map(({ step }) => step)))];
  steps.sort((a, b) => a - b);
  const ends = variants
    .filter(canCarryCurve(report))
    .flatMap(({ usl }) => usl.curve.at(-1)?.n ?? []);
  const x = scaleOfSteps(steps);
  return {
    x: x.isLog ? { ...x, high: Math.max(x.high, ...ends) } : x,
    xLabel: load.unit === 'users' ? 'users (closed)' : 'arrivals per second (open)',
    formatX: (/** @type {number} */ step) => formatCount(step),
    sayX: (/** @type {number} */ step) => formatStep(step, report),
  };
}

/** @param {StudyReport} report @param {Shown} shown @returns {Chart} */
export function describeThroughput(report, shown) {
  const isAlike = canCarryCurve(report);
  /** @type {ChartMark[]} */
  const marks = shown.flatMap(({ variant, index }) => {
    const { saturation, points, label } = variant;
    const { color } = styleOfVariant(index);
    const ring = points.find(({ step }) => step === saturation.step);
    const knee = isAlike(variant) ? saturation.kneeInFlight : null;
    return [
      ...(ring
        ? [
            {
              along: /** @type {const} */ ('point'),
              at: ring.step,
              y: ring.throughputPerSec.value,
              color,
              label,
            },
          ]
        : []),
      ...(knee
        ? [
            {
              along: /** @type {const} */ ('x'),
              at: knee.value,
              color,
              label: shown.length <= NAMED_MARKS ? 'knee' : '',
            },
          ]
        : []),
    ];
  });
  const series = shown.map(({ variant, index }) => {
    const { usl, label, points } = variant;
    const curve = isAlike(variant) ? usl.curve : [];
    return {
      name: label,
      ...styleOfVariant(index),
      joined: curve.length === 0,
      points: points.map(({ step, throughputPerSec, isGeneratorLimit }) => ({
        x: step,
        y: throughputPerSec.value,
        low: throughputPerSec.low,
        high: throughputPerSec.high,
        text: formatEstimate(throughputPerSec, formatRate),
        hollow: isGeneratorLimit,
      })),
      curve: curve.map(({ n, x, low, high }) => ({ x: n, y: x, low, high })),
    };
  });
  return {
    title: 'Throughput',
    about: `Throughput over load: ${sayPeaks(shown)}. The table of cells has all values.`,
    yLabel: report.throughputLabel,
    formatY: formatRate,
    y: { isLog: false, low: 0, high: highestOf(series) },
    ...xOfSteps(report),
    series,
    marks,
  };
}

/** @param {Shown} shown */
const sayPeaks = shown =>
  shown.map(({ variant }) => `${variant.label}: ${variant.saturation.text}`).join('; ');

/** @param {ChartSeries[]} series */
function highestOf(series) {
  return Math.max(
    1e-9,
    ...series.flatMap(({ points }) => points.map(({ y, high }) => Math.min(high ?? y, 2 * y))),
  );
}

/** @param {StudyReport} report @param {Shown} shown @returns {Chart} */
export function describeLatency(report, shown) {
  const series = shown.flatMap(({ variant, index }) => {
    const { color } = styleOfVariant(index);
    const of = (/** @type {'p50Ms' | 'p95Ms'} */ which) =>
      variant.points.flatMap(({ step, latency, isGeneratorLimit }) =>
        latency
          ? [
              {
                x: step,
                y: latency[which],
                text: `${formatMs(latency.p95Ms)}, median ${formatMs(latency.p50Ms)}`,
                hollow: isGeneratorLimit,
              },
            ]
          : [],
      );
    return [
      { name: `${variant.label}, p95`, color, dash: [], points: of('p95Ms') },
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
    marks:
      objective === null
        ? []
        : [
            {
              along: 'y',
              at: objective,
              color: '--bad',
              label: `objective: p95 < ${formatMs(objective)}`,
            },
          ],
  };
}

/** Throughput over what was under way: the axis that the fit is made on. @param {StudyReport} report @param {Shown} shown @returns {Chart} */
export function describeConcurrency(report, shown) {
  const series = shown.map(({ variant, index }) => ({
    name: variant.label,
    ...styleOfVariant(index),
    joined: variant.usl.curve.length === 0,
    points: variant.points
      .flatMap(({ inFlight, throughputPerSec: { value, low, high }, isGeneratorLimit }) =>
        inFlight === null ? [] : [{ x: inFlight, y: value, low, high, hollow: isGeneratorLimit }],
      )
      .sort((a, b) => a.x - b.x),
    curve: variant.usl.curve.map(({ n, x, low, high }) => ({ x: n, y: x, low, high })),
  }));
  const xs = series.flatMap(({ points, curve }) => [...points, ...curve].map(({ x }) => x));
  xs.sort((a, b) => a - b);
  const x = scaleOfSteps(xs);
  const ticks = Array.from({ length: 20 }, (_, power) => 2 ** (power - 4)).filter(
    tick => tick >= x.low && tick <= x.high,
  );
  return {
    title: 'Throughput over requests under way',
    about: `Throughput over the mean number of requests under way: ${sayPeaks(shown)}`,
    xLabel: 'requests under way (mean)',
    yLabel: report.throughputLabel,
    x: { ...x, ticks },
    y: { isLog: false, low: 0, high: highestOf(series) },
    formatX: value => (value < 1 ? String(value) : formatCount(value)),
    sayX: value => `${value.toFixed(1)} under way`,
    formatY: formatRate,
    series,
    marks: [],
  };
}
