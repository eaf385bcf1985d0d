/** Lines from bytes: a file may be longer than the longest string that V8 can hold. */
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';

const CHUNK_BYTES = 1 << 20;

/**
 * Calls `onLine` for every line of a file, without its line end. A last line without line end counts.
 * @param {string} file
 * @param {(line: string) => void} onLine
 * @returns {Promise<void>}
 */
export async function readLines(file, onLine) {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      rest = splitLines(rest + decoder.write(buffer.subarray(0, bytesRead)), onLine);
    }
    rest += decoder.end();
    if (rest !== '') onLine(rest);
  } finally {
    await handle.close();
  }
}

/** @param {string} text @param {(line: string) => void} onLine @returns {string} the unfinished line */
export function splitLines(text, onLine) {
  let start = 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    if (end === -1) return text.slice(start);
    onLine(
      text.charCodeAt(end - 1) === 13 && end > start
        ? text.slice(start, end - 1)
        : text.slice(start, end),
    );
    start = end + 1;
  }
}
