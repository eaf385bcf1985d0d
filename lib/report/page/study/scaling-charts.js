import { formatChange, formatChangeInterval, formatPercent, formatRate } from '../../../format.js';
import { formatEstimate } from '../../study/study-words.js';
import { bulletList, h, lede, prose, section } from '../dom.js';
import { amount, figure, table } from '../table.js';
import { makeLoadChart, scaleOfSteps } from './load-chart.js';
import { styleOfVariant } from './variants.js';

/** @import { Scaling, StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */

/** What more of it brings: workers, processes, pods. @param {StudyReport} report */
export function renderScaling(report) {
  const { scaling } = report;
  if (scaling.length === 0) return null;
  const drawn = scaling.filter(({ points }) => points.length > 1);
  return section(
    'scaling',
    `Scaling over ${scaling[0]?.over}`,
    bulletList(
      scaling.map(({ label, text }) => [label && h('strong', {}, `${label}: `), prose(text)]),
      { class: 'told' },
    ),
    drawn.length > 0 && [
      h(
        'div',
        { class: 'charts' },
        makeLoadChart(() => describeScaling(drawn, report), null),
        h('div', {}, drawn.map(renderEfficiency)),
      ),
      lede(
        'Thin dotted lines are ideal scaling: throughput in proportion. Efficiency is the share of it that is reached.',
      ),
    ],
  );
}

/** @param {Scaling[]} drawn @param {StudyReport} report @returns {Chart} */
function describeScaling(drawn, report) {
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

/** @param {Scaling} scaling */
function renderEfficiency({ label, over, points }) {
  return table(label ? `Scaling with ${label}` : `Scaling over ${over}`, points, [
    { label: over, cell: ({ value }) => String(value) },
    figure(
      'Throughput',
      ({ throughputPerSec }) => formatEstimate(throughputPerSec, formatRate),
      'with half of its 95 % interval',
    ),
    figure(
      'Gain',
      ({ gain }) =>
        gain
          ? [
              formatChange(gain.value),
              gain.low !== null && h('span', { class: 'interval' }, formatChangeInterval(gain)),
            ]
          : '–',
      'over the row before, with its 95 % interval',
    ),
    amount('Efficiency', ({ efficiency }) => efficiency.value, formatPercent),
  ]);
}
