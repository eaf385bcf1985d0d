/** Sums as Artillery's plugins, and the file that it writes, know them. */
import { Sketch } from '../../../math/sketch.js';

/** @import { SecondFields } from '../metrics/second.d.ts' */

/**
 * Of a run, or of a part of it.
 * @typedef {object} Summed
 * @property {Record<string, number>} counters
 * @property {Record<string, Sketch>} sketches
 * @property {Record<string, number>} rates how often each event happened
 * @property {number} firstMs when something was recorded first; Infinity: nothing was
 * @property {number} lastMs
 */

/**
 * As Artillery's plugins know them.
 * @typedef {object} Stats
 * @property {Record<string, number>} counters
 * @property {Record<string, number>} rates
 * @property {number} [firstCounterAt]
 * @property {number} [firstHistogramAt]
 * @property {number} [lastCounterAt]
 * @property {number} [lastHistogramAt]
 * @property {number} [firstMetricAt]
 * @property {number} [lastMetricAt]
 * @property {number | string} [period]
 * @property {Record<string, Record<string, number>>} summaries
 * @property {object} [histograms]
 */

/** Artillery tells these events as a rate, too. */
const RATE_OF_COUNTER = /** @type {Record<string, string>} */ ({
  'http.requests': 'http.request_rate',
  'socketio.emit': 'socketio.emit_rate',
  'websocket.messages_sent': 'websocket.send_rate',
  'websocket.messages_received': 'websocket.receive_rate',
});
/** Only where a script asks for them (`config.http.extendedMetrics`). */
const EXTENDED = new Set(['http.dns', 'http.tcp', 'http.tls', 'http.total']);
/** What scripts, plugins and files of Artillery's do not know. */
const OURS =
  /^(http\.(total_from_intended$|refused\.)|vusers\.((completed|failed)_by_name|first_failure)\.)/;

const QUANTILES = { p50: 0.5, median: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999 };

/** @returns {Summed} */
export function createSum() {
  return { counters: {}, sketches: {}, rates: {}, firstMs: Infinity, lastMs: 0 };
}

/** @param {Summed} sum @param {SecondFields} record */
export function addRecord(sum, { counters, sketches, rates = {}, firstMs, lastMs }) {
  addCounts(sum.counters, counters);
  addCounts(sum.rates, rates);
  for (const [name, json] of Object.entries(sketches)) {
    sum.sketches[name] ??= new Sketch();
    sum.sketches[name].addJson(json);
  }
  // A second in which users only waited has nothing but a gauge.
  if (Object.keys(counters).length + Object.keys(sketches).length === 0) return;
  sum.firstMs = Math.min(sum.firstMs, firstMs);
  sum.lastMs = Math.max(sum.lastMs, lastMs);
}

/** @param {Record<string, number>} into @param {Record<string, number>} counts */
function addCounts(into, counts) {
  for (const [name, n] of Object.entries(counts)) into[name] = (into[name] ?? 0) + n;
}

/**
 * @param {Summed} sum
 * @param {object} [options]
 * @param {boolean} [options.extendedMetrics]
 * @param {typeof import('@artilleryio/sketches-js').DDSketch | null} [options.DDSketch] for plugins, which serialize
 *   histograms
 * @returns {Stats}
 */
export function formatStats(sum, { extendedMetrics = true, DDSketch = null } = {}) {
  const counters = Object.entries(sum.counters).filter(([name]) => !OURS.test(name));
  const sketches = Object.entries(sum.sketches).filter(
    ([name]) => !OURS.test(name) && (extendedMetrics || !EXTENDED.has(name)),
  );
  const counted = counters.flatMap(([name, n]) => {
    const rate = RATE_OF_COUNTER[name];
    return rate && n > 0 ? [[rate, n]] : [];
  });
  // Per second of activity, at least one, as Artillery rounds it.
  const seconds = Math.max(sum.lastMs - sum.firstMs, 1000) / 1000;
  const rates = Object.entries({ ...sum.rates, ...Object.fromEntries(counted) });
  const [firstMs, lastMs] = Number.isFinite(sum.firstMs) ? [sum.firstMs, sum.lastMs] : [];
  const [firstHistogramMs, lastHistogramMs] = sketches.length > 0 ? [firstMs, lastMs] : [];
  const histograms =
    DDSketch && sketches.map(([name, sketch]) => [name, asHistogram(sketch, DDSketch)]);
  return {
    counters: Object.fromEntries(counters),
    rates: Object.fromEntries(rates.map(([name, n]) => [name, Math.round(n / seconds)])),
    firstCounterAt: firstMs,
    firstHistogramAt: firstHistogramMs,
    lastCounterAt: lastMs,
    lastHistogramAt: lastHistogramMs,
    firstMetricAt: firstMs,
    lastMetricAt: lastMs,
    period: firstMs,
    summaries: Object.fromEntries(sketches.map(([name, sketch]) => [name, summarize(sketch)])),
    ...(histograms && { histograms: Object.fromEntries(histograms) }),
  };
}

/** @param {Sketch} sketch @param {typeof import('@artilleryio/sketches-js').DDSketch} DDSketch */
function asHistogram(sketch, DDSketch) {
  const histogram = new DDSketch({ relativeAccuracy: 0.01 });
  for (const [key, count] of sketch.bins()) histogram.store.add(key, count);
  const { count, sum, min, max, zero: zeroCount } = sketch;
  return Object.assign(histogram, { count, sum, min, max, zeroCount });
}

/** @param {Sketch} sketch @returns {Record<string, number>} ms, to a tenth */
function summarize(sketch) {
  const { min, max, count } = sketch;
  const quantiles = Object.entries(QUANTILES).map(([name, q]) => [name, sketch.quantile(q) ?? 0]);
  const values = Object.entries({ min, max, count, mean: sketch.sum / count });
  return Object.fromEntries(
    [...values, ...quantiles].map(([name, value]) => [name, Math.round(Number(value) * 10) / 10]),
  );
}
