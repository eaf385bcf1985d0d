/** Recordings of the bench: each a folder that can be judged again by newer rules. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadRules } from '../../lib/hotpath/load-rules.js';
import { readRawSegments } from '../../lib/profile/read-raw.js';
import { APPS, DEFAULT_WAY } from './apps.js';
import { judgeRecording } from './judge.js';
import { isCalm, pickCalm } from './record.js';
import { countEdges } from './torn.js';

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

/** @param {string} folder @param {Recording} recording */
export function writeRecording(folder, recording) {
  writeFileSync(path.join(folder, META), JSON.stringify(recording));
}

/**
 * @param {string} root folder of folders
 * @returns {Promise<Result[]>} in the order of their names
 */
export async function judgeFolder(root) {
  const rules = await loadRules();
  const read = readdirSync(root)
    .sort()
    .map(name => path.join(root, name))
    .filter(folder => existsSync(path.join(folder, META)))
    .map(async folder => {
      /** @type {Recording} */
      const recording = JSON.parse(readFileSync(path.join(folder, META), 'utf8'));
      recording.segments = [...pickCalm(recording.segments)];
      const files = recording.segments.map(({ file, startMs, endMs }) => ({
        file: path.join(folder, path.basename(file)),
        startMs,
        endMs,
      }));
      return { recording, profile: await readRawSegments(files, { rateHz: recording.hz }) };
    });
  const all = await Promise.all(read);
  const placeOf = (/** @type {Recording} */ { app, worker }) => `${app} ${worker}`;
  /** Stacks of a target that stood still are whole. @type {Map<string, Map<string, number>>} */
  const edges = new Map();
  for (const { recording, profile } of all)
    if (recording.way === DEFAULT_WAY) {
      const known = edges.get(placeOf(recording)) ?? new Map();
      for (const [edge, count] of countEdges(profile))
        known.set(edge, (known.get(edge) ?? 0) + count);
      edges.set(placeOf(recording), known);
    }
  return all.map(({ recording, profile }) => ({
    ...recording,
    isCalm: isCalm(recording.segments),
    judged: judgeRecording({
      profile,
      rules,
      segments: recording.segments,
      masterPid: recording.masterPid,
      parts: APPS.find(({ name }) => name === recording.app)?.parts ?? [],
      edges: edges.get(placeOf(recording)) ?? null,
    }),
  }));
}
