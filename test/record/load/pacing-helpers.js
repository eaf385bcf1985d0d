/** What the tests of pacing share. */

/**
 * Repeatable numbers on [0, 1) (mulberry32).
 * @param {number} seed
 */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
