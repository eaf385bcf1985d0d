/**
 * The timeline's latency sketches in the browser: DDSketch (Masson, Rim, Lee, VLDB 2019) with
 * relative accuracy 0.01, which `lib/run/sketch.js` keeps with a library while a run is recorded.
 */

import { unpackNumbers } from './unpack.js';
import { fromZigzag } from './varint.js';

/** @import { Packed } from './sample-table.d.ts' */

const RELATIVE_ACCURACY_OF_BINS = 0.01;
const GAMMA = (1 + RELATIVE_ACCURACY_OF_BINS) / (1 - RELATIVE_ACCURACY_OF_BINS);

/**
 * Times in ms. Bins are sorted by key.
 * @typedef {object} LatencySketch
 * @property {number} count
 * @property {number} sumMs
 * @property {number} minMs Infinity where there is nothing
 * @property {number} maxMs −Infinity where there is nothing
 * @property {number} zeros
 * @property {ArrayLike<number>} keys
 * @property {ArrayLike<number>} counts
 */

/**
 * @param {Packed} packed `timeline.load.latency`
 * @param {number} endpointCount
 * @param {number} windowCount
 * @returns {Promise<{timeToFirstByte: LatencySketch | null, total: LatencySketch | null}[][]>} per
 *   endpoint, per window; null where nothing was measured
 */
export async function unpackLatency(packed, endpointCount, windowCount) {
  const numbers = await unpackNumbers(packed);
  return Array.from({ length: endpointCount }, () =>
    Array.from({ length: windowCount }, () => ({
      timeToFirstByte: readLatencySketch(numbers),
      total: readLatencySketch(numbers),
    })),
  );
}

/** @param {{next: () => number}} numbers @returns {LatencySketch | null} */
function readLatencySketch(numbers) {
  const length = numbers.next() - 1;
  if (length < 0) return null;
  const minMs = numbers.next() / 1000;
  const maxMs = numbers.next() / 1000;
  const sumMs = numbers.next() / 1000;
  const zeros = numbers.next();
  const keys = new Int32Array(length);
  const counts = new Int32Array(length);
  let count = zeros;
  let key = 0;
  for (let bin = 0; bin < length; bin++) {
    key = bin === 0 ? fromZigzag(numbers.next()) : key + numbers.next();
    keys[bin] = key;
    counts[bin] = numbers.next();
    count += counts[bin] ?? 0;
  }
  return { count, sumMs, minMs, maxMs, zeros, keys, counts };
}

/**
 * The sketch of all values together, exactly.
 * @param {Iterable<LatencySketch | null>} sketches
 * @returns {LatencySketch}
 */
export function mergeLatency(sketches) {
  const merged = { count: 0, sumMs: 0, minMs: Infinity, maxMs: -Infinity, zeros: 0 };
  /** @type {LatencySketch[]} */
  const parts = [];
  let [first, last] = [Infinity, -Infinity];
  for (const sketch of sketches) {
    if (!sketch) continue;
    parts.push(sketch);
    merged.count += sketch.count;
    merged.sumMs += sketch.sumMs;
    merged.minMs = Math.min(merged.minMs, sketch.minMs);
    merged.maxMs = Math.max(merged.maxMs, sketch.maxMs);
    merged.zeros += sketch.zeros;
    first = Math.min(first, sketch.keys[0] ?? Infinity);
    last = Math.max(last, sketch.keys[sketch.keys.length - 1] ?? -Infinity);
  }
  // a list over the range of keys: a page merges thousands of sketches at every selection
  const bins = new Float64Array(Math.max(0, last - first + 1));
  for (const { keys, counts } of parts)
    for (let bin = 0; bin < keys.length; bin++) {
      const at = (keys[bin] ?? 0) - first;
      bins[at] = (bins[at] ?? 0) + (counts[bin] ?? 0);
    }
  const keys = Int32Array.from([...bins.keys()].filter(at => (bins[at] ?? 0) > 0));
  return {
    ...merged,
    keys: keys.map(at => at + first),
    counts: Float64Array.from(keys, at => bins[at] ?? 0),
  };
}

/**
 * Within 1 % of the true value; the formula of DDSketch, and never outside what was measured.
 * @param {LatencySketch} sketch
 * @param {number} quantile 0…1
 * @returns {number | null} ms; null where there is nothing
 */
export function latencyAt({ count, minMs, maxMs, zeros, keys, counts }, quantile) {
  if (count === 0) return null;
  const rank = quantile * (count - 1) - zeros;
  if (rank < 0) return 0;
  let running = 0;
  let bin = 0;
  for (; bin < keys.length - 1; bin++) {
    running += counts[bin] ?? 0;
    if (running > rank) break;
  }
  return Math.min(maxMs, Math.max(minMs, latencyOfBin(keys[bin] ?? 0)));
}

/** What a bin stands for, ms: no value of it is further than 1 % away. @param {number} key */
export function latencyOfBin(key) {
  return (GAMMA ** key * 2) / (1 + GAMMA);
}
