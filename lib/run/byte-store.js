/** Numbers one after the other in large chunks of bytes, and how they are read again. */

const CHUNK_BYTES = 1 << 20;
const DOUBLE_BYTES = 8;
export const SIZE_BYTES = 2;
export const MAX_VARINT_BYTES = 5;
export const LARGEST_VARINT = 2 ** 31 - 1;

/** @typedef {{chunk: DataView, at: number}} Place */

export class ByteStore {
  #chunk = new DataView(new ArrayBuffer(CHUNK_BYTES));
  #at = 0;

  /** Room for what belongs together: it must be in one chunk. @param {number} bytes @returns {Place} where it will begin */
  reserve(bytes) {
    if (this.#at + bytes > this.#chunk.byteLength) {
      this.#chunk = new DataView(new ArrayBuffer(Math.max(CHUNK_BYTES, bytes)));
      this.#at = 0;
    }
    return { chunk: this.#chunk, at: this.#at };
  }

  /** Unsigned LEB128. @param {number} number a whole one, 0 … 2^31 − 1 */
  writeNumber(number) {
    let rest = number;
    for (; rest > 127; rest >>>= 7) this.#chunk.setUint8(this.#at++, (rest & 127) | 128);
    this.#chunk.setUint8(this.#at++, rest);
  }

  /** @param {number | null} number */
  writeDouble(number) {
    this.#chunk.setFloat64(this.#at, number ?? Number.NaN);
    this.#at += DOUBLE_BYTES;
  }

  /** Writes something with its length in front, so that a reader can step over it. @param {() => void} write at most 65,535 bytes */
  writeSized(write) {
    const start = this.#at;
    this.#at += SIZE_BYTES;
    write();
    this.#chunk.setUint16(start, this.#at - start - SIZE_BYTES);
  }
}

export class ByteReader {
  /** @param {Place} place */
  constructor({ chunk, at }) {
    this.chunk = chunk;
    this.at = at;
  }

  readNumber() {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.chunk.getUint8(this.at++);
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
  }

  /** Steps over what has its length in front. @returns {Place} where it begins */
  skipSized() {
    const place = { chunk: this.chunk, at: this.at + SIZE_BYTES };
    this.at = place.at + this.chunk.getUint16(this.at);
    return place;
  }

  /** @returns {number | null} */
  readDouble() {
    const number = this.chunk.getFloat64(this.at);
    this.at += DOUBLE_BYTES;
    return Number.isNaN(number) ? null : number;
  }
}

/** @param {unknown} value */
export function isStorableCount(value) {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST_VARINT;
}
