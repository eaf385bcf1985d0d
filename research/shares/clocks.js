/** Reads what `apps/share_clock.py` counts while the app runs: CPU of a process and of each part. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const COLUMNS = 16;
const [CPU, REQUESTS, FIRST_PART] = [0, 1, 2];
const DOUBLE = 8;

/** @typedef {{wholeMs: number, partMs: number[], requests: number}} Clocks CPU since the start, ms */

/**
 * The sum over all processes of an app; a process that has just ended its first request is in it.
 * @param {string} folder
 * @param {number} parts how many the app has
 * @returns {Clocks}
 */
export function readClocks(folder, parts) {
  const files = readdirSync(folder).filter(file => file.endsWith('.clock'));
  return files
    .map(file => parseClock(readFileSync(path.join(folder, file)), parts))
    .reduce(addClocks, { wholeMs: 0, partMs: new Array(parts).fill(0), requests: 0 });
}

/** @param {Buffer} bytes of one process @param {number} parts @returns {Clocks} */
export function parseClock(bytes, parts) {
  const clocks = { wholeMs: 0, partMs: new Array(parts).fill(0), requests: 0 };
  for (let at = 0; at + COLUMNS * DOUBLE <= bytes.length; at += COLUMNS * DOUBLE) {
    const column = (/** @type {number} */ index) => bytes.readDoubleLE(at + index * DOUBLE);
    // each thread writes down that of its process: the latest is the largest
    clocks.wholeMs = Math.max(clocks.wholeMs, column(CPU) * 1000);
    clocks.requests += column(REQUESTS);
    for (let part = 0; part < parts; part++)
      clocks.partMs[part] += column(FIRST_PART + part) * 1000;
  }
  return clocks;
}

/** @param {Clocks} a @param {Clocks} b @returns {Clocks} */
export function addClocks(a, b) {
  return combine(a, b, 1);
}

/** @param {Clocks} later @param {Clocks} earlier @returns {Clocks} what was used between the two */
export function subtractClocks(later, earlier) {
  return combine(later, earlier, -1);
}

/** @param {Clocks} a @param {Clocks} b @param {1 | -1} sign @returns {Clocks} */
function combine(a, b, sign) {
  return {
    wholeMs: a.wholeMs + sign * b.wholeMs,
    requests: a.requests + sign * b.requests,
    partMs: a.partMs.map((ms, part) => ms + sign * (b.partMs[part] ?? 0)),
  };
}
