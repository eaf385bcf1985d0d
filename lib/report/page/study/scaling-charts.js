import { formatEstimate, formatRate } from '../../../format.js';
import { scaleOfSteps } from './load-chart.js';
import { styleOfVariant } from './variants.js';

/** @import { StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */

/** What more of it brings: workers, processes, pods. @param {StudyReport} report @returns {Chart} */
export function describeScaling(report) {
  const drawn = report.scaling.filter(({ points }) => points.length > 1);
  const [{ over } = { over: '' }] = drawn;
  const values = drawn.flatMap(({ points }) => points.map(({ value }) => value));
  const series = drawn.flatMap(({ label, points }, index) => {
    const { color, dash } = styleOfVariant(index);
    const [first] = points;
    const perUnit = (first?.throughputPerSec.value ?? 0) / (first?.value ?? 1);
    return [
      {
        name: label || report.throughputLabel,
        color,
        dash,
        points: points.map(({ value, throughputPerSec: { value: y, low, high } }) => ({
          x: value,
          y,
          low,
          high,
          text: formatEstimate({ value: y, low, high }, formatRate),
        })),
      },
      {
        name: 'ideal',
        color,
        dash: [1, 4],
        width: 1,
        isBare: true,
        points: points.map(({ value }) => ({ x: value, y: perUnit * value })),
      },
    ];
  });
  const measured = series.filter(({ isBare }) => !isBare).flatMap(({ points }) => points);
  return {
    title: `Throughput at the plateau over ${over}`,
    about: `Throughput at the plateau over ${over}: ${drawn.map(({ label, text }) => `${label} ${text}`).join('; ')}`,
    xLabel: over,
    yLabel: report.throughputLabel,
    x: scaleOfSteps(values),
    // Ideal lines leave the picture where they are far from what is.
    y: { isLog: false, low: 0, high: 1.5 * Math.max(...measured.map(({ y }) => y)) },
    formatX: String,
    sayX: value => `${over} = ${value}`,
    formatY: formatRate,
    series,
  };
}
