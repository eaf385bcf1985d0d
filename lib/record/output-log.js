/** What a program says goes into a file: by whole lines, and without secrets. */
import { finished } from 'node:stream/promises';
import { appendText } from '../files/own-files.js';
import { createLineSplitter } from '../files/split-lines.js';

/** @import { Readable } from 'node:stream' */

/** Of a longer line only the start is kept. */
const LOOKED_AT = 16_384;
const LONGEST_KEPT = 4096;
const TAIL_LINES = 20;

/**
 * A line that is cut may end in half a secret, so it ends well before.
 * @param {string} line @param {(text: string) => string} redact @param {number} [most] characters that are kept
 */
export function cutLongLine(line, redact, most = LONGEST_KEPT) {
  if (line.length < LOOKED_AT) return line;
  return `${redact(line.slice(0, LOOKED_AT)).slice(0, most)}…`;
}

/**
 * @param {(Readable | null | undefined)[]} streams of the program
 * @param {string} file
 * @param {(text: string) => string} redact
 * @returns {{tail: () => string[], close: () => Promise<void>}} `tail`: its last lines, without secrets; `close`
 *   when it has ended
 */
export function recordOutput(streams, file, redact) {
  /** @type {string[]} */
  let tail = [];
  const clean = (/** @type {string} */ line) => redact(cutLongLine(line, redact));
  const write = (/** @type {string[]} */ lines) => {
    try {
      if (lines.length > 0) appendText(file, lines.map(line => `${clean(line)}\n`).join(''));
    } catch {
      // A full disk must not end the measurement.
    }
  };
  const held = delayForRedaction(write);
  const read = streams.flatMap(stream => {
    if (!stream) return [];
    const lines = createLineSplitter(line => {
      held.add(line);
      tail = [...tail, line].slice(-TAIL_LINES);
    });
    stream.on('data', lines.add);
    return [
      finished(stream)
        .catch(() => {})
        .then(lines.flush),
    ];
  });
  return {
    tail: () => tail.map(clean),
    async close() {
      await Promise.all(read);
      held.close();
    },
  };
}

// -- What others say waits before it is written: of a secret it may speak before whoever learned that tells us.

/** An item waits as long, twice at most. */
const HOLD_MS = 500;

/**
 * @template T
 * @param {(items: T[]) => void} write in the order in which they came
 * @returns {{add: (item: T) => void, close: () => void}} `close` writes the rest
 */
export function delayForRedaction(write) {
  /** @type {T[]} since the last tick */
  let fresh = [];
  /** @type {T[]} */
  let held = [];
  const timer = setInterval(() => {
    write(held);
    [held, fresh] = [fresh, []];
  }, HOLD_MS);
  return {
    add: item => {
      fresh.push(item);
    },
    close() {
      clearInterval(timer);
      write([...held, ...fresh]);
      [held, fresh] = [[], []];
    },
  };
}
