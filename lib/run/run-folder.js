/**
 * The run folder: where a run's files are and what they are called (`docs/run-folder.md`).
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../base/errors.js';
import { makeFolder } from '../base/files/own-files.js';
import { slugOf } from '../base/files/plain-text.js';

/** The folder, below the working directory, in which runs are kept. */
export const RUNS_FOLDER = 'profiles';

/** Role of the processes that the server's workers start: programs that requests run, process pools. */
export const WORKER_CHILDREN = 'child processes';
/** Role of the processes on this machine to which the workers have connected: a database, another service. */
export const WORKER_SERVICES = 'local services';

/**
 * Paths of the files of a run folder.
 * @param {string} folder
 */
export function runFiles(folder) {
  /** @param {...string} parts */
  const at = (...parts) => path.join(folder, ...parts);
  return {
    folder,
    manifest: at('run.json'),
    events: at('events.ndjson'),
    script: at('load', 'script.json'),
    generatorLog: at('load', 'generator.log'),
    metrics: at('load', 'metrics.ndjson'),
    errors: at('load', 'errors.ndjson'),
    loadCalls: at('load', 'calls.ndjson'),
    slowest: at('load', 'slowest.ndjson'),
    plans: at('load', 'plans.ndjson'),
    artillery: at('load', 'artillery.json'),
    tokens: at('load', 'tokens.ndjson'),
    segments: at('profile', 'segments.ndjson'),
    /** @param {number} n from 1 */
    segment: n => at('profile', `segment-${String(n).padStart(5, '0')}.raw`),
    /** @param {number} n from 1 */
    waits: n => at('profile', `waits-${String(n).padStart(5, '0')}.raw`),
    calls: at('profile', 'calls.ndjson'),
    source: at('profile', 'source.ndjson'),
    /** of our own recorder @param {number} n from 1; another one where that was killed */
    samples: n => at('profile', `samples-${String(n).padStart(5, '0')}.txt`),
    pySpyLog: at('profile', 'py-spy.log'),
    processes: at('resources', 'processes.ndjson'),
    probes: at('resources', 'probes.ndjson'),
    cluster: at('resources', 'cluster.ndjson'),
    logs: at('logs'),
    /** @param {number} n from 1, one per source */
    log: n => at('logs', `${n}.ndjson`),
    reportJson: at('report.json'),
    reportHtml: at('report.html'),
    /** only while a browser opens the page of a run under way */
    live: at('live.html'),
    compareJson: at('compare.json'),
    compareHtml: at('compare.html'),
    speedscope: at('profile.speedscope.json'),
    speedscopePage: at('speedscope.html'),
    raw: at('profile.raw'),
    /** @param {number | string} pid the profiled master */
    flamegraph: pid => at(`profile-${pid}.svg`),
  };
}

/** @typedef {ReturnType<typeof runFiles>} RunFiles */

/**
 * Where the recording of task workers is, which is made as that of the server is.
 * @param {RunFiles} files of the run
 * @param {number} n from 1, one for each first process
 */
export function taskWorkerFiles({ folder }, n) {
  return runFiles(path.join(folder, 'task-workers', `${n}`));
}

/**
 * Makes the folder of a new run, named after its start (UTC) and what it is.
 * @param {string} root the folder that holds the runs
 * @param {string} name turned into letters, digits and dashes
 * @param {Date} [now]
 * @returns {RunFiles}
 * @throws {LoadflameError} RUN_FOLDER_UNWRITABLE
 */
export function createRunFolder(root, name, now = new Date()) {
  return createStampedFolder(root, name, { now, wings: ['load', 'profile', 'resources'] });
}

/**
 * Makes a folder beside those of the runs, named like them.
 * @param {string} root
 * @param {string} name
 * @param {{now?: Date, wings?: string[]}} [options] `wings`: folders in it
 * @returns {RunFiles}
 * @throws {LoadflameError} RUN_FOLDER_UNWRITABLE
 */
export function createStampedFolder(root, name, { now = new Date(), wings = [] } = {}) {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const slug = slugOf(name) || 'run';
  for (let n = 1; ; n++) {
    const folder = path.join(root, n === 1 ? `${stamp}-${slug}` : `${stamp}-${slug}-${n}`);
    try {
      makeFolder(root);
      makeFolder(folder, { isNew: true });
      for (const wing of wings) makeFolder(path.join(folder, wing), { isNew: true });
      return runFiles(folder);
    } catch (cause) {
      const code = /** @type {NodeJS.ErrnoException} */ (cause).code;
      if (code === 'EEXIST' && n < 1000) continue;
      throw new LoadflameError('RUN_FOLDER_UNWRITABLE', { folder, reason: code }, { cause });
    }
  }
}

/**
 * A run (or a study) as people name it: by its folder, by its id, the `last` one, or `last~1`, the one before.
 * @param {string} given
 * @param {string} root the folder that holds the runs
 * @param {string} [holding] as in `findRunFolders`
 * @returns {string} its folder; as given where nothing of that name is there
 */
export function locateRun(given, root, holding) {
  if (existsSync(given)) return given;
  const last = /^last(?:~(\d{1,4}))?$/.exec(given);
  if (last) return findRunFolders(root, holding).at(-1 - Number(last[1] ?? 0)) ?? given;
  const byId = path.join(root, given);
  return existsSync(byId) ? byId : given;
}

/**
 * Folders of runs, oldest first (their names sort by start time).
 * @param {string} root
 * @param {string} [holding] a file that the folder must hold; a report of loose files has no manifest
 * @returns {string[]} absolute or relative as `root` is
 */
export function findRunFolders(root, holding = 'run.json') {
  try {
    return readdirSync(root)
      .filter(name => /^\d{8}-\d{6}-/.test(name))
      .map(name => path.join(root, name))
      .filter(folder => existsSync(path.join(folder, holding)))
      .sort();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * @param {string} root
 * @param {string} [holding] a file that its folder must hold
 * @returns {string} folder of the newest run
 * @throws {LoadflameError} NO_RUNS
 */
export function lastRun(root, holding) {
  const folder = findRunFolders(root, holding).at(-1);
  if (!folder) throw new LoadflameError('NO_RUNS', { root });
  return folder;
}
