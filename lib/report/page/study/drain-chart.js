import { formatCount } from '../../../format.js';
import { styleOfVariant } from './variants.js';

/** @import { Chart } from './load-chart.js' */
/** @import { Shown } from './variants.js' */

/** How fast bursts are done. @param {Shown[]} shown @returns {Chart} */
export function describeLeft(shown) {
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
