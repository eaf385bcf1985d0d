/**
 * By how much a thread's event loop is late, from a timer of our own. `monitorEventLoopDelay` does
 * the same in C++, but its `reset` forgets the interval that has begun, and with it every stall that
 * ends after a record has been written (Node 24: timers of JavaScript come first after a stall).
 */

/**
 * A shorter interval sees more of the short stalls; an idle thread pays 0.1 ms of CPU for each time
 * that it is woken (measured on a virtual machine).
 */
const PROBE_MS = 20;
/** Timers count whole milliseconds: on an idle loop they are up to this late. */
const TIMER_GRAIN_MS = 1;

/** @typedef {{p50: number, p99: number, max: number}} LoopDelay ms; zeros when nothing was probed */

/** Begins to probe; a thread that has nothing else to do may end all the same. */
export function startLoopDelay() {
  /** At most 50 a second. @type {number[]} */
  let delays = [];
  let dueMs = 0;
  /** @type {NodeJS.Timeout} */
  let timer;
  arm();

  return {
    /** What was seen since the last time that it was asked for. @returns {LoopDelay} */
    take() {
      // A stall that has just ended belongs to the second that is being written.
      if (readDelay() > 0) probe();
      const sorted = delays.sort((a, b) => a - b);
      delays = [];
      const quantile = (/** @type {number} */ q) => sorted[Math.ceil(q * sorted.length) - 1] ?? 0;
      return { p50: quantile(0.5), p99: quantile(0.99), max: sorted.at(-1) ?? 0 };
    },
    stop() {
      clearTimeout(timer);
    },
  };

  function probe() {
    clearTimeout(timer);
    delays.push(Math.max(0, readDelay()));
    arm();
  }

  function readDelay() {
    return performance.now() - dueMs - TIMER_GRAIN_MS;
  }

  function arm() {
    dueMs = performance.now() + PROBE_MS;
    timer = setTimeout(probe, PROBE_MS);
    timer.unref();
  }
}
