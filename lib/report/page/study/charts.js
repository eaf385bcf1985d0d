/** The charts of a study: each draws the variants that a reader selects. */
import { formatEstimate, formatMs, formatRate } from '../../../base/format.js';
import { formatStep } from '../../../text/study-words.js';
import { h, lede } from '../dom.js';
import { makeChart, scaleOfSteps, scaleOfTimes } from './chart.js';
import { styleOfVariant } from './variants.js';

/** @import { Point, StudyReport } from '../../../text/study-report.d.ts' */
/** @import { ChartPoint } from './chart.js' */
/** @import { Shown, VariantPicks } from './variants.js' */

const LEGEND =
  'A ring marks where throughput levels off. Hollow points: the load generator was the bottleneck.';

/** Throughput and latency over load. @param {StudyReport} report @param {VariantPicks} picks */
export function makeLoadCharts(report, picks) {
  const objective = report.capacity?.p95Ms ?? null;
  const charts = [
    (/** @type {Shown[]} */ shown) => ({
      ...overLoad(report, shown, ({ throughputPerSec: own }) => ({
        ...own,
        y: own.value,
        text: formatEstimate(own, formatRate),
      })),
      title: 'Throughput',
      about: `Throughput over load: ${shown.map(({ variant }) => `${variant.label}: ${variant.saturation.text}`).join('; ')}. The table of cells has all values.`,
      yLabel: report.throughputLabel,
      formatY: formatRate,
      marks: shown.flatMap(({ variant: { points, saturation }, index }) => {
        const top = points.find(({ step }) => step === saturation.step);
        return top ? { x: top.step, y: top.throughputPerSec.value, ...styleOfVariant(index) } : [];
      }),
    }),
    (/** @type {Shown[]} */ shown) => {
      const chart = overLoad(report, shown, ({ latency: own }) => {
        const y = own?.p95Ms ?? null;
        return own && y !== null
          ? { y, text: `${formatMs(y)}, median ${formatMs(own.p50Ms)}` }
          : null;
      });
      const values = chart.series.flatMap(({ points }) => points.map(({ y }) => y));
      const label = `objective: p95 < ${formatMs(objective)}`;
      return {
        ...chart,
        title: 'Latency, p95',
        about: `Latency over load, p95 of ${shown.map(({ variant }) => variant.label).join('; ')}. The table of cells has all values.`,
        yLabel: 'latency',
        formatY: formatMs,
        y: scaleOfTimes(objective === null ? values : [...values, objective]),
        marks: objective === null ? [] : [{ y: objective, color: '--bad', label }],
      };
    },
  ];
  const drawn = charts.map(describe => makeChart(() => describe(picks.list()), picks));
  return [h('div', { class: 'charts' }, drawn), lede(LEGEND)];
}

/**
 * @param {StudyReport} report
 * @param {Shown[]} shown
 * @param {(point: Point) => Pick<ChartPoint, 'y' | 'low' | 'high' | 'text'> | null} read
 */
function overLoad(report, shown, read) {
  const { load } = report;
  const steps = report.variants.flatMap(({ points }) => points.map(({ step }) => step));
  return {
    xLabel: `${load.unit} (${load.model})`,
    x: scaleOfSteps(steps),
    sayX: (/** @type {number} */ step) => formatStep(step, report),
    series: shown.map(({ variant: { label, points }, index }) => ({
      ...styleOfVariant(index),
      name: label,
      points: points.flatMap(point => {
        const own = read(point);
        return own ? { x: point.step, hollow: point.isGeneratorLimit, ...own } : [];
      }),
    })),
  };
}
