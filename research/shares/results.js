/** Recordings of the bench: each a folder that can be judged again by newer rules. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadRules } from '../../lib/analysis/hotpath/load-rules.js';
import { nameCalls } from '../../lib/analysis/hotpath/name-calls.js';
import { readRawSegments } from '../../lib/analysis/stacks/read-raw.js';
import { readSamples } from '../../lib/analysis/stacks/read-samples.js';
import { readPythonLines } from '../../lib/record/profiler/python-calls.js';
import { APPS, WAYS } from './apps.js';
import { judgeRecording } from './judge.js';
import { isCalm, listCalm, pickCalm } from './record.js';

/** @import { Way, WorkerName } from './apps.js' */
/** @import { RecordedSegment } from './record.js' */

/**
 * @typedef {object} Recording
 * @property {string} app
 * @property {boolean} heldOut
 * @property {WorkerName} worker
 * @property {Way} way
 * @property {number} hz
 * @property {boolean} burner
 * @property {number | null} masterPid
 * @property {number} failures requests without a good answer
 * @property {number} loadAverage of the machine, over the last minute, at its end
 * @property {RecordedSegment[]} segments their files are names in the folder
 */

/** @typedef {Recording & {isCalm: boolean, judged: import('./judge.js').Judged}} Result its segments are those that are judged */

const META = 'recording.json';

/** @param {string} root folder of folders @returns {{folder: string, recording: Recording}[]} in the order of their names */
function readRecordings(root) {
  return readdirSync(root)
    .sort()
    .map(name => path.join(root, name))
    .filter(folder => existsSync(path.join(folder, META)))
    .map(folder => ({
      folder,
      recording: JSON.parse(readFileSync(path.join(folder, META), 'utf8')),
    }));
}

/**
 * @typedef {object} Overhead
 * @property {WorkerName} worker
 * @property {Way} way
 * @property {number} hz
 * @property {number[]} ratios sorted: answers of a second with the profiler ÷ of the second without one in
 *   the same round, both calm
 */

/**
 * What each way costs at saturation: the load is a closed loop.
 * @param {string} root
 * @returns {Overhead[]}
 */
export function readOverheads(root) {
  const all = readRecordings(root).map(({ recording }) => recording);
  /** @type {Map<string, Overhead>} */
  const overheads = new Map();
  for (const { app, worker, way, hz, burner, segments } of all) {
    const alone = all.find(
      other => other.way === 'none' && other.app === app && other.worker === worker,
    );
    if (way === 'none' || burner || !alone) continue;
    const key = `${worker} ${way} ${hz}`;
    const overhead = overheads.get(key) ?? { worker, way, hz, ratios: [] };
    overheads.set(key, overhead);
    for (const segment of listCalm(segments)) {
      const other = listCalm(alone.segments).find(({ round }) => round === segment.round);
      if (other?.used.requests) overhead.ratios.push(rateOf(segment) / rateOf(other));
    }
    overhead.ratios.sort((a, b) => a - b);
  }
  return [...overheads.values()].filter(({ ratios }) => ratios.length > 0);
}

/** @param {RecordedSegment} segment */
const rateOf = ({ used, startMs, endMs }) => used.requests / (endMs - startMs);

/** What it saw before and behind the segment, while it started and ended, is in it. @param {{file: string, startMs: number}} segment */
function toSampleFile({ file, startMs }) {
  return { file, segments: [{ startMs, endMs: Infinity }] };
}

/** @param {string} folder @param {Recording} recording */
export function writeRecording(folder, recording) {
  writeFileSync(path.join(folder, META), JSON.stringify(recording));
}

/**
 * What the lines of an app call.
 * @param {string} app @param {import('../../lib/analysis/stacks/profile.d.ts').Profile} profile
 * @returns {Parameters<typeof nameCalls>[1]}
 */
function listCalls(app, { frames }) {
  const file = path.join(import.meta.dirname, 'apps', `${app}.py`);
  const lines = existsSync(file) ? readPythonLines(readFileSync(file, 'utf8')) : new Map();
  const own = frames.filter(frame => path.basename(frame.file) === `${app}.py`);
  return own.map(
    ({ name, ...at }) =>
      /** @type {any} */ ({
        ...{ kind: 'line', function: name, calls: [] },
        ...{ ...lines.get(at.line), ...at },
      }),
  );
}

/**
 * @param {string} root folder of folders
 * @returns {Promise<Result[]>} in the order of their names
 */
export async function judgeFolder(root) {
  const rules = await loadRules();
  const read = readRecordings(root)
    .filter(({ recording }) => recording.way !== 'none')
    .map(async ({ folder, recording }) => {
      recording.segments = [...pickCalm(recording.segments)];
      const files = recording.segments.map(({ file, startMs, endMs }) => ({
        file: path.join(folder, path.basename(file)),
        startMs,
        endMs,
      }));
      const about = { rateHz: recording.hz };
      const profile = WAYS[recording.way]
        ? readRawSegments(files, about)
        : readSamples(files.map(toSampleFile), about);
      const read = await profile;
      return { recording, profile: nameCalls(read, listCalls(recording.app, read), rules) };
    });
  return (await Promise.all(read)).map(({ recording, profile }) => ({
    ...recording,
    isCalm: isCalm(recording.segments),
    judged: judgeRecording({
      profile,
      rules,
      segments: recording.segments,
      masterPid: recording.masterPid,
      sameCore: recording.segments.every(({ sameCore }) => sameCore),
      parts: APPS.find(({ name }) => name === recording.app)?.parts ?? [],
    }),
  }));
}
