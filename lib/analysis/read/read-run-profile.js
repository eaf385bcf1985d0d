/** The profile of a run: all its segments merged. */
import path from 'node:path';
import { groupEndpoint, listGroups } from '../../base/config/endpoint-names.js';
import { isRegularFile, statOrNull } from '../../base/files/regular-file.js';
import { sum } from '../../base/math/summary.js';
import { LONGEST_RUN_MS } from '../../run/folder-shapes.js';
import { ofKind } from '../../run/ndjson.js';
import { readInThread } from '../stacks/read-in-thread.js';
import { readRawSegments } from '../stacks/read-raw.js';
import { readSamples } from '../stacks/read-samples.js';
import { overlapMs } from './cpu.js';
import { spanOf } from './load/load-totals.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */

/** @typedef {RecordOf<'segments'>} SegmentRecord of `profile/segments.ndjson` */
/** @typedef {RecordOf<'segments', 'recording-start'>} RecordingStart */

/** Reading this much takes about as long as starting a thread. */
const LARGE_BYTES = 50e6;

/** @typedef {import('../stacks/profile.d.ts').Profile} Profile */

/**
 * @param {Pick<import('./read-run.js').RunRecords, 'files' | 'segments'>
 *   & Partial<Pick<import('./read-run.js').RunRecords, 'manifest'>>} records
 * @returns {Promise<Profile | null>} null without a recording
 */
export async function readRunProfile({ files, segments, manifest }) {
  const start = findSampling(segments);
  return start ? groupRoutes(await readSegments(files, segments, start), manifest) : null;
}

/**
 * How stacks were recorded; undefined without a recording.
 * @param {SegmentRecord[]} segments
 */
export function findSampling(segments) {
  return ofKind(segments, 'recording-start').findLast(({ rateHz }) => rateHz);
}

/**
 * Groups the routes that the ENDPOINTS setting groups in the load; the companion does not know that setting.
 * @param {Profile} profile
 * @param {Partial<Pick<import('../../run/facts/records.d.ts').Manifest, 'settings'>>} [manifest]
 * @returns {Profile}
 */
function groupRoutes(profile, { settings = [] } = {}) {
  const groups = listGroups(settings.find(({ name }) => name === 'ENDPOINTS')?.value ?? '');
  return groups.length === 0 ? profile : renameRoutes(profile, name => groupEndpoint(name, groups));
}

/**
 * Gives the routes on the stacks other names.
 * @param {Profile} profile @param {(name: string) => string} nameOf @returns {Profile}
 */
export function renameRoutes(profile, nameOf) {
  const names = profile.routes.map(nameOf);
  const routes = [...new Set(names)];
  const indexes = names.map(name => routes.indexOf(name));
  const route = profile.rows.route.map(index => indexes[index] ?? -1);
  return { ...profile, routes, rows: { ...profile.rows, route } };
}

/**
 * @param {import('../../run/run-folder.js').RunFiles} files
 * @param {SegmentRecord[]} segments
 * @param {RecordingStart} start
 * @returns {Promise<Profile>}
 */
async function readSegments(files, segments, start) {
  if (start.recorder?.hasTimes) {
    const own = listSampleFiles(files, segments);
    const timed = describeSamples(start, segments);
    return isLarge(own) ? readInThread('samples', own, timed) : readSamples(own, timed);
  }
  const about = { rateHz: start.rateHz ?? null };
  const parts = listParts(files, ofKind(segments, 'segment'));
  return isLarge(parts) ? readInThread('raw', parts, about) : readRawSegments(parts, about);
}

/**
 * The files that exist. We write the index ourselves, but a folder may come from someone else: stay inside of it.
 * @param {import('../../run/run-folder.js').RunFiles} files
 * @param {{file: string, startMs: number, endMs: number}[]} parts
 */
function listParts(files, parts) {
  const folder = path.dirname(files.segments);
  return parts
    .map(part => ({ ...part, file: path.join(folder, path.basename(part.file)) }))
    .filter(({ file }) => isRegularFile(file));
}

/**
 * What the files of our own recorder do not hold: the range that can contain samples, and command lines.
 * @param {RecordingStart} start @param {SegmentRecord[]} segments
 */
function describeSamples({ t, rateHz }, segments) {
  return {
    rateHz: rateHz ?? null,
    range: { startMs: t - LONGEST_RUN_MS, endMs: t + LONGEST_RUN_MS },
    processes: ofKind(segments, 'process').map(({ pid, command }) => ({ pid, cmdline: command })),
  };
}

