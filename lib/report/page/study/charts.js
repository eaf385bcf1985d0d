/** The charts of a study: what each draws of the variants that a reader picks. */
import {
  formatCount,
  formatEstimate,
  formatMs,
  formatPercent,
  formatRate,
} from '../../../format.js';
import { formatStep } from '../../../text/study-words.js';
import { h, lede } from '../dom.js';
import { makeChart, scaleOfSteps, scaleOfTimes } from './chart.js';
import { styleOfVariant } from './variants.js';

/** @import { Point, StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Chart, ChartPoint, ChartSeries } from './chart.js' */
/** @import { Shown, VariantPicks } from './variants.js' */

/**
 * A line of each variant over load.
 * @typedef {object} Line
 * @property {(point: Point) => Omit<ChartPoint, 'x'> | null} of
 * @property {Omit<ChartSeries, 'points' | 'color' | 'name'> & {name?: string}} [look]
 */

/** Throughput, latency and failures over load. @param {StudyReport} report @param {VariantPicks} picks */
export function makeLoadCharts(report, picks) {
  const { variants, throughputLabel: yLabel } = report;
  const hasFailures = variants.some(({ points }) => points.some(({ errorRate }) => errorRate > 0));
  const objective = report.capacity?.p95Ms ?? null;
  /** @type {Line} */
  const throughput = {
    of: ({ throughputPerSec: own }) => ({
      ...own,
      y: own.value,
      text: formatEstimate(own, formatRate),
    }),
  };
  /** @type {Line} */
  const p95 = {
    of: ({ latency: own }) =>
      own && { y: own.p95Ms, text: `${formatMs(own.p95Ms)}, median ${formatMs(own.p50Ms)}` },
    look: { name: ', p95', dash: [] },
  };
  /** @type {Line} */
  const median = {
    of: ({ latency }) => latency && { y: latency.p50Ms },
    look: { dash: [2, 3], width: 1.5, isBare: true },
  };
  const charts = [
    (/** @type {Shown[]} */ shown) => ({
      ...overLoad(report, shown, [throughput]),
      title: 'Throughput',
      about: `Throughput over load: ${shown.map(({ variant }) => `${variant.label}: ${variant.saturation.text}`).join('; ')}. The table of cells has all values.`,
      yLabel,
      formatY: formatRate,
      marks: shown.flatMap(({ variant: { points, saturation }, index }) =>
        points
          .filter(({ step }) => step === saturation.step)
          .map(({ step: x, throughputPerSec: { value: y } }) => ({
            x,
            y,
            ...styleOfVariant(index),
          })),
      ),
    }),
    (/** @type {Shown[]} */ shown) => {
      const chart = overLoad(report, shown, [p95, median]);
      const values = chart.series.flatMap(({ points }) => points.map(({ y }) => y));
      const label = `objective: p95 < ${formatMs(objective)}`;
      return {
        ...chart,
        title: 'Latency: p95 solid, median dotted',
        about: `Latency over load, median and p95 of ${listLabels(shown)}. The table of cells has all values.`,
        yLabel: 'latency',
        formatY: formatMs,
        y: scaleOfTimes(objective === null ? values : [...values, objective]),
        marks: objective === null ? [] : [{ y: objective, color: '--bad', label }],
      };
    },
    ...(hasFailures
      ? [
          (/** @type {Shown[]} */ shown) => ({
            ...overLoad(report, shown, [{ of: ({ errorRate: y }) => ({ y }) }]),
            title: 'Failed requests',
            about: `Share of requests that failed over load, of ${listLabels(shown)}. The table of cells has all values.`,
            yLabel: 'failed',
            formatY: formatPercent,
          }),
        ]
      : []),
  ];
  return [
    h(
      'div',
      { class: 'charts' },
      charts.map(describe => makeChart(() => describe(picks.list()), picks)),
    ),
    lede(
      'A ring marks where throughput levels off. Hollow points: the load generator was the bottleneck.',
    ),
  ];
}

/** @param {Shown[]} shown */
const listLabels = shown => shown.map(({ variant }) => variant.label).join('; ');

/** @param {StudyReport} report @param {Shown[]} shown @param {Line[]} lines */
function overLoad(report, shown, lines) {
  const { load } = report;
  const steps = report.variants.flatMap(({ points }) => points.map(({ step }) => step));
  return {
    xLabel: `${load.unit} (${load.model})`,
    x: scaleOfSteps(steps),
    formatX: formatCount,
    sayX: (/** @type {number} */ step) => formatStep(step, report),
    series: shown.flatMap(({ variant: { label, points }, index }) =>
      lines.map(({ of, look }) => ({
        ...styleOfVariant(index),
        ...look,
        name: `${label}${look?.name ?? ''}`,
        points: points.flatMap(point => {
          const own = of(point);
          return own ? { x: point.step, hollow: point.isGeneratorLimit, ...own } : [];
        }),
      })),
    ),
  };
}

/** What more of it brings: workers, processes, pods. @param {StudyReport} report @returns {Chart} */
export function describeScaling({ scaling, throughputLabel }) {
  const drawn = scaling.filter(({ points }) => points.length > 1);
  const over = drawn[0]?.over ?? '';
  const measured = drawn.map(({ label, points }, index) => ({
    name: label || throughputLabel,
    ...styleOfVariant(index),
    points: points.map(({ value: x, throughputPerSec: own }) => ({
      ...own,
      x,
      y: own.value,
      text: formatEstimate(own, formatRate),
    })),
  }));
  return {
    title: `Throughput at the plateau over ${over}`,
    about: `Throughput at the plateau over ${over}: ${drawn.map(({ label, text }) => `${label} ${text}`).join('; ')}`,
    xLabel: over,
    yLabel: throughputLabel,
    x: scaleOfSteps(measured.flatMap(({ points }) => points.map(({ x }) => x))),
    formatX: String,
    sayX: value => `${over} = ${value}`,
    formatY: formatRate,
    series: measured,
  };
}
