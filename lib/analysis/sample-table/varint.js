/** Whole numbers from 0 to 2^53 − 1 as unsigned LEB128 varints: seven bits per byte, lowest first. */

/** A growing buffer of bytes. */
export class VarintWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;

  /** @param {number} value @throws {RangeError} for any other number */
  add(value) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${value} is no whole number from 0 to 2^53 - 1`);
    if (this.#length + 8 > this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    let rest = value;
    while (rest > 127) {
      // no bitwise operators, which are limited to 32 bits
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** @returns {Uint8Array<ArrayBuffer>} */
  build() {
    return this.#bytes.slice(0, this.#length);
  }
}

/** Reads numbers in sequence. */
export class VarintReader {
  #bytes;
  #at = 0;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#bytes = bytes;
  }

  get done() {
    return this.#at >= this.#bytes.length;
  }

  /** The next number; 0 after the end. */
  next() {
    let byte = this.#bytes[this.#at++] ?? 0;
    if (byte < 128) return byte;
    let value = byte - 128;
    let factor = 128;
    do {
      byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return value;
  }
}

/**
 * Maps signed numbers to unsigned ones, small ones to small ones: 0, −1, 1, −2 … → 0, 1, 2, 3 …
 * @param {number} value
 */
export const toZigzag = value => (value < 0 ? -2 * value - 1 : 2 * value);

/** @param {number} value */
export const fromZigzag = value => (value % 2 ? -(value + 1) / 2 : value / 2);
