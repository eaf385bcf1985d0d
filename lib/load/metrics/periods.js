/**
 * Merges the seconds of all workers into Artillery's periods: 10 s, aligned to the clock. A period is reported when
 * every worker has reported all of it: never too early, and only once.
 */
import { entryOf } from '../../base/files/maps.js';
import { Sketch } from '../../base/math/sketch.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */

export const PERIOD_MS = 10_000;

/**
 * How often something happened between two moments.
 * @typedef {object} RateSpan
 * @property {number} count
 * @property {number} firstMs
 * @property {number} lastMs
 */

/**
 * Fields of a `second` record that only periods need, before it is written.
 * @typedef {object} OfPeriods
 * @property {number} firstMs when something was recorded first
 * @property {number} lastMs
 * @property {Record<string, number>} [rates]
 */

/**
 * @typedef {Omit<RecordOf<'metrics', 'second'>, 't' | 'kind' | 'counters' | 'sketches'> & OfPeriods
 *   & Required<Pick<RecordOf<'metrics', 'second'>, 'counters' | 'sketches'>>} SecondFields
 */

/** These counters are only ours: tools that read Artillery's output do not know them. */
const OURS = /^(?:vusers\.first_failure|loadflame)\./;

/**
 * @typedef {object} Summed
 * @property {number} fromMs of the period; of the first one, for a whole run
 * @property {Record<string, number>} counters
 * @property {Record<string, Sketch>} sketches
 * @property {Record<string, RateSpan>} rates
 * @property {number} firstMs when something was recorded first
 * @property {number} lastMs
 */

/** Artillery reports these events also as a rate. */
const RATE_OF_COUNTER = /** @type {Record<string, string>} */ ({
  'http.requests': 'http.request_rate',
  'socketio.emit': 'socketio.emit_rate',
  'websocket.messages_sent': 'websocket.send_rate',
  'websocket.messages_received': 'websocket.receive_rate',
});

/**
 * @param {number} workers number of workers that report
 * @param {(period: Summed) => void} onPeriod called in the order of time
 * @param {number} [lengthMs]
 */
export function createPeriods(workers, onPeriod, lengthMs = PERIOD_MS) {
  /** @type {Map<number, Summed>} */
  const open = new Map();
  const reportedUntil = new Array(workers).fill(0);
  const total = createSum(0);
  let closedUntilMs = 0;

  const close = (/** @type {number} */ untilMs) => {
    for (const fromMs of [...open.keys()].sort((a, b) => a - b)) {
      if (fromMs + lengthMs > untilMs) break;
      const period = /** @type {Summed} */ (open.get(fromMs));
      open.delete(fromMs);
      closedUntilMs = fromMs + lengthMs;
      onPeriod(period);
    }
  };

  return {
    /** @param {SecondFields} record of a worker */
    addSecond(record) {
      const own = Math.floor(record.fromMs / lengthMs) * lengthMs;
      // A record that comes after its period was reported (the clock was set back) is not lost.
      const fromMs = Math.max(own, closedUntilMs);
      total.fromMs = Math.min(total.fromMs || fromMs, fromMs);
      const period = entryOf(open, fromMs, () => createSum(fromMs));
      for (const sum of [period, total]) addRecord(sum, record);
    },
    /** A worker has reported everything before `untilMs`. @param {number} worker @param {number} untilMs */
    tick(worker, untilMs) {
      reportedUntil[worker] = untilMs;
      close(Math.min(...reportedUntil));
    },
    /** Reports the rest. @returns {Summed} the whole run */
    finish() {
      close(Infinity);
      return total;
    },
  };
}

/** @param {number} fromMs @returns {Summed} */
function createSum(fromMs) {
  return { fromMs, counters: {}, sketches: {}, rates: {}, firstMs: Infinity, lastMs: 0 };
}

/** @param {Summed} sum @param {SecondFields} record */
function addRecord(sum, record) {
  const { firstMs, lastMs } = record;
  for (const [name, n] of Object.entries(record.counters)) {
    if (OURS.test(name)) continue;
    sum.counters[name] = (sum.counters[name] ?? 0) + n;
    const rate = RATE_OF_COUNTER[name];
    if (rate && n > 0) addRate(sum, rate, { count: n, firstMs, lastMs });
  }
  for (const [name, json] of Object.entries(record.sketches)) {
    sum.sketches[name] ??= new Sketch();
    sum.sketches[name].addJson(json);
  }
  for (const [name, count] of Object.entries(record.rates ?? {}))
    if (!Object.values(RATE_OF_COUNTER).includes(name))
      addRate(sum, name, { count, firstMs, lastMs });
  // A second in which users only waited has only a gauge.
  if (Object.keys(record.counters).length + Object.keys(record.sketches).length === 0) return;
  sum.firstMs = Math.min(sum.firstMs, firstMs);
  sum.lastMs = Math.max(sum.lastMs, lastMs);
}

/**
 * @param {Summed} sum
 * @param {string} name
 * @param {RateSpan} span
 */
function addRate(sum, name, { count, firstMs, lastMs }) {
  const known = sum.rates[name];
  sum.rates[name] = {
    count: (known?.count ?? 0) + count,
    firstMs: Math.min(known?.firstMs ?? Infinity, firstMs),
    lastMs: Math.max(known?.lastMs ?? 0, lastMs),
  };
}

/** Rate per second of activity (at least one second), rounded as in Artillery. @param {RateSpan} span */
export function ratePerSec({ count, firstMs, lastMs }) {
  return Math.round(count / (Math.max(lastMs - firstMs, 1000) / 1000));
}
