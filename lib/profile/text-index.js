/** Texts as bytes → numbers from 0, without keeping the texts: 64 bits distinguish them. */

const FIRST_CAPACITY = 1024;
const BLOCK = 16;

/**
 * A hash of 64 bits instead of the bytes: a comparison with what is kept would cost a megabyte of
 * memory traffic per segment, and the texts of 50,000 stacks 60 MB. That two of 300,000 texts have the
 * same 64 bits happens once in 400 million recordings.
 */
export class TextIndex {
  #slots = new Int32Array(FIRST_CAPACITY * 2).fill(-1);
  #high = new Int32Array(FIRST_CAPACITY);
  #low = new Int32Array(FIRST_CAPACITY);
  #count = 0;
  /** Four lanes, so that no step waits for the one before. */
  #lanes = new Int32Array(4);

  get size() {
    return this.#count;
  }

  /**
   * The number of a text: the next one, `size` before the call, when it is new.
   * @param {DataView} bytes in which it stands
   * @param {number} from
   * @param {number} to
   */
  intern(bytes, from, to) {
    this.#begin(to - from);
    this.#feed(bytes, from, to);
    return this.#find(true);
  }

  /**
   * The number of a text that is known; -1 of another one.
   * @param {DataView} bytes
   * @param {number} from
   * @param {number} to
   */
  find(bytes, from, to) {
    this.#begin(to - from);
    this.#feed(bytes, from, to);
    return this.#find(false);
  }

  /**
   * The same as `intern` of a text with a piece cut out; where the piece was is part of it.
   * @param {DataView} bytes
   * @param {number} from
   * @param {number} cutFrom
   * @param {number} cutTo
   * @param {number} to
   */
  internWithout(bytes, from, cutFrom, cutTo, to) {
    this.#begin(cutFrom - from);
    this.#feed(bytes, from, cutFrom);
    this.#feed(bytes, cutTo, to);
    return this.#find(true);
  }

  /** @param {number} seed */
  #begin(seed) {
    const lanes = this.#lanes;
    lanes[0] = seed;
    lanes[1] = 0x165667b1;
    lanes[2] = 0x27d4eb2f;
    lanes[3] = 0x5bd1e995;
  }

  /** One multiplication and rotation a word, as murmur3 does it. @param {DataView} bytes @param {number} from @param {number} to */
  #feed(bytes, from, to) {
    const lanes = this.#lanes;
    let a = lanes[0] ?? 0;
    let b = lanes[1] ?? 0;
    let c = lanes[2] ?? 0;
    let d = lanes[3] ?? 0;
    let at = from;
    for (; at + BLOCK <= to; at += BLOCK) {
      a = Math.imul(a ^ bytes.getInt32(at, true), 0x9e3779b1);
      b = Math.imul(b ^ bytes.getInt32(at + 4, true), 0x85ebca6b);
      c = Math.imul(c ^ bytes.getInt32(at + 8, true), 0xc2b2ae35);
      d = Math.imul(d ^ bytes.getInt32(at + 12, true), 0x1b873593);
      a = (a << 13) | (a >>> 19);
      b = (b << 15) | (b >>> 17);
      c = (c << 13) | (c >>> 19);
      d = (d << 17) | (d >>> 15);
    }
    for (; at < to; at++) {
      a = Math.imul(a ^ bytes.getUint8(at), 0x9e3779b1);
      a = (a << 13) | (a >>> 19);
      b = Math.imul(b ^ a, 0x85ebca6b);
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d ^ (to - from);
  }

  /** @param {boolean} adds what is new */
  #find(adds) {
    const lanes = this.#lanes;
    const a = lanes[0] ?? 0;
    const b = lanes[1] ?? 0;
    const c = lanes[2] ?? 0;
    const d = lanes[3] ?? 0;
    const high = mix(a ^ mix(b + mix(c ^ mix(d))));
    const low = mix((d ^ 0x9e3779b1) + mix(c + mix(b ^ mix(a + 1))));
    const mask = this.#slots.length - 1;
    let slot = high & mask;
    for (;;) {
      const index = this.#slots[slot] ?? -1;
      if (index === -1) break;
      if (this.#high[index] === high && this.#low[index] === low) return index;
      slot = (slot + 1) & mask;
    }
    if (!adds) return -1;
    const index = this.#count++;
    this.#high[index] = high;
    this.#low[index] = low;
    this.#slots[slot] = index;
    if (this.#count === this.#high.length) this.#grow();
    return index;
  }

  #grow() {
    const capacity = this.#high.length * 2;
    const [high, low] = [new Int32Array(capacity), new Int32Array(capacity)];
    high.set(this.#high);
    low.set(this.#low);
    [this.#high, this.#low] = [high, low];
    this.#slots = new Int32Array(capacity * 2).fill(-1);
    const mask = this.#slots.length - 1;
    for (let index = 0; index < this.#count; index++) {
      let slot = (high[index] ?? 0) & mask;
      while (this.#slots[slot] !== -1) slot = (slot + 1) & mask;
      this.#slots[slot] = index;
    }
  }
}

/** murmur3's finalizer: each bit of the result depends on each of `value`. @param {number} value */
function mix(value) {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}
