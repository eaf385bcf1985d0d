/** Reads lines as bytes, because a file may be longer than V8's longest string. */
import { closeSync, readSync } from 'node:fs';
import { openRegularFile } from '../../base/files/regular-file.js';

const CHUNK_BYTES = 1 << 18;
/** The rest of a longer line is skipped. */
const LONGEST_LINE_BYTES = 128 * CHUNK_BYTES;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

/**
 * Receives a line without its line end. The bytes are only valid during the call.
 * @typedef {(bytes: Buffer, from: number, to: number) => void} OnLine
 */

/**
 * Reads files line by line, including a last line without line end. It reads synchronously: the system reads ahead, and
 * asking another thread for each chunk takes longer than the copy that it saves.
 * @param {OnLine} onLine
 * @returns {(source: string | Buffer) => void} reads one file, or text in memory, after the other
 */
export function createLineReader(onLine) {
  let buffer = Buffer.allocUnsafe(2 * CHUNK_BYTES);
  return source => {
    if (typeof source !== 'string') {
      const rest = splitLines(source, 0, onLine);
      return onLine(source, rest, source.length);
    }
    const { descriptor } = openRegularFile(source);
    try {
      let kept = 0;
      let isCut = false;
      for (;;) {
        if (kept + CHUNK_BYTES > LONGEST_LINE_BYTES) {
          onLine(buffer.subarray(0, kept), 0, kept);
          [kept, isCut] = [0, true];
        }
        if (kept + CHUNK_BYTES > buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
        const bytesRead = readSync(descriptor, buffer, kept, CHUNK_BYTES, null);
        if (bytesRead === 0) break;
        const bytes = buffer.subarray(0, kept + bytesRead);
        const behindCut = isCut ? bytes.indexOf(LINE_FEED) + 1 : 0;
        if (isCut && behindCut === 0) continue;
        isCut = false;
        const rest = splitLines(bytes, behindCut, onLine);
        buffer.copyWithin(0, rest, bytes.length);
        kept = bytes.length - rest;
      }
      if (kept > 0) onLine(buffer.subarray(0, kept), 0, kept);
    } finally {
      closeSync(descriptor);
    }
  };
}

/**
 * @param {Buffer} bytes
 * @param {number} from
 * @param {OnLine} onLine
 * @returns {number} start of the unfinished line
 */
function splitLines(bytes, from, onLine) {
  let start = from;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0) return start;
    onLine(bytes, start, end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
    start = end + 1;
  }
}
