/** Formats sums for Artillery's plugins and its `--output`. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { mapValues } from '../../base/files/maps.js';
import { statOrNull } from '../../base/files/regular-file.js';
import { ratePerSec } from '../metrics/periods.js';

/** @import { Sketch } from '../../base/math/sketch.js' */
/** @import { Summed } from '../metrics/periods.js' */

/**
 * The format of Artillery's plugins.
 * @typedef {object} Stats
 * @property {Record<string, number>} counters
 * @property {Record<string, number>} rates
 * @property {number} [firstCounterAt]
 * @property {number} [firstHistogramAt]
 * @property {number} [lastCounterAt]
 * @property {number} [lastHistogramAt]
 * @property {number} [firstMetricAt]
 * @property {number} [lastMetricAt]
 * @property {number | string} period
 * @property {Record<string, Record<string, number>>} summaries
 * @property {object} [histograms]
 */

/** Only if a script enables them (`config.http.extendedMetrics`). */
const EXTENDED = new Set(['http.dns', 'http.tcp', 'http.tls', 'http.total']);
/** Names that Artillery does not have. */
const OURS =
  /^(errors_of_steps\.|http\.(total_from_intended$|broken$|refused\.)|vusers\.(completed|failed)_by_name\.)/;

const QUANTILES = { p50: 0.5, median: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999 };

/**
 * @param {Summed} sum
 * @param {number | string} period
 * @param {object} [options]
 * @param {boolean} [options.extendedMetrics]
 * @param {typeof import('@artilleryio/sketches-js').DDSketch | null} [options.DDSketch] for plugins, which serialize
 *   histograms
 * @returns {Stats} of a period, or of a run
 */
export function formatStats(sum, period, { extendedMetrics = true, DDSketch = null } = {}) {
  const sketches = Object.entries(sum.sketches).filter(
    ([name]) => !OURS.test(name) && (extendedMetrics || !EXTENDED.has(name)),
  );
  const [firstMs, lastMs] = Number.isFinite(sum.firstMs) ? [sum.firstMs, sum.lastMs] : [];
  const [firstHistogramMs, lastHistogramMs] = sketches.length > 0 ? [firstMs, lastMs] : [];
  const histograms =
    DDSketch && sketches.map(([name, sketch]) => [name, asHistogram(sketch, DDSketch)]);
  return {
    counters: Object.fromEntries(Object.entries(sum.counters).filter(([name]) => !OURS.test(name))),
    rates: mapValues(sum.rates, ratePerSec),
    ...{ firstCounterAt: firstMs, lastCounterAt: lastMs },
    ...{ firstHistogramAt: firstHistogramMs, lastHistogramAt: lastHistogramMs },
    ...{ firstMetricAt: firstMs, lastMetricAt: lastMs },
    period,
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
  const quantiles = mapValues(QUANTILES, q => sketch.quantile(q) ?? 0);
  const values = { min, max, count, mean: sketch.sum / count, ...quantiles };
  return mapValues(values, value => Math.round(value * 10) / 10);
}

// -- `--output`: the JSON file that Artillery writes at the end of a run.

/**
 * @param {string | undefined} output a file, or an existing folder
 * @returns {string | null} the file; in a folder, its name contains the time
 * @throws {Error} if its folder does not exist
 */
export function findOutputFile(output) {
  if (!output) return null;
  if (statOrNull(output)?.isDirectory()) {
    const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '_').slice(0, 15);
    return path.join(output, `artillery_report_${stamp}.json`);
  }
  if (!existsSync(path.dirname(output))) throw new Error(`path does not exist: ${output}`);
  return output;
}

/**
 * @param {Stats} aggregate of the whole run
 * @param {Stats[]} intermediate of its periods
 * @returns {{aggregate: Stats, intermediate: Stats[]}} content of the file
 */
export function formatOutput(aggregate, intermediate) {
  // Artillery writes the summaries twice, and no histograms.
  const plain = (/** @type {Stats} */ stats) => ({ ...stats, histograms: stats.summaries });
  return { aggregate: plain(aggregate), intermediate: intermediate.map(plain) };
}
