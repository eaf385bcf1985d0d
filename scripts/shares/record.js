/** Records an app with py-spy in segments of a second, and reads its clocks where each begins and ends. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../lib/child.js';
import { parsePySpyLine } from '../../lib/record/profiler/segment.js';
import { WAYS } from './apps.js';
import { readClocks, subtractClocks } from './clocks.js';
import { measureOthers, readUse } from './others.js';

/** @import { Way } from './apps.js' */
/** @import { Clocks } from './clocks.js' */

/**
 * A segment is a block of the bootstrap, and what the app did meanwhile is known for each.
 * @typedef {object} RecordedSegment
 * @property {string} file
 * @property {number} startMs epoch
 * @property {number} endMs
 * @property {number} samples that py-spy says it took
 * @property {number} errors looks that failed, by py-spy's own count
 * @property {number} lateMs the furthest that it said it was behind
 * @property {number} others cores that processes which are not ours kept busy
 * @property {Clocks} used by the app in the meantime
 */

const SEGMENT_MS = 1000;
/** py-spy's own end, should we be gone: far behind ours. */
const BOUND_SEC = 10;
const START_TIMEOUT_MS = 10_000;
/** A segment is calm when others leave so much of a core alone; the clock behind it counts hundredths. */
const CALM_CORES = 0.25;
/** So many times as long as it was to take, for calm segments. */
const MOST_TRIES = 2;
/** Fewer calm segments are no recording. */
const LEAST_CALM = 5;

/**
 * @param {object} options
 * @param {string} options.pySpy path
 * @param {number} options.pid the first process; those below it are recorded too
 * @param {Way} options.way
 * @param {number} options.hz
 * @param {number} options.seconds
 * @param {string} options.folder for the files
 * @param {string} options.clocks folder
 * @param {number} options.parts
 * @returns {Promise<RecordedSegment[]>}
 */
export async function recordApp({ seconds, folder, ...options }) {
  /** @type {RecordedSegment[]} */
  const segments = [];
  const wanted = Math.max(2, Math.round((seconds * 1000) / SEGMENT_MS));
  for (let index = 0; index < wanted * MOST_TRIES; index++) {
    if (pickCalm(segments).length >= wanted && isCalm(segments)) break;
    const file = path.join(folder, `${String(index).padStart(3, '0')}.raw`);
    const segment = await recordSegment(file, options);
    if (segment) segments.push(segment);
  }
  if (segments.length < 2) throw new Error('py-spy wrote hardly a segment');
  return segments;
}

/** @param {readonly RecordedSegment[]} segments */
const listCalm = segments => segments.filter(({ others }) => others < CALM_CORES);

/** Others left the machine alone for long enough. @param {readonly RecordedSegment[]} segments */
export const isCalm = segments => listCalm(segments).length >= LEAST_CALM;

/**
 * @param {readonly RecordedSegment[]} segments
 * @returns {readonly RecordedSegment[]} those in which others left the machine alone; all, where that are few
 */
export function pickCalm(segments) {
  return isCalm(segments) ? listCalm(segments) : segments;
}

/**
 * @param {string} file
 * @param {{pySpy: string, pid: number, way: Way, hz: number, clocks: string, parts: number}} options
 * @returns {Promise<RecordedSegment | null>} null: py-spy wrote nothing
 */
async function recordSegment(file, { pySpy, pid, way, hz, clocks, parts }) {
  const args = ['record', '--format', 'raw', '--threads', '--subprocesses', '--rate', `${hz}`];
  args.push('--duration', `${BOUND_SEC}`, '--output', file, ...WAYS[way], '--pid', `${pid}`);
  const child = startChild(pySpy, args, {
    env: { RUST_BACKTRACE: '0' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let [samples, errors, lateMs, isWritten] = [0, 0, 0, false];
  let said = '';
  /** @type {(isSampling: boolean) => void} */
  let settle = () => {};
  /** @type {Promise<boolean>} */
  const sampling = new Promise(resolve => {
    settle = resolve;
  });
  const listen = (/** @type {unknown} */ chunk) => {
    const lines = (said + String(chunk)).split('\n');
    said = lines.pop() ?? '';
    for (const line of lines) {
      const meant = parsePySpyLine(line);
      if (meant?.kind === 'sampling') settle(true);
      if (meant?.kind === 'late') lateMs = Math.max(lateMs, meant.lateMs);
      if (meant?.kind === 'written')
        [samples, errors, isWritten] = [meant.samples, meant.errors, true];
    }
  };
  child.process.stdout?.on('data', listen);
  child.process.stderr?.on('data', listen);
  const timer = setTimeout(() => settle(false), START_TIMEOUT_MS);
  child.ended.then(() => settle(false));
  const isSampling = await sampling;
  clearTimeout(timer);
  if (!isSampling) {
    await child.stop();
    return null;
  }
  const useBefore = readUse();
  const [startMs, before] = [Date.now(), readClocks(clocks, parts)];
  await sleep(SEGMENT_MS);
  const [endMs, after] = [Date.now(), readClocks(clocks, parts)];
  const others = measureOthers(useBefore, readUse());
  await child.stop({ signal: 'SIGINT' });
  if (!isWritten) return null;
  const used = subtractClocks(after, before);
  return { file, startMs, endMs, samples, errors, lateMs, others, used };
}
