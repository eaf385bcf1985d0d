import { formatCount, formatRate } from '../../../format.js';
import { formatEstimate, formatSeconds } from '../../study/study-words.js';
import { h, section } from '../dom.js';
import { amount, figure, table } from '../table.js';
import { makeLoadChart } from './load-chart.js';
import { styleOfVariant, variantKey } from './variants.js';

/** @import { StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */
/** @import { Shown, VariantPicks } from './variants.js' */

/** How fast bursts are taken in and done. @param {StudyReport} report @param {VariantPicks} picks */
export function renderDrains(report, picks) {
  const rows = report.variants.flatMap(({ label, drain }, index) =>
    drain ? { label, index, ...drain } : [],
  );
  if (rows.length === 0) return null;
  return section(
    'drains',
    'Bursts: answered, done, over',
    h(
      'div',
      { class: 'charts' },
      makeLoadChart(() => describeLeft(picks.list()), picks),
    ),
    table('How fast bursts are accepted and done (their middle 80 %), and when all is done', rows, [
      { label: 'Variant', cell: ({ index, label }) => [variantKey(index), label] },
      amount('At once', ({ step }) => step, formatCount),
      amount('Accepted', ({ dispatchPerSec }) => dispatchPerSec, formatRate),
      figure('Done', ({ completionPerSec }) => formatEstimate(completionPerSec, formatRate)),
      figure('All done after', ({ drainSec }) => formatSeconds(drainSec)),
    ]),
  );
}

/** @param {Shown[]} shown @returns {Chart} */
function describeLeft(shown) {
  const series = shown.map(({ variant: { label, drain }, index }) => ({
    name: label,
    color: styleOfVariant(index).color,
    joined: true,
    points: (drain?.left ?? []).map(({ sec, count }) => ({ x: sec, y: count })),
  }));
  const points = series.flatMap(own => own.points);
  const high = Math.max(0.1, ...points.map(({ x }) => x));
  return {
    title: 'What is left to do',
    about: `What was left to do over the seconds since the burst, of ${shown.map(({ variant }) => variant.drain?.text ?? variant.label).join('; ')}`,
    xLabel: 'seconds since the burst',
    yLabel: 'not yet done',
    x: { isLog: false, low: 0, high, ticks: [0, 1, 2, 3, 4].map(part => (high * part) / 4) },
    y: { isLog: false, low: 0, high: Math.max(1, ...points.map(({ y }) => y)) },
    formatX: x => x.toFixed(1),
    sayX: x => `${x.toFixed(1)} s after the burst`,
    formatY: formatCount,
    series,
  };
}
