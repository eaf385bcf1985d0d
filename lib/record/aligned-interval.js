/** Timers may fire a little early: that is not yet another interval. */
const EARLY_MS = 2;

/**
 * Again and again when the clock shows a multiple of an interval: what recorders look at is of the same
 * seconds that requests are counted in, and a plateau ends with a sample, not with half of one.
 * @param {() => void} act
 * @param {number} intervalMs
 * @returns {() => void} no more
 */
export function startAlignedInterval(act, intervalMs) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const arm = () => {
    const nowMs = Date.now();
    const nextMs = (Math.floor((nowMs + EARLY_MS) / intervalMs) + 1) * intervalMs;
    timer = setTimeout(() => {
      arm();
      act();
    }, nextMs - nowMs);
  };
  arm();
  return () => clearTimeout(timer);
}
