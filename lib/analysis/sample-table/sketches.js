/** The timeline's latency sketches in the browser: thousands of small ones, merged for every selection. */

import { Sketch } from '../../base/math/sketch.js';
import { unpackNumbers } from './unpack.js';
import { fromZigzag } from './varint.js';

/** @import { Packed } from '../../run/facts/sample-table.d.ts' */

/** Times in ms. @typedef {import('../../base/math/sketch.js').SketchBins} LatencySketch */

/**
 * @param {Packed} packed `timeline.load.latency`
 * @param {number} endpointCount
 * @param {number} windowCount
 * @returns {Promise<{timeToFirstByte: LatencySketch | null, total: LatencySketch | null}[][]>} per
 *   endpoint, per window; null if nothing was measured
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
  const min = numbers.next() / 1000;
  const max = numbers.next() / 1000;
  const sum = numbers.next() / 1000;
  const zero = numbers.next();
  const keys = new Int32Array(length);
  const counts = new Int32Array(length);
  let count = zero;
  let key = 0;
  for (let bin = 0; bin < length; bin++) {
    key = bin === 0 ? fromZigzag(numbers.next()) : key + numbers.next();
    keys[bin] = key;
    counts[bin] = numbers.next();
    count += counts[bin] ?? 0;
  }
  return { count, sum, min, max, zero, keys, counts };
}

/**
 * The sketch of all values together, exactly.
 * @param {Iterable<LatencySketch | null>} sketches
 */
export function mergeLatency(sketches) {
  const merged = new Sketch();
  for (const sketch of sketches) if (sketch) merged.addBins(sketch);
  return merged;
}
