/** Following a file that a program writes to, line by line, as `tail -f` does. */
import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/**
 * Polls: a few reads of a small file cost microseconds, and it works on every file system.
 * @param {string} file that exists
 * @param {(line: string) => void} onLine
 * @param {number} intervalMs
 * @returns {{setInterval: (intervalMs: number) => void, stop: () => void}} `stop` reads the rest first;
 *   idempotent
 */
export function followLines(file, onLine, intervalMs) {
  const fd = openSync(file, 'r');
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(64 * 1024);
  let rest = '';
  let isOpen = true;
  const read = () => {
    for (let n = readSync(fd, buffer); n > 0; n = readSync(fd, buffer)) {
      const lines = (rest + decoder.write(buffer.subarray(0, n))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') onLine(line);
    }
  };
  let timer = setInterval(read, intervalMs);
  return {
    setInterval(newIntervalMs) {
      clearInterval(timer);
      if (isOpen) timer = setInterval(read, newIntervalMs);
    },
    stop() {
      if (!isOpen) return;
      clearInterval(timer);
      read();
      if (rest.trim() !== '') onLine(rest);
      isOpen = false;
      closeSync(fd);
    },
  };
}
