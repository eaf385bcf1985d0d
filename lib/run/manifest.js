/** `run.json`, the manifest of a run: what was run, with what, when, and how it ended. */
import { readFileSync } from 'node:fs';
import { LoadflameError } from '../errors.js';
import { isSameProcess } from '../process-table.js';
import { replaceFile } from '../replace-file.js';

/**
 * @typedef {object} Manifest
 * @property {'loadflame-run/1'} schema
 * @property {string} id
 * @property {'load' | 'profile' | 'load+profile'} kind
 * @property {'running' | 'complete' | 'partial'} status
 * @property {import('../analysis/quality/quality.d.ts').PartialReason[]} reasons why it is partial
 * @property {number} pid of the loadflame that owns the run
 * @property {number | null} pidStartTicks tells that process from a later one with the same pid
 * @property {number} startedAtMs
 * @property {number | null} endedAtMs
 * @property {string} command as typed, without secrets
 * @property {string | null} target
 * @property {{name: string, sha256: string} | null} script
 * @property {Record<string, string>} versions
 * @property {{platform: string, cpus: number, cpuModel: string, memoryBytes: number}} host
 * @property {{name: string, value: string, source: string}[]} settings secrets masked
 * @property {{rootPid?: number, masterPid: number | null, rateHz: number,
 *   taskWorkers?: {name: string, rootPids: number[]} | null} | null} profile first process of the
 *   server (not there in old runs), and the same again where it only waits for its workers; first processes
 *   of task workers that were recorded beside it
 * @property {boolean} joinable a recording that waits for Ctrl+C: a load test may join it
 */

/**
 * Replaces the manifest in one step, so that a reader never sees half of it.
 * @param {string} file
 * @param {Manifest} manifest
 * @throws {LoadflameError} RUN_FOLDER_UNWRITABLE; the manifest that was there before stays
 */
export function writeManifest(file, manifest) {
  replaceFile(file, `${JSON.stringify(manifest, null, 2)}\n`, { code: 'RUN_FOLDER_UNWRITABLE' });
}

/**
 * @param {string} file
 * @returns {Manifest}
 * @throws {LoadflameError} RUN_FOLDER_NOT_ONE
 */
export function readManifest(file) {
  let manifest;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new LoadflameError('RUN_FOLDER_NOT_ONE', { file, reason: errorText(cause) }, { cause });
  }
  if (manifest?.schema !== 'loadflame-run/1') {
    const reason = `its schema is ${JSON.stringify(manifest?.schema)}, not "loadflame-run/1"`;
    throw new LoadflameError('RUN_FOLDER_NOT_ONE', { file, reason });
  }
  return manifest;
}

/**
 * Changes some fields of the manifest on disk.
 * @param {string} file
 * @param {Partial<Manifest> | ((manifest: Manifest) => Partial<Manifest>)} change
 */
export function updateManifest(file, change) {
  const manifest = readManifest(file);
  const fields = typeof change === 'function' ? change(manifest) : change;
  writeManifest(file, { ...manifest, ...fields });
}

/**
 * Is the loadflame that owns this run still at work?
 * @param {Manifest} manifest
 */
export function isRunActive(manifest) {
  return manifest.status === 'running' && isSameProcess(manifest.pid, manifest.pidStartTicks);
}

/** @param {unknown} error */
function errorText(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  return code === 'ENOENT' ? 'there is no such file' : message;
}
