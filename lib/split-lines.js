/** Lines of a text that arrives as bytes, piece by piece. */
import { StringDecoder } from 'node:string_decoder';

/** A line without an end is given out in parts. */
const LONGEST_LINE = 256 * 1024;

/**
 * @param {(line: string) => void} onLine without its end
 * @returns {{add: (bytes: Buffer) => void, flush: () => void}} `flush`: what is left is a line, too
 */
export function createLineSplitter(onLine) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const flush = () => {
    const text = rest + decoder.end();
    rest = '';
    if (text !== '') onLine(text);
  };
  return {
    add(bytes) {
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
      if (rest.length > LONGEST_LINE) flush();
    },
    flush,
  };
}
