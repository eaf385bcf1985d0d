/** What the tests of pacing share. */

/** Stands still, as a long task or the garbage collector does. @param {number} ms */
export function block(ms) {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

/** @param {number[]} values @param {number} q */
export function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
