/** What a killed attempt left behind: work folders of services, and runs that no record speaks of. */

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { listEndedCells } from './choose-next-cell.js';

/** @import { JournalRecord } from '../study-records.d.ts' */

const PREFIX = 'loadflame-study-';

/**
 * A path for the temporary folder of an attempt; the journal has it before it is made. Short, as those of
 * the folders in it: the path of a Unix socket has 107 bytes at most.
 */
export function nameWorkFolder() {
  return path.join(os.tmpdir(), `${PREFIX}${randomBytes(4).toString('hex')}`);
}

/**
 * Of attempts that are over. A journal may come from somebody else: only what is a work folder by its
 * place and name is removed.
 * @param {JournalRecord[]} records
 */
export function removeWorkFolders(records) {
  for (const record of records) {
    if (record.kind === 'attempt') removeWorkFolder(record.work);
  }
}

/** @param {string} work */
export function removeWorkFolder(work) {
  const isOurs =
    typeof work === 'string' &&
    path.dirname(work) === os.tmpdir() &&
    path.basename(work).startsWith(PREFIX);
  if (isOurs) rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Runs that were cut off: no cell's end names them.
 * @param {import('./study-folder.js').StudyFiles} files
 * @param {JournalRecord[]} records
 * @returns {string[]} absolute
 */
export function findCutRuns({ folder, runs }, records) {
  const known = new Set(listEndedCells(records).map(cell => cell.folder));
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .map(name => path.join(runs, name))
    .filter(run => !known.has(path.relative(folder, run)));
}

/** @param {import('./study-folder.js').StudyFiles} files @param {JournalRecord[]} records */
export function removeCutRuns(files, records) {
  for (const run of findCutRuns(files, records)) rmSync(run, { recursive: true, force: true });
}
