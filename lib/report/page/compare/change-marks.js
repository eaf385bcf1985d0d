/** Drawings beside the figures of a change. */
import { svg } from '../dom.js';

/** @import { Change } from '../../../facts/compare-report.d.ts' */
/** @import { Child } from '../dom.js' */

const WIDTH = 150;
const HEIGHT = 20;
const EDGE = 5;

/** @param {string} className @param {...Child} children */
function drawing(className, ...children) {
  const size = { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
  return svg('svg', { class: `mark ${className}`, ...size, 'aria-hidden': 'true' }, children);
}

/**
 * The value of every run, `before` above `after`: what the figures in the row are made from.
 * @param {[before: number[], after: number[]]} values
 */
export function drawRuns([before, after]) {
  const all = [...before, ...after];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (/** @type {number} */ value) =>
    high > low ? EDGE + ((value - low) / (high - low)) * (WIDTH - 2 * EDGE) : WIDTH / 2;
  /** @param {number[]} values @param {number} cy @param {string} side */
  const dots = (values, cy, side) =>
    values.map(value => svg('circle', { cx: x(value).toFixed(1), cy, r: 3, class: side }));
  return drawing('', dots(before, 5.5, 'mark-before'), dots(after, 14.5, 'mark-after'));
}

/**
 * A relative change with its interval, around the line of "no change".
 * @param {Pick<Change, 'relative' | 'call'> & {reach: number}} change `reach`: what the ends of the drawing are
 */
export function drawChange({ relative, call, reach }) {
  const { value, low, high } = relative ?? { value: null, low: null, high: null };
  const x = (/** @type {number} */ at) =>
    (WIDTH / 2 + Math.max(-1, Math.min(1, at / reach)) * (WIDTH / 2 - EDGE)).toFixed(1);
  const middle = HEIGHT / 2;
  return drawing(
    `call-${call}`,
    svg('line', { x1: WIDTH / 2, x2: WIDTH / 2, y1: 0, y2: HEIGHT, class: 'mark-zero' }),
    low !== null &&
      high !== null &&
      svg('line', { x1: x(low), x2: x(high), y1: middle, y2: middle, class: 'mark-interval' }),
    value !== null && svg('circle', { cx: x(value), cy: middle, r: 3.5, class: 'mark-value' }),
  );
}
