/**
 * Sketches of a long run, in a few bytes each: an hour has hundreds of thousands, and as plain JSON
 * each bin is an array of its own.
 */

/** @typedef {import('./sketch.js').SketchJson} SketchJson */

const CHUNK_BYTES = 1 << 20;
const MAX_VARINT_BYTES = 5;
/** Minimum, maximum and sum, 8 bytes each; count, count of zeros and of bins. */
const HEAD_BYTES = 24 + 3 * MAX_VARINT_BYTES;
const LARGEST = 2 ** 31 - 1;

/** Reads as the JSON that went in; its bins are made when they are asked for. @implements {SketchJson} */
class StoredSketch {
  #chunk;
  #at;

  /** @param {DataView} chunk @param {number} at */
  constructor(chunk, at) {
    this.#chunk = chunk;
    this.#at = at;
  }

  get min() {
    return orNull(this.#chunk.getFloat64(this.#at));
  }

  get max() {
    return orNull(this.#chunk.getFloat64(this.#at + 8));
  }

  get sum() {
    return this.#chunk.getFloat64(this.#at + 16);
  }

  get count() {
    return new Reader(this.#chunk, this.#at + 24).next();
  }

  get zero() {
    const reader = new Reader(this.#chunk, this.#at + 24);
    reader.next();
    return reader.next();
  }

  get bins() {
    const reader = new Reader(this.#chunk, this.#at + 24);
    reader.next();
    reader.next();
    /** @type {SketchJson['bins']} */
    const bins = [];
    let key = 0;
    for (let left = reader.next(); left > 0; left--) {
      const step = reader.next();
      key += step & 1 ? -(step + 1) / 2 : step / 2;
      bins.push([key, reader.next()]);
    }
    return bins;
  }
}

export class SketchStore {
  #chunk = new DataView(new ArrayBuffer(CHUNK_BYTES));
  #at = 0;

  /**
   * @param {SketchJson} json
   * @returns {SketchJson} the same, stored; itself when its numbers are none of a sketch
   */
  add(json) {
    if (!isStorable(json)) return json;
    const size = HEAD_BYTES + json.bins.length * 2 * MAX_VARINT_BYTES;
    if (this.#at + size > this.#chunk.byteLength) {
      this.#chunk = new DataView(new ArrayBuffer(Math.max(CHUNK_BYTES, size)));
      this.#at = 0;
    }
    const at = this.#at;
    this.#chunk.setFloat64(at, json.min ?? Number.NaN);
    this.#chunk.setFloat64(at + 8, json.max ?? Number.NaN);
    this.#chunk.setFloat64(at + 16, json.sum);
    this.#at += 24;
    this.#write(json.count);
    this.#write(json.zero);
    this.#write(json.bins.length);
    let before = 0;
    for (const [key, count] of json.bins) {
      const step = key - before;
      this.#write(step < 0 ? -2 * step - 1 : 2 * step);
      this.#write(count);
      before = key;
    }
    return new StoredSketch(this.#chunk, at);
  }

  /** Unsigned LEB128. @param {number} number */
  #write(number) {
    let rest = number;
    for (; rest > 127; rest >>>= 7) this.#chunk.setUint8(this.#at++, (rest & 127) | 128);
    this.#chunk.setUint8(this.#at++, rest);
  }
}

class Reader {
  #chunk;
  #at;

  /** @param {DataView} chunk @param {number} at */
  constructor(chunk, at) {
    this.#chunk = chunk;
    this.#at = at;
  }

  next() {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#chunk.getUint8(this.#at++);
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
  }
}

/** A folder may come from somebody else. @param {any} json */
function isStorable(json) {
  const { count, zero, sum, min, max, bins } = json ?? {};
  const isNumber = (/** @type {unknown} */ value) => value === null || Number.isFinite(value);
  return (
    isCount(count) &&
    isCount(zero) &&
    Number.isFinite(sum) &&
    isNumber(min) &&
    isNumber(max) &&
    Array.isArray(bins) &&
    bins.every(
      bin => Math.abs(bin?.[0]) < LARGEST / 4 && Number.isInteger(bin[0]) && isCount(bin[1]),
    )
  );
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST;
}

/** @param {number} value */
function orNull(value) {
  return Number.isNaN(value) ? null : value;
}
