/** The folder of a try: all its runs, and a journal by which it is continued. */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';
import { appendText, isOwnFolder } from '../files/own-files.js';
import { MOST_MANIFEST_BYTES, readRegularJson } from '../files/regular-file.js';
import { replaceFile } from '../files/replace-file.js';
import { isSameProcess, readStartTicks } from '../process/process-table.js';
import { createNdjsonWriter, readNdjson } from '../run/ndjson.js';
import { createStampedFolder, runFiles } from '../run/run-folder.js';

/** @import { Redactor } from '../files/redaction.js' */
/** @import { TryLoad, TrySide } from '../facts/try.d.ts' */
/** @import { SideName } from './sides.js' */

/** What is measured. Runs of different plans are not of one try. @typedef {{sides: {a: TrySide, b: TrySide}, script: {name: string, sha256: string}, load: TryLoad, target: string}} TryPlan */
/** A run that ended well. Two of a pair follow each other. @typedef {{pair: number, side: SideName, folder: string}} TriedRun */

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
 * @property {TriedRun[]} runs that were measured, in their order; `folder` is absolute
 * @property {number} earlierMs how long earlier attempts took
 * @property {(run: TriedRun) => void} add on disk when it returns
 * @property {() => void} end another process may continue it; without a run the folder goes
 */

/**
 * A new folder, or one to continue. What is in that is no more than a claim: commands come from the command line, and
 * runs alone from the folder.
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
  const told = { schema: SCHEMA, ...redactor.redactValue(describePlan(plan)) };
  if (earlier === undefined)
    replaceFile(files.plan, `${JSON.stringify(told, null, 2)}\n`, {
      code: 'RUN_FOLDER_UNWRITABLE',
    });
  else checkPlan(files, told);
  const { records } = await readNdjson(files.journal);
  const owner = records.findLast(({ kind }) => kind === 'attempt' || kind === 'end');
  if (owner?.kind === 'attempt' && isSameProcess(owner.pid, owner.pidStartTicks))
    refuse(
      files.folder,
      `is being measured by process ${owner.pid}`,
      'wait for it, or stop it with Ctrl+C',
    );
  // A line that a killed process left unfinished must not swallow the next one.
  if (records.length > 0) appendText(files.journal, '\n');
  const journal = createNdjsonWriter(files.journal, {
    flush: true,
    onError: cause => {
      const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
      throw new LoadflameError(
        'RUN_FOLDER_UNWRITABLE',
        { folder: files.folder, reason },
        { cause },
      );
    },
  });
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

/** What has to stay the same. A worktree lies elsewhere each time. @param {TryPlan} plan */
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
    'name the folder of a try in profiles/ that you began; without --continue a new one begins';
  let then;
  try {
    then = readRegularJson(file, MOST_MANIFEST_BYTES);
  } catch {
    refuse(folder, 'has no plan.json that can be read', change);
  }
  if (then?.schema !== SCHEMA) refuse(folder, 'is not the folder of a try', change);
  if (!isOwnFolder(folder)) refuse(folder, 'is not yours, or has links in it', change);
  for (const [what, value] of Object.entries(now))
    if (JSON.stringify(then[what]) !== JSON.stringify(value))
      refuse(
        folder,
        `was measured with another ${what}: ${JSON.stringify(then[what])}, and not ${JSON.stringify(value)}`,
        'repeat the command that began it and add --continue; without that a new try begins',
      );
}

/** @param {string} folder @param {string} problem @param {string} change @returns {never} */
function refuse(folder, problem, change) {
  throw new LoadflameError('TRY_FOLDER', { folder, problem, change });
}
