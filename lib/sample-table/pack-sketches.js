import { packNumbers } from './pack.js';
import { toZigzag } from './varint.js';

/** @typedef {import('../math/sketch.js').SketchJson} SketchJson */

/**
 * Latency sketches (ms) one after the other, as `unpackLatency` reads them: per endpoint, per window
 * the time to first byte, then the total time.
 * @param {Iterable<SketchJson | null>} sketches null or an empty one where nothing was measured
 * @returns {import('../facts/sample-table.d.ts').Packed}
 */
export function packSketches(sketches) {
  return packNumbers(numbersOf(sketches));
}

/** @param {Iterable<SketchJson | null>} sketches */
function* numbersOf(sketches) {
  for (const sketch of sketches) {
    if (!sketch || sketch.count === 0) {
      yield 0;
      continue;
    }
    const bins = sketch.bins.toSorted(([a], [b]) => a - b);
    yield bins.length + 1;
    for (const ms of [sketch.min ?? 0, sketch.max ?? 0, sketch.sum])
      yield Math.max(0, Math.round(ms * 1000));
    yield sketch.zero;
    let before = null;
    for (const [key, count] of bins) {
      yield before === null ? toZigzag(key) : key - before;
      yield count;
      before = key;
    }
  }
}
