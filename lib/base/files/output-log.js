/** Writes a program's output to a file, in whole lines and without secrets. */
import { finished } from 'node:stream/promises';
import { appendText } from './own-files.js';
import { createLineSplitter } from './split-lines.js';
import { tryOr } from './try-or.js';

/** @import { Readable } from 'node:stream' */

/** Only the start of a longer line is kept. */
const MOST_READ = 16_384;
const LONGEST_KEPT = 4096;
const TAIL_LINES = 20;

/**
 * Cuts a long line. The cut may split a secret, so the line is redacted first and kept only up to well before the cut.
 * @param {string} line @param {(text: string) => string} redact @param {number} [most] characters to keep
 */
export function cutLongLine(line, redact, most = LONGEST_KEPT) {
  if (line.length < MOST_READ) return line;
  return `${redact(line.slice(0, MOST_READ)).slice(0, most)}…`;
}

/**
 * @param {(Readable | null | undefined)[]} streams of the program
 * @param {string} file
 * @param {(text: string) => string} redact
 * @returns {{tail: () => string[], close: () => Promise<void>}} `tail`: its last lines, without secrets; call `close`
 *   when the program has ended
 */
export function recordOutput(streams, file, redact) {
  /** @type {string[]} */
  let tail = [];
  const clean = (/** @type {string} */ line) => redact(cutLongLine(line, redact));
  const write = (/** @type {string[]} */ lines) => {
    const text = lines.map(line => `${clean(line)}\n`).join('');
    // A full disk must not end the measurement.
    tryOr(null, () => text && appendText(file, text));
  };
  const held = delayForRedaction(write);
  const read = streams.map(async stream => {
    if (!stream) return;
    const lines = createLineSplitter(line => {
      held.add(line);
      tail = [...tail, line].slice(-TAIL_LINES);
    });
    stream.on('data', lines.add);
    await finished(stream).catch(() => {});
    lines.flush();
  });
  return {
    tail: () => tail.map(clean),
    async close() {
      await Promise.all(read);
      held.close();
    },
  };
}

// -- Output waits before it is written: it may contain a secret that the redactor learns only a moment later.

/** An item waits this long, at most twice as long. */
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
