/** Round steps for axes, and lines that do not draw more points than there are pixels. */

/** The round number at or above a value. @param {number} value */
export function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor =
    [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find(step => step * power >= value * 0.9999) ?? 10;
  return factor * power;
}

const TIME_STEPS_SEC = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400,
];

/** Moments for about `count` labels on an axis of time. @param {number} lengthSec @param {number} count */
export function timeTicks(lengthSec, count) {
  const step = TIME_STEPS_SEC.find(candidate => lengthSec / candidate <= count) ?? 86400;
  return Array.from({ length: Math.floor(lengthSec / step) + 1 }, (_, index) => index * step);
}

/**
 * The path of a line; it breaks where a value is not known. Where several points share a column of
 * pixels, only the first, lowest, highest and last are drawn, which looks the same.
 * @param {(number | null)[]} values
 * @param {(index: number) => number} x
 * @param {(value: number) => number} y
 */
export function linePath(values, x, y) {
  const drawn = values.length > 1500 ? thinOut(values, x) : values.map((_, index) => index);
  let path = '';
  let open = false;
  for (const index of drawn) {
    const value = values[index] ?? null;
    if (value === null) {
      open = false;
      continue;
    }
    path += `${open ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    // a point between two gaps would be invisible as a line
    if (!open && (values[index + 1] ?? null) === null) path += 'h1';
    open = true;
  }
  return path;
}

/** @param {(number | null)[]} values @param {(index: number) => number} x */
function thinOut(values, x) {
  /** @type {Set<number>} */
  const kept = new Set();
  for (let start = 0; start < values.length; ) {
    const column = Math.floor(x(start));
    let [end, low, high] = [start, start, start];
    for (; end < values.length && Math.floor(x(end)) === column; end++) {
      if ((values[end] ?? 0) < (values[low] ?? 0)) low = end;
      if ((values[end] ?? 0) > (values[high] ?? 0)) high = end;
    }
    for (const index of [start, low, high, end - 1].sort((a, b) => a - b)) kept.add(index);
    start = end;
  }
  return kept;
}
