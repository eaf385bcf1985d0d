/** The load per window, from the records of seconds. */
import { mergeSketches, sketchToJson } from '../../run/sketch.js';
import { packSketches } from '../../sample-table/pack-sketches.js';
import { quantileMs } from '../latency.js';
import { countErrors } from '../seconds.js';
import { findWindow } from './build-grid.js';

/** @typedef {NonNullable<import('../timeline.d.ts').Timeline['load']>} LoadSeries */
/** @typedef {Record<string, any>} SecondRecord */

const SECOND_MS = 1000;
const TIMES = /** @type {const} */ (['timeToFirstByte', 'total']);

/**
 * A second belongs to the window that holds its middle; what was counted just outside of all windows
 * (a second that had begun before the load) to the nearest one, so that nothing is missing.
 * @param {SecondRecord[]} records of `load/metrics.ndjson`; several may speak of the same second
 * @param {number[]} edgesMs
 * @param {string[]} names of endpoints, in the order of the Report
 * @returns {LoadSeries}
 */
export function buildLoadSeries(records, edgesMs, names) {
  const windows = edgesMs.length - 1;
  /** @type {SecondRecord[][]} */
  const byWindow = Array.from({ length: windows }, () => []);
  for (const record of records) {
    if (record.kind !== 'second') continue;
    const middleMs = record.fromMs + SECOND_MS / 2;
    const found = findWindow(edgesMs, middleMs);
    const window = found >= 0 ? found : middleMs < (edgesMs[0] ?? 0) ? 0 : windows - 1;
    byWindow[window]?.push(record);
  }
  const latencyOf = records.some(({ sketches }) => sketches?.['http.total']?.count > 0)
    ? /** @type {const} */ ('total')
    : /** @type {const} */ ('time-to-first-byte');
  const sketchName = latencyOf === 'total' ? 'http.total' : 'http.response_time';
  const percentiles = byWindow.map(own => {
    const sketch = mergeSketches(own.flatMap(({ sketches }) => sketches?.[sketchName] ?? []));
    const at = (/** @type {number} */ q) => (sketch.count > 0 ? quantileMs(sketch, q) : null);
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  });
  const { endpoints, answers } = countEndpoints(byWindow, names);
  return {
    requests: byWindow.map(own =>
      own.reduce((sum, { counters }) => sum + Number(counters?.['http.requests'] ?? 0), 0),
    ),
    errors: byWindow.map(own =>
      own.reduce((sum, { counters }) => sum + countErrors(counters ?? {}), 0),
    ),
    usersActive: byWindow.map(meanUsers),
    latencyOf,
    p50Ms: percentiles.map(({ p50 }) => p50),
    p95Ms: percentiles.map(({ p95 }) => p95),
    p99Ms: percentiles.map(({ p99 }) => p99),
    endpoints,
    latency: packSketches(listSketches(answers)),
  };
}

/** Gauges of the workers of a second add up; those of several seconds are averaged. @param {SecondRecord[]} records */
function meanUsers(records) {
  /** @type {Map<number, number>} */
  const bySecond = new Map();
  for (const { fromMs, usersActive } of records)
    if (typeof usersActive === 'number')
      bySecond.set(fromMs, (bySecond.get(fromMs) ?? 0) + usersActive);
  if (bySecond.size === 0) return null;
  let sum = 0;
  for (const users of bySecond.values()) sum += users;
  return sum / bySecond.size;
}

/**
 * @param {SecondRecord[][]} byWindow
 * @param {string[]} names
 * @returns {{endpoints: LoadSeries['endpoints'], answers: Record<string, any>[][][]}} `answers`: per
 *   endpoint, per window, what was answered with each status
 */
function countEndpoints(byWindow, names) {
  const indexes = new Map(names.map((name, index) => [name, index]));
  const zeros = () => byWindow.map(() => 0);
  const endpoints = names.map(name => ({ name, requests: zeros(), errors: zeros() }));
  /** @type {Record<string, any>[][][]} */
  const answers = names.map(() => byWindow.map(() => []));
  for (const [window, records] of byWindow.entries())
    for (const record of records)
      for (const [name, own] of Object.entries(record.endpoints ?? {})) {
        const index = indexes.get(name) ?? -1;
        const series = endpoints[index];
        if (!series) continue;
        series.requests[window] = (series.requests[window] ?? 0) + (own.requests ?? 0);
        series.errors[window] = (series.errors[window] ?? 0) + (own.errors ?? 0);
        answers[index]?.[window]?.push(...Object.values(own.statuses ?? {}));
      }
  return { endpoints, answers };
}

/** One after the other, so that only one is in memory. @param {Record<string, any>[][][]} answers */
function* listSketches(answers) {
  for (const windows of answers)
    for (const statuses of windows)
      for (const times of TIMES) {
        const parts = statuses.flatMap(status => status[times] ?? []);
        yield parts.length === 0
          ? null
          : parts.length === 1
            ? parts[0]
            : sketchToJson(mergeSketches(parts));
      }
}
