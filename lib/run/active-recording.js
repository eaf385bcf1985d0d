/** The two-terminal way: a load test finds the recording that is going on, and joins it. */
import { isOwnFolder } from '../base/files/own-files.js';
import { tryOr } from '../base/files/try-or.js';
import { isLoadflame, isSameProcess, readText } from '../base/process/process-table.js';
import { isRunActive, readManifest } from './manifest.js';
import { findRunFolders, runFiles } from './run-folder.js';

/** @import { RecordOf } from './facts/records.d.ts' */

/**
 * The newest recording of this user that is under way and has no load test at work in it. Whatever else a folder
 * says of itself, nothing is written into it.
 * @param {string} root the folder that holds the runs
 * @returns {import('./run-folder.js').RunFiles | null}
 */
export function findActiveRecording(root) {
  for (const folder of findRunFolders(root).reverse()) {
    const files = runFiles(folder);
    if (isWaiting(files.manifest) && isOwnFolder(folder) && !hasLoadAtWork(files)) return files;
  }
  return null;
}

/** @param {string} file */
function isWaiting(file) {
  const { joinable = false, pid = -1 } = readActive(file) ?? {};
  return joinable && isLoadflame(pid);
}

/**
 * @param {string} root the folder that holds the runs
 * @returns {string | null} folder of the newest run that is under way
 */
export function findRunning(root) {
  return findRunFolders(root).reverse().find(isUnderWay) ?? null;
}

/** @param {string} folder */
export function isUnderWay(folder) {
  return readActive(runFiles(folder).manifest) !== null;
}

/** Of another schema, or torn, it is of no run that goes on. @param {string} file */
function readActive(file) {
  const manifest = tryOr(null, () => readManifest(file));
  return manifest && isRunActive(manifest) ? manifest : null;
}

/** @param {import('./run-folder.js').RunFiles} files */
export function hasLoadAtWork(files) {
  return isLoadAtWork(readLines(files.events));
}

/**
 * A load test that joined, has not left and is still alive: two at once could not be distinguished.
 * @param {RecordOf<'events'>[]} events of the run
 */
export function isLoadAtWork(events) {
  /** @type {Map<number, number | null>} */
  const joined = new Map();
  for (const event of events) {
    if (event.kind === 'load-joined') joined.set(event.pid, event.pidStartTicks ?? null);
    if (event.kind === 'load-left') joined.delete(event.pid);
  }
  return [...joined].some(([pid, ticks]) => isSameProcess(pid, ticks));
}

/** @param {string} file @returns {RecordOf<'events'>[]} */
function readLines(file) {
  const lines = (readText(file) ?? '').split('\n').filter(line => line.endsWith('}'));
  return tryOr([], () => lines.map(line => JSON.parse(line)));
}
