import { svg } from '../dom.js';

/** @import { Change } from '../../../compare/compare-report.d.ts' */

const WIDTH = 150;
const HEIGHT = 20;
const EDGE = 5;

/** A class for the colour of a call. @param {Change} change */
export function callClass({ call }) {
  return `call-${call}`;
}

/**
 * The value of every run, `before` above `after`: what the figures in the row are made from.
 * @param {Change} change
 */
export function drawRuns({ before, after }) {
  const all = [...before.values, ...after.values];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (/** @type {number} */ value) =>
    high > low ? EDGE + ((value - low) / (high - low)) * (WIDTH - 2 * EDGE) : WIDTH / 2;
  const dots = (
    /** @type {number[]} */ values,
    /** @type {number} */ y,
    /** @type {string} */ side,
  ) => values.map(value => svg('circle', { cx: x(value).toFixed(1), cy: y, r: 3, class: side }));
  return svg(
    'svg',
    {
      class: 'mark',
      width: WIDTH,
      height: HEIGHT,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      'aria-hidden': 'true',
    },
    dots(before.values, 5.5, 'mark-before'),
    dots(after.values, 14.5, 'mark-after'),
  );
}

/**
 * A relative change with its interval, around the line of "no change".
 * @param {Change} change
 * @param {number} reach what the ends of the drawing stand for
 */
export function drawChange(change, reach) {
  const { relative } = change;
  const x = (/** @type {number} */ value) =>
    WIDTH / 2 + Math.max(-1, Math.min(1, value / reach)) * (WIDTH / 2 - EDGE);
  const middle = HEIGHT / 2;
  return svg(
    'svg',
    {
      class: `mark ${callClass(change)}`,
      width: WIDTH,
      height: HEIGHT,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      'aria-hidden': 'true',
    },
    svg('line', { x1: WIDTH / 2, x2: WIDTH / 2, y1: 0, y2: HEIGHT, class: 'mark-zero' }),
    relative &&
      relative.low !== null &&
      relative.high !== null &&
      svg('line', {
        x1: x(relative.low).toFixed(1),
        x2: x(relative.high).toFixed(1),
        y1: middle,
        y2: middle,
        class: 'mark-interval',
      }),
    relative &&
      svg('circle', { cx: x(relative.value).toFixed(1), cy: middle, r: 3.5, class: 'mark-value' }),
  );
}

/** What the drawings of a table reach to: the furthest end, at least ±5 %. @param {Change[]} changes */
export function reachOf(changes) {
  const ends = changes.flatMap(({ relative }) =>
    relative ? [relative.value, relative.low ?? 0, relative.high ?? 0].map(Math.abs) : [],
  );
  return Math.min(2, Math.max(0.05, ...ends));
}
