/** Timers may fire a little early: such a tick still belongs to its own interval. */
const EARLY_MS = 2;

/**
 * Calls `act` whenever the clock reaches a multiple of the interval. Samples then cover the same seconds that
 * requests are counted in, and a plateau ends with a whole sample.
 * @param {() => void} act
 * @param {number} intervalMs
 * @param {number} [afterMs] calls it this much later
 * @returns {() => void} stops it
 */
export function startAlignedInterval(act, intervalMs, afterMs = 0) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const arm = () => {
    const nowMs = Date.now() - afterMs;
    const nextMs = (Math.floor((nowMs + EARLY_MS) / intervalMs) + 1) * intervalMs;
    timer = setTimeout(() => {
      arm();
      act();
    }, nextMs - nowMs);
  };
  arm();
  return () => clearTimeout(timer);
}
