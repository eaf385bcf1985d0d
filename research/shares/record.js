/** Records an app with py-spy, or with our own recorder, in segments of a second, and reads its clocks where each begins and ends. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../lib/base/process/child.js';
import { parsePySpyLine } from '../../lib/record/profiler/start-py-spy.js';
import { startUnwinder } from '../../lib/record/profiler/unwinder/start-unwinder.js';
import { WAYS } from './apps.js';
import { readClocks, subtractClocks } from './clocks.js';
import { CALM_CORES, measureOthers, readThreads, readUse, subtractThreads } from './others.js';

/** @import { Way } from './apps.js' */
/** @import { Clocks } from './clocks.js' */
/** @import { ThreadTimes } from '../../lib/base/process/process-table.js' */

/**
 * A segment is a block of the bootstrap, and what the app did meanwhile is known for each.
 * @typedef {object} RecordedSegment
 * @property {string} file empty where no profiler ran
 * @property {number} round the ways take turns in each
 * @property {number} startMs epoch
 * @property {number} endMs
 * @property {number} samples stacks that the profiler says it took
 * @property {number} errors looks that failed, by its own count
 * @property {boolean} [sameCore] it was looked at from the core where it ran
 * @property {number} lateMs the furthest that it said it was behind
 * @property {number} others cores that processes which are not ours kept busy
 * @property {ThreadTimes[]} threads of the app that ran in the meantime; none where the kernel does not count it
 * @property {Clocks} used by the app in the meantime
 */

const SEGMENT_MS = 1000;
/** py-spy's own end, should we be gone: far behind ours. */
const BOUND_SEC = 10;
const START_TIMEOUT_MS = 10_000;
/** So many times as long as it was to take, for calm segments. */
const MOST_TRIES = 2;
/** Fewer calm segments are no recording. */
const LEAST_CALM = 5;

/**
 * @typedef {object} Target
 * @property {string} pySpy path
 * @property {number} pid the first process; those below it are recorded too
 * @property {number} hz
 * @property {string} clocks folder
 * @property {number} parts
 */

/**
 * The ways take turns, a segment each, so that what drifts with time is in all of them.
 * @param {readonly {way: Way, folder: string}[]} ways `folder` for the files
 * @param {Target & {seconds: number, calm: () => Promise<void>}} options `calm` waits before a segment, for
 *   a machine that others leave alone
 * @returns {Promise<RecordedSegment[][]>} per way
 */
export async function recordApp(ways, { seconds, calm, ...target }) {
  const wanted = Math.max(2, Math.round((seconds * 1000) / SEGMENT_MS));
  const recorded = ways.map(() => /** @type {RecordedSegment[]} */ ([]));
  for (let round = 0; round < wanted * MOST_TRIES; round++)
    for (const [index, { way, folder }] of ways.entries()) {
      const own = recorded[index] ?? [];
      if (listCalm(own).length >= wanted) continue;
      await calm();
      const file = path.join(folder, `${String(round).padStart(3, '0')}.raw`);
      const segment =
        way === 'none' ? await measureAlone(target) : await recordSegment(file, way, target);
      if (segment) own.push({ ...segment, round });
    }
  if (recorded.some(({ length }) => length < 2)) throw new Error('there is hardly a segment');
  return recorded;
}

/** @param {readonly RecordedSegment[]} segments */
export const listCalm = segments => segments.filter(({ others }) => others < CALM_CORES);

/** Others left the machine alone for long enough. @param {readonly RecordedSegment[]} segments */
export const isCalm = segments => listCalm(segments).length >= LEAST_CALM;

/**
 * @param {readonly RecordedSegment[]} segments
 * @returns {readonly RecordedSegment[]} those in which others left the machine alone; all, where that are few
 */
export function pickCalm(segments) {
  return isCalm(segments) ? listCalm(segments) : segments;
}

/** @typedef {Omit<RecordedSegment, 'round'>} Measured */

/**
 * What the app does in a second, by its own clocks.
 * @param {Target} target
 */
async function measureSecond({ pid, clocks, parts }) {
  const [useBefore, threadsBefore] = [readUse(), readThreads(pid)];
  const [startMs, before] = [Date.now(), readClocks(clocks, parts)];
  await sleep(SEGMENT_MS);
  const [endMs, after] = [Date.now(), readClocks(clocks, parts)];
  const others = measureOthers(useBefore, readUse());
  const threads = subtractThreads(threadsBefore, readThreads(pid));
  return { startMs, endMs, others, threads, used: subtractClocks(after, before) };
}

/** @param {Target} target @returns {Promise<Measured>} without a profiler */
async function measureAlone(target) {
  return { file: '', samples: 0, errors: 0, lateMs: 0, ...(await measureSecond(target)) };
}

/**
 * @param {string} file
 * @param {Way} way
 * @param {Target} target
 * @returns {Promise<Measured | null>} null: py-spy wrote nothing
 */
async function recordSegment(file, way, target) {
  const options = WAYS[way];
  const recorder = options ? await startPySpy(file, options, target) : await startOwn(file, target);
  if (!recorder) return null;
  const measured = await measureSecond(target);
  const counts = await recorder.stop();
  return counts && { file, ...counts, ...measured };
}

/** @typedef {{stop: () => Promise<Pick<RecordedSegment, 'samples' | 'errors' | 'lateMs' | 'sameCore'> | null>}} Recorder null: it wrote nothing */

/** @param {string} file @param {Target} target @returns {Promise<Recorder>} */
async function startOwn(file, { pid, hz }) {
  const counts = { samples: 0, errors: 0, lateMs: 0 };
  const recorder = await startUnwinder({
    rootPid: pid,
    rateHz: hz,
    files: { samples: () => file },
    onSegment: ({ samples, errors, missedMs }) => {
      counts.samples += samples;
      counts.errors += errors;
      counts.lateMs += missedMs;
    },
    onDied: () => {},
    whyOver: () => 'it ended',
  });
  if ('refusal' in recorder) throw new Error(recorder.refusal);
  const { sameCore = false } = recorder.about.recorder;
  return {
    stop: async () => {
      await recorder.stop();
      return { ...counts, sameCore };
    },
  };
}

/** @param {string} file @param {string[]} options @param {Target} target @returns {Promise<Recorder | null>} */
async function startPySpy(file, options, { pySpy, pid, hz }) {
  const args = ['record', '--format', 'raw', '--threads', '--subprocesses', '--rate', `${hz}`];
  args.push('--duration', `${BOUND_SEC}`, '--output', file, ...options, '--pid', `${pid}`);
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
  return {
    stop: async () => {
      await child.stop({ signal: 'SIGINT' });
      return isWritten ? { samples, errors, lateMs } : null;
    },
  };
}
