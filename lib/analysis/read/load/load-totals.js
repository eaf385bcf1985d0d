/**
 * Totals of the records of `load/metrics.ndjson`, added one by one as they are read: memory grows with seconds and
 * with endpoints, but never with their product.
 */
import { addTo } from '../../../base/files/maps.js';
import { least, most } from '../../../base/math/summary.js';
import { SECOND_MS } from './build-grid.js';
import { Sums } from './counters.js';
import { Endpoints } from './endpoints.js';
import { ErrorSeries } from './error-series.js';
import { Seconds } from './seconds.js';

/** User counters are not sending: a user that ends after its last think time sends nothing. */
const ABOUT_USERS = /^vusers\./;

/** @import { TimeRange } from '../../../base/math/estimate.d.ts' */
/** @import { RecordOf } from '../../../run/facts/records.d.ts' */
/** @import { SecondRecord } from './seconds.js' */

/**
 * @typedef {object} LoadTest
 * @property {RecordOf<'metrics', 'load-start'>} start
 * @property {RecordOf<'metrics', 'load-end'> | null} end null when the test was killed
 * @property {number} lastMs time of its last record
 * @property {number | null} lastSecondMs `fromMs` of its last `second`
 * @property {TimeRange | null} busy from the first to the last second in which something was sent; null
 *   if nothing was
 * @property {RecordOf<'metrics'>[]} records everything between; without its seconds where these are only summed up
 */

/**
 * A part of a load whose seconds were kept.
 * @typedef {object} LoadPart
 * @property {LoadTest} test
 * @property {TimeRange} window for rates
 * @property {SecondRecord[]} seconds that count
 */

export class LoadTotals {
  /** @type {LoadTest[]} */
  tests = [];
  seconds = new Seconds();
  endpoints = new Endpoints();
  errors = new ErrorSeries();
  /** Responses of each worker and of each backend of the target, where known. */
  workers = /** @type {Map<string, number>} */ (new Map());
  backends = /** @type {Map<string, number>} */ (new Map());
  sums = new Sums();
  /** The part, if these are the totals of a part of a load. @type {TimeRange | null} */
  window = null;

  /** @param {boolean} [keepsSeconds] lets parts of a load of a few minutes be counted again */
  constructor(keepsSeconds = false) {
    this.keepsSeconds = keepsSeconds;
  }

  /** @param {Iterable<RecordOf<'metrics'>>} records in the order of writing */
  static of(records) {
    const totals = new LoadTotals();
    for (const record of records) totals.add(record);
    return totals;
  }

  /** @param {LoadPart} part @returns {LoadTotals} */
  static ofPart({ test: { start, end, records }, window, seconds }) {
    const others = records.filter(({ kind }) => kind !== 'second');
    const totals = LoadTotals.of([start, ...others, ...seconds, ...(end ? [end] : [])]);
    for (const record of records) if (record.kind === 'second') totals.endpoints.learnNames(record);
    totals.window = window;
    return totals;
  }

  /** Whether a time is in the part. @param {number} atMs */
  covers(atMs) {
    return !this.window || (atMs >= this.window.startMs && atMs < this.window.endMs);
  }

  /** @param {RecordOf<'metrics'>} record one before the first `load-start` belongs to no load test */
  add(record) {
    const { t } = record;
    const test = this.tests.at(-1);
    if (record.kind === 'load-start')
      this.tests.push({
        start: record,
        end: null,
        lastMs: t,
        lastSecondMs: null,
        busy: null,
        records: [],
      });
    else if (!test) return;
    else if (record.kind === 'load-end') test.end = record;
    else {
      test.lastMs = t;
      if (record.kind === 'second') this.#addSecond(test, record);
      if (record.kind !== 'second' || this.keepsSeconds) test.records.push(record);
    }
  }

  /** @param {LoadTest} test @param {SecondRecord} record */
  #addSecond(test, record) {
    this.sums.add(record);
    this.seconds.add(record);
    this.endpoints.add(record);
    this.errors.add(record);
    countIds(this.workers, record.workers);
    countIds(this.backends, record.backends);
    const { fromMs } = record;
    test.lastSecondMs = fromMs;
    const isBusy = Object.entries(record.counters ?? {}).some(
      ([name, n]) => n > 0 && !ABOUT_USERS.test(name),
    );
    if (isBusy)
      test.busy = {
        startMs: Math.min(test.busy?.startMs ?? fromMs, fromMs),
        endMs: Math.max(test.busy?.endMs ?? 0, fromMs + SECOND_MS),
      };
  }
}

/**
 * The window in which a test was active. Artillery waits for its last users without limit; the time after the last
 * request or message is not load and would dilute every rate.
 * @param {LoadTest} test
 * @returns {TimeRange | null} null when nothing was sent
 */
export function findLoadWindow({ start, end, busy }) {
  return (
    busy && {
      startMs: Math.max(busy.startMs, start.t),
      endMs: Math.max(busy.startMs + 1, Math.min(busy.endMs, end?.t ?? busy.endMs)),
    }
  );
}

/** @param {TimeRange[]} windows @returns {number} total length, ms */
export const totalLengthMs = windows =>
  windows.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);

/** @param {TimeRange[]} windows @param {number} t epoch milliseconds */
export const isWithin = (windows, t) =>
  windows.some(({ startMs, endMs }) => t >= startMs && t < endMs);

/** @param {TimeRange[]} ranges @returns {TimeRange | null} from the first start to the last end; null for none */
export function spanOf(ranges) {
  const startMs = least(ranges.map(range => range.startMs));
  return ranges.length > 0 ? { startMs, endMs: most(ranges.map(range => range.endMs)) } : null;
}

/** Adds what a second's record counts per worker, or per backend. @param {Map<string, number>} sums @param {Record<string, number>} [counts] */
function countIds(sums, counts = {}) {
  for (const [id, count] of Object.entries(counts)) addTo(sums, id, Number(count));
}
