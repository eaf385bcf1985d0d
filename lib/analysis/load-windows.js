/** When load was on: one window per load test, from its first to its last activity. */

/** Seconds are recorded whole. */
const SECOND_MS = 1000;
/** A user that ends after its last think time sends nothing. */
const ABOUT_USERS = /^vusers\./;

/**
 * @typedef {object} LoadTest
 * @property {Record<string, any>} start the `load-start` record
 * @property {Record<string, any> | null} end the `load-end` record; null when the test was killed
 * @property {Record<string, any>[]} records all between
 */

/**
 * Splits the records of `load/metrics.ndjson` into load tests.
 * @param {Record<string, any>[]} metrics
 * @returns {LoadTest[]}
 */
export function splitLoadTests(metrics) {
  /** @type {LoadTest[]} */
  const tests = [];
  for (const record of metrics) {
    const current = tests.at(-1);
    if (record.kind === 'load-start') tests.push({ start: record, end: null, records: [] });
    else if (record.kind === 'load-end' && current) current.end = record;
    else current?.records.push(record);
  }
  return tests;
}

/**
 * The window in which a test was at work. Artillery waits for its last users without limit; what
 * comes after the last request or message is not load and would dilute every rate.
 * @param {LoadTest} test
 * @returns {import('./report.d.ts').TimeRange | null} null when nothing was sent
 */
export function findLoadWindow(test) {
  const busy = test.records.filter(
    record =>
      record.kind === 'second' &&
      Object.entries(record.counters ?? {}).some(([name, n]) => n > 0 && !ABOUT_USERS.test(name)),
  );
  if (busy.length === 0) return null;
  const first = Math.min(...busy.map(record => record.fromMs));
  const last = Math.max(...busy.map(record => record.fromMs + SECOND_MS));
  return {
    startMs: Math.max(first, test.start.t),
    endMs: Math.max(first + 1, Math.min(last, test.end?.t ?? last)),
  };
}

/** @param {import('./report.d.ts').TimeRange[]} windows @returns {number} total length, ms */
export function totalLengthMs(windows) {
  return windows.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}
