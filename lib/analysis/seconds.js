/** The load over time, one entry a second. */
import { mergeSketches } from '../run/sketch.js';
import { countersBelow, totalCount } from './counters.js';
import { quantileMs } from './latency.js';

const SECOND_MS = 1000;
/** Longer gaps than this (between two load tests of one recording) are not filled with zeros. */
const MAX_FILLED_GAP = 3600;

/**
 * @param {Record<string, any>[]} records `second` records; several may speak of the same second
 * @returns {import('./report.d.ts').LoadReport['seconds']} oldest first, without holes
 */
export function buildSeconds(records) {
  const bySecond = Map.groupBy(
    records.filter(record => record.kind === 'second'),
    record => Math.floor(record.fromMs / SECOND_MS) * SECOND_MS,
  );
  const starts = [...bySecond.keys()].sort((a, b) => a - b);
  /** @type {import('./report.d.ts').LoadReport['seconds']} */
  const seconds = [];
  for (const [i, startMs] of starts.entries()) {
    const previous = starts[i - 1];
    const missing = previous === undefined ? 0 : (startMs - previous) / SECOND_MS - 1;
    if (previous !== undefined && missing <= MAX_FILLED_GAP) {
      for (let n = 1; n <= missing; n++) seconds.push(buildSecond(previous + n * SECOND_MS, []));
    }
    seconds.push(buildSecond(startMs, bySecond.get(startMs) ?? []));
  }
  return seconds;
}

/**
 * @param {number} startMs
 * @param {Record<string, any>[]} records
 * @returns {import('./report.d.ts').LoadReport['seconds'][number]}
 */
function buildSecond(startMs, records) {
  /** @type {Record<string, number>} */
  const counters = {};
  for (const record of records) {
    for (const [name, count] of Object.entries(record.counters ?? {})) {
      counters[name] = (counters[name] ?? 0) + Number(count);
    }
  }
  const merge = (/** @type {string} */ name) =>
    mergeSketches(records.flatMap(record => record.sketches?.[name] ?? []));
  const sketch = merge('http.response_time');
  const total = merge('http.total');
  const gauges = records.flatMap(record => record.usersActive ?? []);
  const at = (/** @type {number} */ q) => (sketch.count > 0 ? quantileMs(sketch, q) : null);
  return {
    startMs,
    requests: counters['http.requests'] ?? 0,
    errors: countErrors(counters),
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    usersActive: gauges.length > 0 ? gauges.reduce((sum, n) => sum + n, 0) : null,
    inFlight: (total.count > 0 ? total : sketch).sum / SECOND_MS,
  };
}

/**
 * Failed requests: answers of 400 and above, and whatever ended without an answer.
 * @param {Record<string, number>} counters
 */
export function countErrors(counters) {
  const refused = countersBelow(counters, 'http.codes.').filter(({ name }) => Number(name) >= 400);
  return totalCount(refused) + totalCount(countersBelow(counters, 'errors.'));
}
