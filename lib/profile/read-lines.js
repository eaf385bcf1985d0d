/** Lines from bytes: a file may be longer than the longest string that V8 can hold. */
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1 << 20;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

/**
 * Some bytes of a file, valid until the next ones come.
 * @typedef {object} Chunk
 * @property {Buffer} bytes another object for other content
 * @property {DataView} view of the same bytes
 */

/**
 * Takes a line, without its line end.
 * @typedef {(chunk: Chunk, from: number, to: number) => void} OnLine
 */

/** @param {Buffer} bytes @returns {Chunk} */
export function toChunk(bytes) {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/**
 * Reads files line by line. A last line without line end counts. While a chunk is taken apart, the
 * next one is read already.
 * @param {OnLine} onLine
 * @returns {(file: string) => Promise<void>} to be called for one file after the other
 */
export function createLineReader(onLine) {
  const ahead = Buffer.allocUnsafe(CHUNK_BYTES);
  let buffer = Buffer.allocUnsafe(2 * CHUNK_BYTES);
  return async file => {
    const handle = await open(file, 'r');
    try {
      let kept = 0;
      let reading = handle.read(ahead, 0, CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await reading;
        if (bytesRead === 0) break;
        if (kept + bytesRead > buffer.length) buffer = enlarge(buffer, kept, kept + bytesRead);
        ahead.copy(buffer, kept, 0, bytesRead);
        reading = handle.read(ahead, 0, CHUNK_BYTES);
        const chunk = toChunk(buffer.subarray(0, kept + bytesRead));
        const rest = splitLines(chunk, onLine);
        buffer.copyWithin(0, rest, chunk.bytes.length);
        kept = chunk.bytes.length - rest;
      }
      if (kept > 0) onLine(toChunk(buffer.subarray(0, kept)), 0, kept);
    } finally {
      await handle.close();
    }
  };
}

/** @param {Chunk} chunk @param {OnLine} onLine @returns {number} where the unfinished line begins */
export function splitLines(chunk, onLine) {
  const { bytes } = chunk;
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0) return start;
    onLine(chunk, start, end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
    start = end + 1;
  }
}

/** @param {Buffer} buffer @param {number} kept @param {number} wanted */
function enlarge(buffer, kept, wanted) {
  const larger = Buffer.allocUnsafe(Math.max(wanted, buffer.length * 2));
  buffer.copy(larger, 0, 0, kept);
  return larger;
}
