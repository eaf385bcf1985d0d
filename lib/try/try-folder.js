/** The folder of a try: its runs, and a journal from which it resumes. */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';
import { isOwnFolder } from '../files/own-files.js';
import { MOST_MANIFEST_BYTES, readRegularJson } from '../files/regular-file.js';
import { replaceFile } from '../files/replace-file.js';
import { isSameProcess, readStartTicks } from '../process/process-table.js';
import { openJournal, readNdjson } from '../run/ndjson.js';
import { createStampedFolder, runFiles } from '../run/run-folder.js';

/** @import { Redactor } from '../files/redaction.js' */
/** @import { TryLoad, TrySide } from '../facts/try.d.ts' */
/** @import { SideName } from './sides.js' */

/** What a try measures; all its runs share one plan. @typedef {{sides: {a: TrySide, b: TrySide}, script: {name: string, sha256: string}, load: TryLoad, target: string}} TryPlan */
/** A complete run. The two runs of a pair are consecutive. @typedef {{pair: number, side: SideName, folder: string}} TriedRun */

const SCHEMA = 'loadflame-try-plan/1';
const IN_RUNS = /^\w[^/]*$/;

/** @param {string} folder */
function tryFiles(folder) {
  const files = runFiles(folder);
  return {
    folder,
    plan: path.join(folder, 'plan.json'),
    journal: path.join(folder, 'journal.ndjson'),
    runs: path.join(folder, 'runs'),
    compareJson: files.compareJson,
    compareHtml: files.compareHtml,
  };
}

/** @typedef {ReturnType<typeof tryFiles>} TryFiles */

/**
 * @typedef {object} TryFolder
 * @property {TryFiles} files
 * @property {TriedRun[]} runs in the order of measurement; `folder` is absolute
 * @property {number} earlierMs how long earlier attempts took
 * @property {(run: TriedRun) => void} add writes to disk before it returns
 * @property {() => void} end lets another process continue; removes a folder without runs
 */

/**
 * Creates a folder, or opens one to continue. Its content is not trusted: commands always come from the command line,
 * and only runs from the folder.
 * @param {TryPlan} plan
 * @param {{root: string, name: string, redactor: Pick<Redactor, 'redactValue'>, earlier?: string}} options `earlier`: the folder to continue
 * @returns {Promise<TryFolder>}
 * @throws {LoadflameError} TRY_FOLDER, RUN_FOLDER_UNWRITABLE
 */
export async function openTryFolder(plan, { root, name, redactor, earlier }) {
  const wings = ['runs'];
  const files = tryFiles(
    path.resolve(earlier ?? createStampedFolder(root, `try-${name}`, { wings }).folder),
  );
  const recorded = { schema: SCHEMA, ...redactor.redactValue(describePlan(plan)) };
  if (earlier === undefined)
    replaceFile(files.plan, `${JSON.stringify(recorded, null, 2)}\n`, {
      code: 'RUN_FOLDER_UNWRITABLE',
    });
  else checkPlan(files, recorded);
  const { records } = await readNdjson(files.journal);
  const owner = records.findLast(({ kind }) => kind === 'attempt' || kind === 'end');
  if (owner?.kind === 'attempt' && isSameProcess(owner.pid, owner.pidStartTicks))
    refuse(
      files.folder,
      `is being measured by process ${owner.pid}`,
      'wait for it, or stop it with Ctrl+C',
    );
  const journal = openJournal(files.journal);
  const runs = records.flatMap(({ kind, pair, side, folder }) => {
    const isRun = kind === 'run' && Number.isSafeInteger(pair) && (side === 'a' || side === 'b');
    if (!isRun || typeof folder !== 'string' || !IN_RUNS.test(folder)) return [];
    const place = path.join(files.runs, folder);
    return existsSync(runFiles(place).manifest) ? [{ pair, side, folder: place }] : [];
  });
  const earlierMs = records.reduce(
    (sum, { t, kind }, at) => sum + (kind === 'attempt' ? 0 : t - (records[at - 1]?.t ?? t)),
    0,
  );
  journal.append('attempt', { pid: process.pid, pidStartTicks: readStartTicks(process.pid) });
  return {
    files,
    runs,
    earlierMs,
    add: run => {
      journal.append('run', { ...run, folder: path.basename(run.folder) });
      runs.push(run);
    },
    end: () => {
      if (runs.length === 0) rmSync(files.folder, { recursive: true, force: true });
      else journal.append('end', { pid: process.pid });
    },
  };
}

/** What must stay the same. A worktree has a new folder each time, so it is left out. @param {TryPlan} plan */
function describePlan({ sides, ...rest }) {
  const describe = (/** @type {TrySide} */ side) => ({
    ...side,
    folder: side.reference ? null : side.folder,
  });
  return { sides: { a: describe(sides.a), b: describe(sides.b) }, ...rest };
}

/** @param {TryFiles} files @param {Record<string, any>} now */
function checkPlan({ folder, plan: file }, now) {
  const change =
    'name the folder of one of your tries in profiles/, or start a new one without --continue';
  let then;
  try {
    then = readRegularJson(file, MOST_MANIFEST_BYTES);
  } catch {
    refuse(folder, 'has no readable plan.json', change);
  }
  if (then?.schema !== SCHEMA) refuse(folder, 'is not the folder of a try', change);
  if (!isOwnFolder(folder)) refuse(folder, 'is not yours, or has links in it', change);
  for (const [what, value] of Object.entries(now))
    if (JSON.stringify(then[what]) !== JSON.stringify(value))
      refuse(
        folder,
        `was measured with another ${what}: ${JSON.stringify(then[what])} instead of ${JSON.stringify(value)}`,
        'repeat the command that started it and add --continue, or start a new try without --continue',
      );
}

/** @param {string} folder @param {string} problem @param {string} change @returns {never} */
function refuse(folder, problem, change) {
  throw new LoadflameError('TRY_FOLDER', { folder, problem, change });
}
