/** The two-terminal way: a load test finds the recording that is going on, and joins it. */
import { readFileSync } from 'node:fs';
import { isOwnFolder } from '../files/own-files.js';
import { isLoadflame, isSameProcess } from '../process/process-table.js';
import { isRunActive, readManifest } from './manifest.js';
import { findRunFolders, runFiles } from './run-folder.js';

/** @import { RecordOf } from '../facts/records.d.ts' */

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
  try {
    const manifest = readManifest(file);
    return isRunActive(manifest) ? manifest : null;
  } catch {
    return null;
  }
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
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(line => line.endsWith('}'))
      .map(line => JSON.parse(line));
  } catch {
    return [];
  }
}