/** @param {{file: string}[]} parts that exist */
const isLarge = parts => sum(parts.map(({ file }) => statOrNull(file)?.size ?? 0)) >= LARGE_BYTES;

/**
 * What our own recorder wrote: one file, or several if it was killed and restarted. The index may lack the last
 * second of a file.
 * @param {import('../../run/run-folder.js').RunFiles} files
 * @param {SegmentRecord[]} segments
 */
function listSampleFiles(files, segments) {
  const own = Map.groupBy(ofKind(segments, 'segment'), ({ file }) => file);
  /** @type {import('../stacks/read-samples.js').SampleFile[]} */
  const parts = [];
  for (let n = 1; isRegularFile(files.samples(n)); n++) {
    const file = files.samples(n);
    const known = own.get(path.basename(file)) ?? [];
    parts.push({ file, segments: known.map(({ startMs, endMs }) => ({ startMs, endMs })) });
  }
  return parts;
}

/**
 * How the segments of a recording cover a window.
 * @param {SegmentRecord[]} segments
 * @param {import('../../base/math/estimate.d.ts').TimeRange | null} window null: the whole recording
 * @returns {import('../../run/facts/profile-report.d.ts').ProfileReport['segments'] & {window: import('../../base/math/estimate.d.ts').TimeRange | null}}
 */
export function measureSegments(segments, window) {
  const whole = ofKind(segments, 'segment').sort((a, b) => a.startMs - b.startMs);
  const covered = window ?? spanOf(whole);
  const inside = covered
    ? whole.filter(({ startMs, endMs }) => endMs > covered.startMs && startMs < covered.endMs)
    : [];
  return {
    count: inside.length,
    lost: ofKind(segments, 'segment-lost').length,
    unsampledMs: measureGaps(inside, covered) + sum(inside.map(({ missedMs = 0 }) => missedMs)),
    errors: sum(inside.map(({ errors = 0 }) => errors)),
    looks: sum(inside.map(({ looks = 0 }) => looks)) || null,
    lateMs: Math.max(0, ...inside.map(({ lateMs = 0 }) => lateMs)),
    window: covered,
  };
}

/**
 * Time inside the window that no segment covers, including before the first and after the last one.
 * @param {{startMs: number, endMs: number}[]} segments oldest first
 * @param {{startMs: number, endMs: number} | null} window
 */
function measureGaps(segments, window) {
  let unsampledMs = 0;
  if (!window) return unsampledMs;
  let reachedMs = window.startMs;
  for (const { startMs, endMs } of [...segments, { startMs: window.endMs, endMs: window.endMs }]) {
    unsampledMs += Math.max(0, Math.min(startMs, window.endMs) - reachedMs);
    reachedMs = Math.max(reachedMs, endMs);
  }
  return unsampledMs;
}

/**
 * The samples of all threads inside the windows.
 * @param {Pick<import('./read-run.js').RunRecords, 'files' | 'segments' | 'manifest'>} records
 * @param {import('../../base/math/estimate.d.ts').TimeRange[]} windows
 * @returns {Promise<{looks: Profile, rateHz: number, threads: number | null} | null>} null without such samples
 */
export async function readRunWaits({ files, segments, manifest }, windows) {
  const recording = ofKind(segments, 'recording-start').at(-1);
  const read = recording?.recorder?.seesWaiting
    ? await readSamples(listSampleFiles(files, segments), {
        ...describeSamples(recording, segments),
        threads: 'all',
        windows,
      })
    : await readWaits(files, segments, windows);
  if (!read?.rateHz) return null;
  return {
    looks: groupRoutes(read, manifest),
    rateHz: read.rateHz,
    threads: recording?.threads ?? null,
  };
}

/**
 * What py-spy saw of all threads. A file without a recorded end (loadflame was killed) counts by its start.
 * @param {import('../../run/run-folder.js').RunFiles} files
 * @param {SegmentRecord[]} segments
 * @param {import('../../base/math/estimate.d.ts').TimeRange[]} windows
 */
async function readWaits(files, segments, windows) {
  const ends = ofKind(segments, 'waits');
  const starts = ofKind(segments, 'waits-start').map(({ file, startMs, rateHz }) => {
    const endMs = ends.find(record => record.file === file)?.endMs ?? startMs + 1;
    return { file, startMs, endMs, rateHz };
  });
  const parts = listParts(files, starts).filter(
    part => overlapMs(part, windows) >= (part.endMs - part.startMs) / 2,
  );
  const { rateHz } = starts[0] ?? {};
  return parts.length > 0 ? readRawSegments(parts, { rateHz, threads: 'all' }) : null;
}
