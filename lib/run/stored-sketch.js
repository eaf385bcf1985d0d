/** Sketches as a few bytes each: as plain JSON each bin is an array of its own. */
import {
  ByteReader,
  isStorableCount,
  LARGEST_VARINT,
  MAX_VARINT_BYTES,
  SIZE_BYTES,
} from './byte-store.js';

/** @typedef {import('./sketch.js').SketchJson} SketchJson */
/** @typedef {import('./byte-store.js').ByteStore} ByteStore */

/** Minimum, maximum and sum, then count, count of zeros and of bins. */
const HEAD_BYTES = 3 * 8 + 3 * MAX_VARINT_BYTES + SIZE_BYTES;
/** The length of all bins is told in 16 bits. A DDSketch has 2,048 at most. */
const MAX_BINS = 6000;

/** Reads as the JSON that went in; its bins are made when they are asked for. @implements {SketchJson} */
export class StoredSketch {
  #bins;

  /** @param {ByteReader} reader where it begins; stands behind it afterwards */
  constructor(reader) {
    this.min = reader.readDouble();
    this.max = reader.readDouble();
    this.sum = reader.readDouble() ?? 0;
    this.count = reader.readNumber();
    this.zero = reader.readNumber();
    this.#bins = reader.skipSized();
  }

  get bins() {
    const reader = new ByteReader(this.#bins);
    /** @type {SketchJson['bins']} */
    const bins = [];
    let key = 0;
    for (let left = reader.readNumber(); left > 0; left--) {
      const step = reader.readNumber();
      key += step & 1 ? -(step + 1) / 2 : step / 2;
      bins.push([key, reader.readNumber()]);
    }
    return bins;
  }
}

/** Bytes that it takes at most. @param {SketchJson} sketch */
export function sizeOfSketch({ bins }) {
  return HEAD_BYTES + bins.length * 2 * MAX_VARINT_BYTES;
}

/** @param {ByteStore} store in which there is room @param {SketchJson} sketch a storable one */
export function writeSketch(store, { min, max, sum, count, zero, bins }) {
  store.writeDouble(min);
  store.writeDouble(max);
  store.writeDouble(sum);
  store.writeNumber(count);
  store.writeNumber(zero);
  store.writeSized(() => {
    store.writeNumber(bins.length);
    let before = 0;
    for (const [key, n] of bins) {
      const step = key - before;
      store.writeNumber(step < 0 ? -2 * step - 1 : 2 * step);
      store.writeNumber(n);
      before = key;
    }
  });
}

/** A folder may come from somebody else. @param {any} json */
export function isStorableSketch(json) {
  const { count, zero, sum, min, max, bins } = json ?? {};
  const isLimit = (/** @type {unknown} */ value) => value === null || Number.isFinite(value);
  return (
    isStorableCount(count) &&
    isStorableCount(zero) &&
    Number.isFinite(sum) &&
    isLimit(min) &&
    isLimit(max) &&
    Array.isArray(bins) &&
    bins.length <= MAX_BINS &&
    bins.every(
      bin =>
        Array.isArray(bin) &&
        Number.isInteger(bin[0]) &&
        Math.abs(bin[0]) < LARGEST_VARINT / 4 &&
        isStorableCount(bin[1]),
    )
  );
}
