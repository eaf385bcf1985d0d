/**
 * Two run folders of one time as one: a load, and what was recorded on the machine of its target. The recording
 * is copied as it is, and the times of the load become those of its clock. Both folders are only read.
 */
import path from 'node:path';
import { appendText, copyToNew, listFiles, makeFolder } from '../base/files/own-files.js';
import { writeManifest } from './manifest.js';
import { streamNdjson } from './ndjson.js';

/** @import { HostInfo, Manifest, MergedClock } from './facts/records.d.ts' */
/** @import { RawRecord } from './ndjson.js' */
/** @import { RunFiles } from './run-folder.js' */

/** What recorders write beside a load; what a load leaves without times, and Artillery's, with times as they are. */
const RECORDED = /^(?:task-workers\/\d+\/)?(?:events\.ndjson|(?:profile|resources|logs)\/[\w.-]+)$/;
const SENT = /^load\/(?:script\.json|generator\.log|artillery\.json)$/;
/** Of a record. `atMs` of a log's line is what the API wrote, on its own clock. */
const TIME = /^(?:t|fromMs|startMs|startedAtMs|endMs)$/;
const PIECE_CHARS = 1 << 20;
/** All are below (`PID_MAX_LIMIT`). */
const PIDS_OF_LINUX = 1 << 22;

/** @typedef {{files: RunFiles, manifest: Manifest}} SourceRun */
/** @typedef {(record: RawRecord) => RawRecord | null} ChangeRecord null leaves it out */

/**
 * @param {RunFiles} files of the new run
 * @param {SourceRun} load
 * @param {SourceRun} recording
 * @param {{clock: MergedClock, toTheirs: (ourMs: number) => number}} clocks `toTheirs`: from the load's clock to
 *   the recording's
 * @throws {import('../base/errors.js').LoadflameError} RUN_FILE_UNREADABLE, and what writing throws
 */
export async function mergeRuns(files, load, recording, { clock, toTheirs }) {
  const move = (/** @type {RawRecord} */ record) => moveTimes(record, toTheirs);
  copyFiles(recording.files, files, name => RECORDED.test(name));
  copyFiles(load.files, files, name => SENT.test(name));
  // As when files are copied, what a link leads to stays out.
  const sentFiles = listFiles(load.files.folder);
  const isSent = (/** @type {string} */ file) =>
    sentFiles.includes(path.relative(load.files.folder, file));
  for (const name of /** @type {const} */ ([
    'metrics',
    'errors',
    'loadCalls',
    'slowest',
    'plans',
    'tokens',
    'events',
    'probes',
    'cluster',
  ]))
    if (isSent(load.files[name])) await append(load.files[name], files[name], move);
  const { bootId } = load.manifest;
  const isOneMachine = bootId === recording.manifest.bootId && typeof bootId === 'string';
  if (isSent(load.files.processes))
    await append(load.files.processes, files.processes, record => {
      const own = ofGenerator(record, { place: 'load:', isOneMachine });
      return own && move(own);
    });
  const most = Math.max(0, ...findLogs(listFiles(files.folder)));
  for (const n of findLogs(sentFiles)) {
    makeFolder(files.logs);
    await append(load.files.log(n), files.log(most + n), move);
  }
  const { host: sender, ...sent } = load.manifest;
  const host = /** @type {HostInfo} */ (sender);
  const { id, command, profile, packages, modules, endedAtMs, status, pid, pidStartTicks } =
    recording.manifest;
  const loadEndMs = sent.endedAtMs === null ? null : Math.round(toTheirs(sent.endedAtMs));
  writeManifest(files.manifest, {
    ...sent,
    id: path.basename(files.folder),
    kind: profile ? 'load+profile' : 'load',
    ...(status === 'running' && { status, pid, pidStartTicks }),
    reasons: [load, recording].flatMap(({ manifest }) => manifest.reasons ?? []),
    startedAtMs: Math.min(recording.manifest.startedAtMs, Math.round(toTheirs(sent.startedAtMs))),
    endedAtMs: loadEndMs && Math.max(loadEndMs, endedAtMs ?? 0),
    command: `${command} + ${sent.command}`,
    versions: { ...recording.manifest.versions, ...sent.versions },
    ...(packages && { packages }),
    ...(modules && { modules }),
    host: recording.manifest.host,
    profile,
    joinable: false,
    mergedFrom: { load: sent.id, recording: id, host, clock },
  });
}

/**
 * A record as another clock would have stamped it.
 * @param {RawRecord} record
 * @param {(ms: number) => number} toTheirs
 */
export function moveTimes(record, toTheirs) {
  const times = Object.entries(record).filter(([name, at]) => TIME.test(name) && at !== null);
  const moved = times.map(([name, at]) => [name, Math.round(toTheirs(Number(at)))]);
  return { ...record, ...Object.fromEntries(moved) };
}

/**
 * What a link leads to could be any file of who reads: it stays out.
 * @param {RunFiles} from
 * @param {RunFiles} to
 * @param {(name: string) => boolean} isWanted
 */
function copyFiles(from, to, isWanted) {
  for (const name of listFiles(from.folder).filter(isWanted)) {
    makeFolder(path.dirname(path.join(to.folder, name)));
    copyToNew(path.join(from.folder, name), path.join(to.folder, name));
  }
}

/**
 * Records behind those that exist; torn ones stay to be counted.
 * @param {string} from @param {string} to @param {ChangeRecord} change
 */
async function append(from, to, change) {
  let text = '';
  const onTorn = () => {
    text += '{\n';
  };
  for await (const record of streamNdjson(from, { onTorn })) {
    const changed = change(record);
    if (changed) text += `${JSON.stringify(changed)}\n`;
    if (text.length < PIECE_CHARS) continue;
    appendText(to, text);
    text = '';
  }
  if (text) appendText(to, text);
}

/**
 * Processes of the machine that sent are none of the recorded one's, and its pids may be the same: even on one
 * machine, where the generator's CPU time counts, each container has pids of its own. A quota that held back the
 * generator matters in any case.
 * @param {RawRecord} record
 * @param {{place: string, number?: number, isOneMachine?: boolean}} of `number` of the sender, which its pids get
 * @returns {RawRecord | null} null: not of the generator
 */
export function ofGenerator(record, { place, number = 1, isOneMachine = true }) {
  const { kind, role, roles, pid, path: cgroup } = record;
  if (kind === 'cgroup' && roles?.includes?.('generator'))
    return { ...record, roles: ['generator'], path: `${place}${cgroup}` };
  const isWanted = isOneMachine && kind === 'sample' && role === 'generator';
  return isWanted ? { ...record, pid: pid + number * PIDS_OF_LINUX } : null;
}

/** @param {string[]} names of files @returns {number[]} */
function findLogs(names) {
  const found = names.map(name => /^logs\/(\d{1,6})\.ndjson$/.exec(name));
  return found.flatMap(match => (match ? Number(match[1]) : []));
}
