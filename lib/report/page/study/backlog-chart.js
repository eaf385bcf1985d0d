import { formatRate } from '../../../format.js';
import { formatEstimate } from '../../study/study-words.js';
import { h, prose, section } from '../dom.js';
import { table } from '../table.js';
import { makeLoadChart } from './load-chart.js';
import { xOfSteps } from './load-descriptions.js';
import { styleOfVariant, variantKey } from './variant-picks.js';

/** @import { StudyReport } from '../../../study/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */
/** @import { VariantPicks } from './variant-picks.js' */

/** Whether more is dispatched than is completed. @param {StudyReport} report @param {VariantPicks} picks */
export function renderBacklog(report, picks) {
  const rows = report.variants.flatMap(({ label, backlog }, index) =>
    backlog
      ? [
          {
            cells: [
              [variantKey(index), label],
              backlog.stage ?? '–',
              formatRate(backlog.dispatchPerSec),
              formatRate(backlog.completionPerSec),
              formatEstimate(backlog.slopePerSec, formatRate),
              prose(backlog.text),
            ],
          },
        ]
      : [],
  );
  if (rows.length === 0) return null;
  const chart = makeLoadChart(() => describeDispatch(report, picks));
  picks.subscribe(chart.show);
  return section(
    'backlog',
    'Dispatch and completion',
    h('div', { class: 'charts' }, chart.element),
    table(
      'What was dispatched, what was completed, and how fast the backlog grew (Theil–Sen)',
      [
        { label: 'Variant' },
        { label: 'Before the stage' },
        { label: 'Dispatched', number: true },
        { label: 'Completed', number: true },
        { label: 'Backlog grows', number: true, about: 'with half of its 95 % interval' },
        { label: '' },
      ],
      rows,
    ),
  );
}

/** @param {StudyReport} report @param {VariantPicks} picks @returns {Chart} */
function describeDispatch(report, picks) {
  const shown = report.variants
    .map((variant, index) => ({ variant, index }))
    .filter(({ variant }) => picks.isShown(variant.id));
  const series = shown.flatMap(({ variant, index }) => {
    const { color } = styleOfVariant(index);
    return [
      {
        name: `${variant.label}, completed`,
        color,
        dash: [],
        points: variant.points.map(({ step, throughputPerSec: { value }, dispatchPerSec }) => ({
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
        points: variant.points.map(({ step, dispatchPerSec }) => ({ x: step, y: dispatchPerSec })),
      },
    ];
  });
  return {
    title: 'Completed solid, dispatched dotted: what lies between them piles up',
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
    marks: [],
  };
}
