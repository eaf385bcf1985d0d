const WORD_BYTES = 4;

/**
 * Values by the bytes of a text. Where millions of lines repeat few texts, a string of each line, and its hash, take
 * longer than all else. Only the length and a hash of 64 bits identify a text: to compare it with one that is not in the
 * processor's cache takes longer than to hash it. Among 100,000 texts, two have the same once in 3.7 billion times.
 * @template V
 */
export class BytesMap {
  /** @typedef {{second: number, length: number, value: V, next: Entry | undefined}} Entry */
  /** By the first half of the hash. @type {Map<number, Entry>} */
  #entries = new Map();
  /** Of the memory that the last bytes were in: to make one for each text takes as long as its hash. @type {DataView} */
  #view = new DataView(new ArrayBuffer(0));
  /** Of the last text. */
  #hash = { first: 0, second: 0 };

  /**
   * @param {Buffer} bytes @param {number} from @param {number} to
   * @param {(text: string) => V} create for bytes that are new
   * @returns {V}
   */
  entryOf(bytes, from, to, create) {
    const known = this.get(bytes, from, to);
    if (known !== undefined) return known;
    const value = create(bytes.toString('utf8', from, to));
    const { first, second } = this.#hash;
    const next = this.#entries.get(first);
    this.#entries.set(first, { second, length: to - from, value, next });
    return value;
  }

  /**
   * @param {Buffer} bytes @param {number} from @param {number} to
   * @returns {V | undefined}
   */
  get(bytes, from, to) {
    if (this.#view.buffer !== bytes.buffer) this.#view = new DataView(bytes.buffer);
    const { byteOffset } = bytes;
    hashBytes(this.#view, byteOffset + from, byteOffset + to, this.#hash);
    const { first, second } = this.#hash;
    let entry = this.#entries.get(first);
    while (entry && (entry.second !== second || entry.length !== to - from)) entry = entry.next;
    return entry?.value;
  }
}

/**
 * FxHash by words of four bytes, in four lanes, which a processor computes at the same time: two of the even words and
 * two of the odd ones, which differ in what they rotate and multiply by.
 * @param {DataView} view @param {number} from @param {number} to
 * @param {{first: number, second: number}} hash is set
 */
function hashBytes(view, from, to, hash) {
  let [a, b, c, d, at] = [0, 0, 0, 0, from];
  for (; at <= to - 2 * WORD_BYTES; at += 2 * WORD_BYTES) {
    const even = view.getInt32(at, true);
    const odd = view.getInt32(at + WORD_BYTES, true);
    a = mix(a, even, 5, 0x27220a95);
    b = mix(b, even, 13, 0x9e3779b1);
    c = mix(c, odd, 5, 0x27220a95);
    d = mix(d, odd, 13, 0x9e3779b1);
  }
  for (; at < to; at++) {
    const byte = view.getUint8(at);
    a = mix(a, byte, 5, 0x27220a95);
    b = mix(b, byte, 13, 0x9e3779b1);
  }
  hash.first = mix(a, c, 5, 0x27220a95);
  hash.second = mix(b, d, 13, 0x9e3779b1);
}

/**
 * @param {number} hash @param {number} word
 * @param {number} by bits
 * @param {number} factor
 */
const mix = (hash, word, by, factor) =>
  Math.imul(((hash << by) | (hash >>> (32 - by))) ^ word, factor);
