/** Lines from bytes: a file may be longer than the longest string that V8 can hold. */
import { closeSync, readSync } from 'node:fs';
import { openRegularFile } from '../files/regular-file.js';

const CHUNK_BYTES = 1 << 20;
/** Of a longer line only so much is given out. */
const LONGEST_LINE_BYTES = 32 * CHUNK_BYTES;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

/**
 * Takes a line, without its line end, in bytes that are valid until the next ones come.
 * @typedef {(bytes: Buffer, from: number, to: number) => void} OnLine
 */

/**
 * Reads files line by line. A last line without line end counts. It waits for the disk: the system reads
 * ahead by itself, and a thread that is asked for every chunk takes longer than the copy that it saves.
 * @param {OnLine} onLine
 * @returns {(file: string) => void} to be called for one file after the other
 */
export function createLineReader(onLine) {
  let buffer = Buffer.allocUnsafe(2 * CHUNK_BYTES);
  return file => {
    const { descriptor } = openRegularFile(file);
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

/** @param {Buffer} bytes @param {number} from @param {OnLine} onLine @returns {number} where the unfinished line begins */
function splitLines(bytes, from, onLine) {
  let start = from;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0) return start;
    onLine(bytes, start, end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
    start = end + 1;
  }
}
