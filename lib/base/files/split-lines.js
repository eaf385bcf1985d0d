/** Splits a text that arrives in chunks of bytes into lines. */
import { findMark } from './regular-file.js';

/** On its own line where the middle of a recorded text was left out. */
export const CUT_MARK = '… cut …';
/** Only the beginning of a longer line is kept: a secret that is cut in two would not be recognised. */
const LONGEST_LINE = 256 * 1024;

/**
 * @param {(line: string) => void} onLine without the line feed
 * @param {number} [longest]
 * @param {{isForeign?: boolean}} [options] a file of another program: CR ends a line, too
 * @returns {{add: (bytes: Buffer) => void, flush: () => void}} `flush`: the rest is a line, too
 */
export function createLineSplitter(onLine, longest = LONGEST_LINE, { isForeign = false } = {}) {
  /** @type {InstanceType<typeof TextDecoder> | null} */
  let decoder = null;
  let rest = '';
  let isCut = false;
  const give = (/** @type {string} */ line) => {
    if (!isCut) onLine(line);
    isCut = false;
  };
  return {
    add(bytes) {
      const mark = findMark(bytes);
      decoder ??= new TextDecoder(mark === 'gzip' ? 'utf-8' : (mark ?? 'utf-8'));
      const text = decoder.decode(bytes, { stream: true });
      const lines = (rest + (isForeign ? text.replaceAll('\r', '\n') : text)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) give(line);
      if (rest.length <= longest) return;
      give(rest);
      rest = '';
      isCut = true;
    },
    flush() {
      const text = rest + (decoder?.decode() ?? '');
      decoder = null;
      rest = '';
      if (text !== '') give(text);
    },
  };
}
