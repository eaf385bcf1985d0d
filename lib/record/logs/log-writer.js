/** Writes the records of one log to the run folder: redacted, cut and limited in number. */

import { cutLongLine } from '../../base/files/output-log.js';
import { CUT_MARK } from '../../base/files/split-lines.js';

/** @import { NdjsonWriter } from '../../run/ndjson.js' */
/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { LogRecord } from './join-lines.js' */

/** Longest text of a record in the file, in bytes. */
const MAX_TEXT = 4096;
/**
 * Limits per second and in all. An access log of a thousand requests a second has 500 MB an hour, and it is the
 * warnings, errors and tracebacks that explain something.
 */
const LIMITS = {
  telling: { perSec: 2000, bytes: 12 * 1024 * 1024 },
  plain: { perSec: 100, bytes: 4 * 1024 * 1024 },
};
/** A command may repeat lines from before the run. The clocks of two machines may differ by some seconds. */
const BEFORE_MS = 60_000;

/**
 * @typedef {object} LogWriter
 * @property {(record: LogRecord) => void} add
 * @property {(bytes: number) => void} skipped counts bytes that were not read
 * @property {() => void} flush records what was left out up to now
 */

/**
 * @param {object} options
 * @param {NdjsonWriter} options.writer
 * @param {Redactor} options.redactor
 * @param {number} options.startedMs lines with a much older time are left out
 * @param {typeof LIMITS} [options.limits]
 * @returns {LogWriter}
 */
export function createLogWriter({ writer, redactor, startedMs, limits = LIMITS }) {
  const written = { telling: 0, plain: 0 };
  let second = 0;
  let inSecond = { telling: 0, plain: 0 };
  /** @type {Map<string, {fromMs: number, lines: number, bytes: number}>} */
  const left = new Map();

  /**
   * @param {string} why
   * @param {number} lines
   * @param {number} bytes
   */
  const leaveOut = (why, lines, bytes) => {
    const entry = left.get(why) ?? { fromMs: Date.now(), lines: 0, bytes: 0 };
    left.set(why, { ...entry, lines: entry.lines + lines, bytes: entry.bytes + bytes });
  };
  const flush = () => {
    for (const [why, counts] of left) writer.append('left-out', { why, ...counts });
    left.clear();
  };
  return {
    flush,
    skipped: bytes => leaveOut('behind', 0, bytes),
    add({ arrivedMs, atMs, level, pid, status, text, lines, bytes, isTraceback }) {
      if (atMs !== null && atMs < startedMs - BEFORE_MS) {
        leaveOut('before', lines, bytes);
        return;
      }
      const now = Math.floor(arrivedMs / 1000);
      if (now !== second) {
        flush();
        second = now;
        inSecond = { telling: 0, plain: 0 };
      }
      const group = level === 'error' || level === 'warn' ? 'telling' : 'plain';
      inSecond[group] += 1;
      if (inSecond[group] > limits[group].perSec || written[group] > limits[group].bytes) {
        leaveOut(group === 'plain' ? 'plain' : 'size', lines, bytes);
        return;
      }
      const kept = text
        .split('\n')
        .map(line => cutLongLine(line, redactor.redactText, MAX_TEXT / 2));
      const clean = cutMiddle(redactor.redactText(kept.join('\n')), MAX_TEXT);
      written[group] += clean.length;
      writer.append('line', {
        t: arrivedMs,
        atMs,
        level,
        pid,
        ...(status !== null && { status }),
        ...(isTraceback && { isTraceback }),
        text: clean,
        ...(bytes > clean.length + lines && { bytes }),
      });
    },
  };
}

/** Keeps the start (the context) and the end (the exception). @param {string} text @param {number} most */
function cutMiddle(text, most) {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const mark = `\n${CUT_MARK}\n`;
  const room = most - Buffer.byteLength(mark);
  const head = new TextDecoder().decode(bytes.subarray(0, Math.floor(room / 3)), { stream: true });
  const tail = bytes.subarray(bytes.length - Math.floor((room * 2) / 3)).toString();
  // Whole lines, so that the rest of one is not read as another. If the tail has no newline, all of it; a character
  // that was cut in two has become U+FFFD, with three bytes.
  const rest = tail.slice(tail.indexOf('\n') + 1) || tail;
  return `${head}${mark}${rest.replace(/^\ufffd+/, '')}`;
}
