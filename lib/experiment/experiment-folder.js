/** The folder of an experiment: its plan, its runs, and a journal from which it resumes. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../base/errors.js';
import { isOwnFolder } from '../base/files/own-files.js';
import { MOST_MANIFEST_BYTES, readRegularJson } from '../base/files/regular-file.js';
import { replaceFile } from '../base/files/replace-file.js';
import { createStampedFolder, runFiles } from '../run/run-folder.js';
import { describeAttempt, findOwner, openJournal } from './journal.js';

/** @import { Redactor } from '../base/files/redaction.js' */
/** @import { RawRecord } from '../run/ndjson.js' */
/** @import { Journal } from './journal.js' */

/** The name of a folder of runs. */
export const IN_RUNS = /^\w[^/]*$/;

/** `measured`: kind of the records of measured runs; `stays`: also without a run, for logs of failed services. */
const RUNS = { measured: 'run', end: 'end', stays: false };
const CELLS = { measured: 'cell-end', end: 'study-end', stays: true };
const FORMS = { try: RUNS, bisect: RUNS, find: RUNS, study: CELLS };

/** @typedef {keyof typeof FORMS} Kind */

/**
 * @template {{t: number, kind: string}} [Known=RawRecord]
 * @typedef {object} FolderOptions
 * @property {string} root folder that holds runs
 * @property {string} name of the folder
 * @property {Pick<Redactor, 'redactValue' | 'redactError'>} redactor
 * @property {string | undefined} [earlier] folder of an experiment to continue
 * @property {(record: RawRecord) => Known | null} [check] of the journal of a study
 */

/**
 * @template {{t: number, kind: string}} [Known=RawRecord]
 * @typedef {object} ExperimentFolder
 * @property {string} folder
 * @property {string} runsRoot folder of its runs
 * @property {Known[]} records of all attempts
 * @property {RawRecord[]} runs records of measured runs, in order; `folder`: the run, in `runsRoot`
 * @property {number} earlierMs how long earlier attempts took
 * @property {Journal<Known>['append']} append writes to disk before it returns
 * @property {() => string[]} listCutRuns paths of runs without a record
 * @property {boolean} stays also without a run, so what happened is in it
 * @property {Redactor['redactError']} redactError
 * @property {(reason: string, failure: unknown) => void} end lets another process continue, and removes a folder
 *   without runs, and a run that was interrupted
 */

/**
 * Creates a folder, or opens one to continue. Its content is not trusted: commands always come from the command line
 * or the study file, and only runs from the folder.
 * @template {{t: number, kind: string}} [Known=RawRecord]
 * @param {Kind} kind
 * @param {Record<string, any>} plan what all runs share
 * @param {FolderOptions<Known>} options
 * @returns {Promise<ExperimentFolder<Known>>}
 * @throws {LoadflameError} ALREADY_RUNNING, CONTINUE_…, RUN_FOLDER_UNWRITABLE
 */
export async function openExperiment(kind, plan, { root, name, redactor, earlier, check }) {
  const { measured, end, stays } = FORMS[kind];
  const recorded = { schema: `loadflame-${kind}-plan/1`, ...redactor.redactValue(plan) };
  const place = earlier ?? createStampedFolder(root, `${kind}-${name}`, { wings: ['runs'] }).folder;
  const folder = path.resolve(place);
  const [runsRoot, file] = [path.join(folder, 'runs'), path.join(folder, 'plan.json')];
  // The folder of a study was found by its plan, and keeps the order of its blocks.
  if (earlier !== undefined && kind !== 'study') checkPlan(kind, { folder, file }, recorded);
  else
    replaceFile(file, `${JSON.stringify(recorded, null, 2)}\n`, { code: 'RUN_FOLDER_UNWRITABLE' });
  const { records, append } = await openJournal(path.join(folder, 'journal.ndjson'), {
    check: check ?? checkRun(runsRoot),
    redactValue: check && redactor.redactValue,
  });
  const pid = findOwner(records);
  if (pid !== null) throw new LoadflameError('ALREADY_RUNNING', { folder, pid });
  const earlierMs = records.reduce(
    (sum, record, at) =>
      sum + (record.kind === 'attempt' ? 0 : record.t - (records[at - 1]?.t ?? record.t)),
    0,
  );
  append(describeAttempt());
  const listRuns = () =>
    /** @type {RawRecord[]} */ (records.filter(record => record.kind === measured));
  const listCutRuns = () => {
    // An undecided step of a bisection goes on.
    const kept = /** @type {RawRecord[]} */ (records.filter(own => own.kind === 'open'));
    const known = [...listRuns(), ...kept].map(({ folder: run }) => run && path.basename(run));
    const names = existsSync(runsRoot) ? readdirSync(runsRoot) : [];
    return names.filter(run => !known.includes(run)).map(run => path.join(runsRoot, run));
  };
  const removeCutRuns = () => {
    for (const run of listCutRuns()) rmSync(run, { recursive: true, force: true });
  };
  removeCutRuns();
  return {
    folder,
    runsRoot,
    records,
    earlierMs,
    append,
    listCutRuns,
    stays,
    redactError: redactor.redactError,
    get runs() {
      return listRuns();
    },
    end(reason, failure) {
      if (reason === 'interrupted') removeCutRuns();
      const isEmpty = !stays && readdirSync(runsRoot).length === 0;
      if (isEmpty) return rmSync(folder, { recursive: true, force: true });
      const message = failure instanceof Error ? failure.message : null;
      append({ kind: end, pid: process.pid, reason, message });
    },
  };
}

/** Leaves out runs that are elsewhere or were deleted. @param {string} root @returns {(record: RawRecord) => any} */
function checkRun(root) {
  const isRun = (/** @type {string} */ name) =>
    IN_RUNS.test(name) && existsSync(runFiles(path.join(root, name)).manifest);
  return record => (record.kind !== 'run' || isRun(record.folder) ? record : null);
}

/**
 * @param {Kind} kind
 * @param {{folder: string, file: string}} place
 * @param {Record<string, unknown>} now
 */
function checkPlan(kind, { folder, file }, now) {
  const refuse = (/** @type {string} */ reason) => {
    throw new LoadflameError('CONTINUE_NOT_ONE', { folder, kind, reason });
  };
  /** @type {any} */
  let then;
  try {
    then = readRegularJson(file, MOST_MANIFEST_BYTES);
  } catch {
    refuse('it has no readable plan.json');
  }
  if (then?.schema !== now.schema) refuse('its plan.json is of something else');
  if (!isOwnFolder(folder)) refuse('it is not yours, or has links in it');
  for (const [what, value] of Object.entries(now)) {
    const [before, after] = [then[what], value].map(one => JSON.stringify(one));
    if (before !== after)
      throw new LoadflameError('CONTINUE_OTHER', { folder, what, before, after });
  }
}
