/** Merges the folders of a load from one machine and of a recording on another into one run. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { followClock } from '../analysis/load/clock-skew.js';
import { readRun } from '../analysis/read/read-run.js';
import { listWorkerSamples } from '../analysis/read/scope.js';
import { LoadflameError } from '../base/errors.js';
import { most } from '../base/math/summary.js';
import { mergeRuns } from '../run/merge-runs.js';
import { createRunFolder } from '../run/run-folder.js';

/** @import { RunRecords } from '../analysis/read/read-run.js' */
/** @import { TimeRange } from '../base/math/estimate.d.ts' */

/** Names that every machine has for itself. */
const HERE = /^(?:localhost|127\..*|0\.0\.0\.0|\[::1?\])$/;
const PIDS_TOLD = 8;
/** The latest date of JavaScript. */
const END_OF_TIME_MS = 8.64e15;

/**
 * @param {string[]} folders two, in any order; only read
 * @param {{profiles: string, sameTarget?: boolean}} options `sameTarget`: the user says that both are of one API
 * @returns {Promise<string>} folder of the new run
 * @throws {LoadflameError} REPORT_NO_PAIR, REPORT_OTHER_TARGET, REPORT_APART, RUN_FOLDER_UNWRITABLE, and what
 *   reading throws
 */
export async function mergeFolders(folders, { profiles, sameTarget }) {
  const [load, recording] = tellApart(await Array.fromAsync(folders, folder => readRun(folder)));
  if (!sameTarget) checkTarget(load, recording);
  const clocks = compareClocks(load);
  checkTimes(load, recording, clocks.toTheirs);
  const { name = 'load' } = load.manifest.script ?? {};
  const files = createRunFolder(profiles, `merged-${path.parse(name).name}`);
  try {
    await mergeRuns(files, load, recording, clocks);
  } catch (cause) {
    const { folder } = files;
    rmSync(folder, { recursive: true, force: true });
    const { code: reason = '' } = /** @type {NodeJS.ErrnoException} */ (cause);
    if (cause instanceof LoadflameError || !/^E[A-Z]+$/.test(reason)) throw cause;
    throw new LoadflameError('RUN_FOLDER_UNWRITABLE', { folder, reason }, { cause });
  }
  return files.folder;
}

/** @param {RunRecords[]} runs two @returns {[load: RunRecords, recording: RunRecords]} */
function tellApart(runs) {
  const [load, recording] = ['load', 'profile'].map(kind =>
    runs.find(({ manifest }) => manifest.kind === kind),
  );
  if (load && recording) return [load, recording];
  const [first, second] = runs.map(({ files }) => files.folder);
  const [firstKind, secondKind] = runs.map(({ manifest }) => manifest.kind);
  throw new LoadflameError('REPORT_NO_PAIR', { first, firstKind, second, secondKind });
}

/**
 * If responses name processes that were recorded, it is the same API, whatever its address is.
 * @param {RunRecords} load @param {RunRecords} recording
 */
function checkTarget(load, recording) {
  const answered = [...load.load.workers.keys()].map(id => Number(id.split('.').at(-1)));
  const recorded = new Set(listWorkerSamples(recording.processes).map(({ pid }) => pid));
  const [ours, theirs] = [load, recording].map(({ manifest }) => manifest.target);
  if (answered.length > 0 && recorded.size > 0) {
    if (answered.some(pid => recorded.has(pid))) return;
    const list = (/** @type {Iterable<number>} */ pids) => [...pids].slice(0, PIDS_TOLD).join(', ');
    const reason = `processes ${list(answered)} responded, and ${list(recorded)} were recorded`;
    throw new LoadflameError('REPORT_OTHER_TARGET', { reason });
  }
  const hosts = [theirs, ours].map(url => URL.parse(url ?? '')?.hostname ?? 'localhost');
  if (hosts[0] === hosts[1] || hosts.some(host => HERE.test(host))) return;
  const reason = `the load went to ${ours}, and the recording is of ${theirs}`;
  throw new LoadflameError('REPORT_OTHER_TARGET', { reason });
}

/** @param {RunRecords} load @returns {Parameters<typeof mergeRuns>[3]} */
function compareClocks({ load }) {
  const found = followClock(load.tests.flatMap(test => test.records));
  const offsetAt = found?.offsetAt ?? (() => 0);
  return {
    clock: {
      from: found?.from ?? 'unknown',
      startMs: offsetAt(load.tests[0]?.start.t ?? 0),
      endMs: offsetAt(load.tests.at(-1)?.lastMs ?? 0),
      uncertaintyMs: found?.uncertaintyMs ?? null,
      answers: found?.answers ?? 0,
    },
    toTheirs: ourMs => ourMs + offsetAt(ourMs),
  };
}

/**
 * @param {RunRecords} load
 * @param {RunRecords} recording
 * @param {(ourMs: number) => number} toTheirs
 */
function checkTimes(load, recording, toTheirs) {
  const sent = rangeOf(load);
  const [startMs, endMs] = [toTheirs(sent.startMs), toTheirs(sent.endMs)];
  const recorded = rangeOf(recording);
  if (startMs <= recorded.endMs && endMs >= recorded.startMs) return;
  throw new LoadflameError('REPORT_APART', {
    recording: recording.files.folder,
    recorded: formatRange(recorded),
    sent: formatRange({ startMs, endMs }),
  });
}

/** Of a load from its first to its last record; else the range of the recording. @param {RunRecords} run @returns {TimeRange} */
function rangeOf({ manifest, load, processes, segments }) {
  const { startedAtMs, endedAtMs } = manifest;
  const last = load.tests.at(-1);
  if (last)
    return { startMs: load.tests[0]?.start.t ?? startedAtMs, endMs: last.end?.t ?? last.lastMs };
  const lastMs = most([startedAtMs, ...[...processes, ...segments].map(({ t }) => Number(t))]);
  return { startMs: startedAtMs, endMs: endedAtMs ?? lastMs };
}

/** @param {TimeRange} range */
function formatRange({ startMs, endMs }) {
  return [startMs, endMs]
    .map(ms => Math.max(-END_OF_TIME_MS, Math.min(END_OF_TIME_MS, ms)))
    .map(ms => new Date(ms).toISOString().slice(0, 19).replace('T', ' '))
    .join(' – ');
}
