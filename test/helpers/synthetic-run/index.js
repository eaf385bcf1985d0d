/**
 * Runs with a known answer: values in, a run folder (`docs/run-folder.md`) out. What is sampled is
 * sampled honestly: requests and samples come by chance, around means that `truth` tells.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeManifest } from '../../../lib/run/manifest.js';
import { runFiles } from '../../../lib/run/run-folder.js';
import { completeSpec } from './defaults.js';
import { buildLoadRecords } from './load-records.js';
import { buildRawSegments } from './raw-segments.js';
import { buildResourceRecords } from './resource-records.js';
import { simulate } from './simulate.js';
import { tellTruth } from './truth.js';
import { INSTANCE, listLives, MASTER_PID, pidAt } from './worker-lives.js';

/** @typedef {import('./synthetic-run.d.ts').SyntheticSpec} SyntheticSpec */
/** @typedef {import('./synthetic-run.d.ts').SyntheticRun} SyntheticRun */

/**
 * A run in memory; the same for the same spec. About 10 ms per 1,000 requests.
 * @param {SyntheticSpec} [spec] one minute of 30 requests/s on 2 workers at 15 % of a core each where absent
 * @returns {SyntheticRun}
 * @throws {Error} a spec that can't be
 */
export function makeRun(spec = {}) {
  /** @type {SyntheticRun['raw']} */
  const raw = [];
  return { ...buildRun(spec, (file, text) => raw.push({ file, text })), raw };
}

/**
 * Writes a run as the recorders would have.
 * @param {string} folder made where it is not there
 * @param {SyntheticRun} run
 * @returns {string} the folder
 */
export function writeRun(folder, run) {
  makeFolders(folder);
  writeRecords(folder, run);
  for (const { file, text } of run.raw) writeFileSync(path.join(folder, 'profile', file), text);
  return folder;
}

/**
 * Writes a run that is too large to be held: stacks go to their files as they are made.
 * @param {string} folder made where it is not there
 * @param {SyntheticSpec} spec
 * @returns {SyntheticRun['truth']}
 */
export function writeLargeRun(folder, spec) {
  makeFolders(folder);
  const run = buildRun(spec, (file, text) =>
    writeFileSync(path.join(folder, 'profile', file), text),
  );
  writeRecords(folder, run);
  return run.truth;
}

/**
 * @param {SyntheticSpec} spec
 * @param {(file: string, text: string) => void} write takes the files of the profile
 */
function buildRun(spec, write) {
  const full = completeSpec(spec);
  const seconds = simulate(full);
  const endMs = full.startMs + seconds.length * 1000;
  const lives = listLives(full, endMs);
  const { metrics, errors } = buildLoadRecords(
    full,
    seconds,
    ({ fromMs }, worker) => `${full.backends[0]?.id ?? INSTANCE}.${pidAt(lives, worker, fromMs)}`,
  );
  const profile = full.profile
    ? buildRawSegments(full, seconds, lives, write)
    : { segments: [], samples: 0 };
  return {
    manifest: describeRun(full, endMs),
    events: [],
    metrics,
    errors,
    tokens: [],
    calls: full.endpoints.filter(({ route }) => route).map(route => describeRoute(route, full)),
    segments: profile.segments,
    processes: buildResourceRecords(full, seconds, lives),
    truth: tellTruth(full, seconds, { samples: profile.samples, ...countResponses(metrics) }),
  };
}

/** The route that the source of a view states. @param {import('./defaults.js').CompleteSpec['endpoints'][number]} endpoint @param {{startMs: number}} spec */
function describeRoute({ name, view, file, route = '' }, { startMs }) {
  const [method = ''] = name.split(' ');
  return { t: startMs, kind: 'route', function: view, file, path: route, methods: [method] };
}

/** @param {string} folder */
function makeFolders(folder) {
  for (const wing of ['load', 'profile', 'resources'])
    mkdirSync(path.join(folder, wing), { recursive: true });
}

/** @param {string} folder @param {Omit<SyntheticRun, 'raw'>} run */
function writeRecords(folder, run) {
  const files = runFiles(folder);
  writeManifest(files.manifest, run.manifest);
  const records = {
    [files.events]: run.events,
    [files.metrics]: run.metrics,
    [files.errors]: run.errors,
    [files.tokens]: run.tokens,
    [files.calls]: run.calls ?? [],
    [files.segments]: run.segments,
    [files.processes]: run.processes,
  };
  for (const [file, lines] of Object.entries(records)) {
    if (lines.length > 0)
      writeFileSync(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''));
  }
}

/** @param {import('./defaults.js').CompleteSpec} spec @param {number} endMs @returns {import('../../../lib/run/facts/records.d.ts').Manifest} */
function describeRun({ id, startMs, profile, rateHz, cpus }, endMs) {
  return {
    schema: 'loadflame-run/1',
    id,
    kind: profile ? 'load+profile' : 'load',
    status: 'complete',
    reasons: [],
    pid: 4000,
    pidStartTicks: 1,
    startedAtMs: startMs - 2000,
    endedAtMs: endMs + 500,
    command: 'loadflame tests:profile',
    target: 'http://127.0.0.1:5000',
    script: { name: 'scenarios/synthetic.yaml', sha256: 'f'.repeat(64) },
    versions: { loadflame: '0.1.0', node: '24.0.0', 'py-spy': '0.4.3' },
    host: { platform: 'linux x64', cpus, cpuModel: 'synthetic', memoryBytes: 16e9 },
    settings: [],
    profile: profile ? { masterPid: MASTER_PID, rateHz } : null,
    joinable: false,
  };
}

/** @param {Record<string, any>[]} metrics */
function countResponses(metrics) {
  /** @type {Record<string, number>} */
  const byBackend = {};
  let errors = 0;
  for (const { kind, endpoints, backends } of metrics) {
    if (kind !== 'second') continue;
    for (const endpoint of Object.values(endpoints)) errors += endpoint.errors;
    for (const [id, n] of Object.entries(backends ?? {})) byBackend[id] = (byBackend[id] ?? 0) + n;
  }
  return { errors, byBackend };
}
