const WORD_BYTES = 4;

/**
 * Values by the bytes of a text. Where millions of lines repeat few texts, a string of each line, and its hash, take
 * longer than all else.
 * @template V
 */
export class BytesMap {
  /** @type {Map<number, {key: Buffer, value: V}[]>} by the hash of their keys */
  #buckets = new Map();

  /**
   * @param {Buffer} bytes @param {number} from @param {number} to
   * @param {(text: string) => V} create for bytes that are new
   * @returns {V}
   */
  entryOf(bytes, from, to, create) {
    const hash = hashBytes(bytes, from, to);
    const bucket = this.#buckets.get(hash) ?? [];
    for (const { key, value } of bucket)
      if (bytes.compare(key, 0, key.length, from, to) === 0) return value;
    const value = create(bytes.toString('utf8', from, to));
    bucket.push({ key: Buffer.from(bytes.subarray(from, to)), value });
    this.#buckets.set(hash, bucket);
    return value;
  }
}

/**
 * FNV-1a by words of four bytes.
 * @param {Buffer} bytes @param {number} from @param {number} to
 * @returns {number}
 */
function hashBytes(bytes, from, to) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from, to - from);
  const words = view.byteLength - (view.byteLength % WORD_BYTES);
  let hash = 0x811c9dc5;
  for (let at = 0; at < words; at += WORD_BYTES)
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x01000193);
  for (let at = words; at < view.byteLength; at++)
    hash = Math.imul(hash ^ view.getUint8(at), 0x01000193);
  return hash;
}
