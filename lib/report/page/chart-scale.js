/** Round steps for axes. */

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
