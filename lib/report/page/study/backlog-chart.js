import { formatRate } from '../../../format.js';
import { xOfSteps } from './load-charts.js';
import { styleOfVariant } from './variants.js';

/** @import { StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */
/** @import { Shown } from './variants.js' */

/** Whether more is dispatched than is completed. @param {StudyReport} report @param {Shown[]} shown @returns {Chart} */
export function describeDispatch(report, shown) {
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
