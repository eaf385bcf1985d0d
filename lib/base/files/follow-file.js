/** Follows a file that a program writes to, as `tail -F` does: through rotation, truncation and absence. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { createLineSplitter } from './split-lines.js';

/** @import { Stats } from 'node:fs' */

const CHUNK_BYTES = 256 * 1024;
/** When reading falls farther behind, the bytes in between are skipped: the load must not wait for its log. */
const FARTHEST_BEHIND = 32 * 1024 * 1024;

/**
 * @typedef {object} Follower
 * @property {() => void} read reads what is new; call it repeatedly; throws, and stops, when it can't read
 * @property {() => void} stop reads the rest, including an unfinished last line; idempotent; throws like `read`
 * @property {() => string} id of the file that is followed now, independent of its name
 */

/**
 * @param {string} file must exist and be readable
 * @param {object} options
 * @param {(line: string) => void} options.onLine without its end
 * @param {boolean} [options.fromStart] false: only what is written from now on
 * @param {number} [options.longestLine] longer lines are cut off there
 * @param {(bytes: number) => void} [options.onSkipped]
 * @returns {Follower}
 * @throws what `openSync` throws
 */
export function followFile(file, { onLine, fromStart = true, longestLine, onSkipped = () => {} }) {
  let fd = openSync(file, 'r');
  let id = identify(fstatSync(fd));
  let position = fromStart ? 0 : findLineStart(fd);
  let lines = createLineSplitter(onLine, longestLine);
  let isOpen = true;
  const buffer = Buffer.alloc(CHUNK_BYTES);

  const readOpen = () => {
    const { size } = fstatSync(fd);
    if (size < position) {
      // Emptied in place (`copytruncate`): all content is new.
      lines.flush();
      position = 0;
    }
    if (size - position > FARTHEST_BEHIND) {
      onSkipped(size - position - CHUNK_BYTES);
      position = size - CHUNK_BYTES;
      lines = createLineSplitter(onLine, longestLine);
    }
    for (let n = readAt(); n > 0; n = readAt()) {
      position += n;
      lines.add(buffer.subarray(0, n));
    }
  };
  const readAt = () => readSync(fd, buffer, 0, CHUNK_BYTES, position);
  const close = () => {
    isOpen = false;
    lines.flush();
    closeSync(fd);
  };
  const readNew = () => {
    readOpen();
    const now = statSync(file, { throwIfNoEntry: false });
    if (!now || identify(now) === id) return;
    // Renamed: the program wrote its last lines before or just after that.
    readOpen();
    lines.flush();
    const next = openSync(file, 'r');
    closeSync(fd);
    fd = next;
    id = identify(fstatSync(fd));
    position = 0;
    readOpen();
  };
  return {
    id: () => id,
    read() {
      if (!isOpen) return;
      try {
        readNew();
      } catch (error) {
        close();
        throw error;
      }
    },
    stop() {
      this.read();
      if (isOpen) close();
    },
  };
}

/** @param {Stats} stats */
export function identify({ dev, ino }) {
  return `${dev}:${ino}`;
}

/** Where the line begins that is being written now: usually the end of the file. @param {number} fd */
function findLineStart(fd) {
  const { size } = fstatSync(fd);
  const length = Math.min(size, 4096);
  const tail = Buffer.alloc(length);
  readSync(fd, tail, 0, length, size - length);
  const newline = tail.lastIndexOf(10);
  return newline < 0 ? size : size - length + newline + 1;
}
