/** Splits a text that arrives in chunks of bytes into lines. */
import { StringDecoder } from 'node:string_decoder';

/** Only the beginning of a longer line is kept: a secret that is cut in two would not be recognised. */
const LONGEST_LINE = 256 * 1024;

/**
 * @param {(line: string) => void} onLine without the line feed
 * @param {number} [longest]
 * @returns {{add: (bytes: Buffer) => void, flush: () => void}} `flush`: the rest is a line, too
 */
export function createLineSplitter(onLine, longest = LONGEST_LINE) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isCut = false;
  const give = (/** @type {string} */ line) => {
    if (!isCut) onLine(line);
    isCut = false;
  };
  return {
    add(bytes) {
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) give(line);
      if (rest.length <= longest) return;
      give(rest);
      rest = '';
      isCut = true;
    },
    flush() {
      const text = rest + decoder.end();
      rest = '';
      if (text !== '') give(text);
    },
  };
}
