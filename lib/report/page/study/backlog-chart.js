import { formatRate } from '../../../format.js';
import { formatEstimate } from '../../study/study-words.js';
import { h, prose, section } from '../dom.js';
import { amount, figure, table } from '../table.js';
import { makeLoadChart } from './load-chart.js';
import { xOfSteps } from './load-charts.js';
import { styleOfVariant, variantKey } from './variants.js';

/** @import { StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */
/** @import { Shown, VariantPicks } from './variants.js' */

/** Whether more is dispatched than is completed. @param {StudyReport} report @param {VariantPicks} picks */
export function renderBacklog(report, picks) {
  const rows = report.variants.flatMap(({ label, backlog }, index) =>
    backlog ? { label, index, ...backlog } : [],
  );
  if (rows.length === 0) return null;
  const chart = makeLoadChart(() => describeDispatch(report, picks.list()), picks);
  return section(
    'backlog',
    'Dispatch and completion',
    h('div', { class: 'charts' }, chart),
    table('Dispatched, completed, and the growth of the backlog (Theil–Sen)', rows, [
      { label: 'Variant', cell: ({ index, label }) => [variantKey(index), label] },
      { label: 'Before the stage', cell: ({ stage }) => stage ?? '–' },
      amount('Dispatched', ({ dispatchPerSec }) => dispatchPerSec, formatRate),
      amount('Completed', ({ completionPerSec }) => completionPerSec, formatRate),
      figure(
        'Backlog grows by',
        ({ slopePerSec }) => formatEstimate(slopePerSec, formatRate),
        'with half of its 95 % interval',
      ),
      { label: '', cell: ({ text }) => prose(text) },
    ]),
  );
}

/** @param {StudyReport} report @param {Shown[]} shown @returns {Chart} */
function describeDispatch(report, shown) {
  const series = shown.flatMap(({ variant: { label, points }, index }) => {
    const { color } = styleOfVariant(index);
    return [
      {
        name: `${label}, completed`,
        color,
        points: points.map(({ step, throughputPerSec: { value }, dispatchPerSec }) => ({
          x: step,
          y: value,
          text: `${formatRate(value)}, dispatched ${formatRate(dispatchPerSec)}`,
        })),
      },
      {
        name: 'dispatched',
        color,
        dash: [2, 3],
        width: 1.5,
        isBare: true,
        points: points.map(({ step, dispatchPerSec }) => ({ x: step, y: dispatchPerSec })),
      },
    ];
  });
  return {
    title: 'Completed solid, dispatched dotted: the gap is what piles up',
    about: `Dispatched and completed over load of ${shown.map(({ variant }) => variant.label).join('; ')}. The table below has the values at the plateau.`,
    yLabel: report.throughputLabel,
    y: {
      isLog: false,
      low: 0,
      high: Math.max(1e-9, ...series.flatMap(({ points }) => points.map(({ y }) => y))),
    },
    formatY: formatRate,
    ...xOfSteps(report),
    series,
  };
}
