/** The end of a log, for messages. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const MOST_BYTES = 256 * 1024;
const TAIL_LINES = 15;

/** @param {string} file @returns {number} bytes; 0 where there is none */
export function measureLog(file) {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What was written since then, of much only the end. @param {string} file @param {number} fromByte */
export function readLogFrom(file, fromByte) {
  const log = openSync(file, 'r');
  try {
    const { size } = fstatSync(log);
    const start = Math.max(fromByte, size - MOST_BYTES);
    const bytes = Buffer.alloc(Math.max(size - start, 0));
    return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, start));
  } finally {
    closeSync(log);
  }
}

/** @param {string} file @param {number} fromByte @returns {string} the last lines, or that there are none */
export function tailLog(file, fromByte) {
  const lines = readLogFrom(file, fromByte).trimEnd().split('\n').slice(-TAIL_LINES);
  return lines.join('\n') || '(it said nothing)';
}

/** @param {import('../../child.js').ChildEnd} end @returns {string} `exit code 1` */
export function describeEnd({ exitCode, signal, error }) {
  if (error) return error.message;
  return signal ? `signal ${signal}` : `exit code ${exitCode}`;
}
