/** One timer for the next thing that is due. It sleeps: nothing here polls or spins. */

/** Timers count whole milliseconds; longer than 24.8 days they would fire at once. */
const LONGEST_MS = 60 * 60 * 1000;

/**
 * @param {() => void} wake may be called up to 1 ms early, or long before a time that is far away:
 *   it has to look at the clock and arm again
 */
export function createWakeTimer(wake) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  return {
    /** @param {number} atMs on the clock of `performance.now()` */
    arm(atMs) {
      clearTimeout(timer);
      const delayMs = Math.min(LONGEST_MS, Math.max(1, Math.ceil(atMs - performance.now() - 0.05)));
      timer = setTimeout(wake, delayMs);
    },
    clear() {
      clearTimeout(timer);
    },
  };
}
