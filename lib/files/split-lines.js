/** Lines of a text that arrives as bytes, piece by piece. */
import { StringDecoder } from 'node:string_decoder';

/** Of a longer one only the start is given out: a secret that is cut in two is no longer known. */
const LONGEST_LINE = 256 * 1024;

/**
 * @param {(line: string) => void} onLine without its end
 * @param {number} [longest]
 * @returns {{add: (bytes: Buffer) => void, flush: () => void}} `flush`: what is left is a line, too
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
