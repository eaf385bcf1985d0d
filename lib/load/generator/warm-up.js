/** Ends a warm-up by its own rule: once the rate has stopped rising. */
import { sum } from '../../base/math/summary.js';
import { createPeriods } from '../metrics/periods.js';
import { phaseLengthMs } from '../pacing/schedule.js';

/** @import { Job } from '../messages.js' */

const SECOND_MS = 1000;
/** Slower growth is not distinguished from noise. */
const GROWTH = 0.1;
/** Each engine has one. */
const COUNTERS = ['http.responses', 'socketio.emit', 'websocket.messages_received', 'sse.events'];

/**
 * Rates of a busy machine vary by any factor, so no test of a mean decides. What still rises has its highest rate in its
 * newest second; of k seconds of a steady rate, the newest is the highest in 1 of k cases.
 * @param {number[]} counts responses in each second so far
 */
export function isSteady(counts) {
  const newest = counts.at(-1) ?? 0;
  const highest = Math.max(...counts.slice(0, -1));
  return newest > 0 && newest <= (1 + GROWTH) * highest;
}

/**
 * @param {Pick<Job, 'phases' | 'workers'>} job its first phase is the warm-up, of the longest time
 * @param {number} startAtMs epoch
 * @param {(atMs: number) => void} end called a moment after that whole second
 */
export function followWarmUp({ phases: [first = {}], workers }, startAtMs, end) {
  // All workers hear of it before the planned end.
  const lastMs = startAtMs + phaseLengthMs(first) - 3 * SECOND_MS;
  /** @type {number[]} */
  const counts = [];
  return createPeriods(
    workers,
    ({ fromMs, counters }) => {
      if (fromMs < startAtMs) return;
      counts.push(sum(COUNTERS.map(name => counters[name] ?? 0)));
      if (isSteady(counts) || fromMs >= lastMs) end(fromMs + SECOND_MS);
    },
    SECOND_MS,
  );
}
