/** The folder of a study: its files, how it is created, and its journal (`docs/run-folder.md`). */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { collectSecrets, createRedactor } from '../../files/redaction.js';
import { replaceFile } from '../../files/replace-file.js';
import { findMistake, readShaped } from '../../run/folder-shapes.js';
import { openJournal, readNdjson } from '../../run/ndjson.js';
import { createStampedFolder, findRunFolders } from '../../run/run-folder.js';
import { listEndedCells } from './choose-next-cell.js';

/** @import { Redactor } from '../../files/redaction.js' */
/** @import { JournalRecord, StudyPlan } from '../../facts/study-records.d.ts' */

const PLAN = 'plan.json';

/**
 * Paths of the files of a study's folder.
 * @param {string} folder
 */
export function studyFiles(folder) {
  /** @param {...string} parts */
  const at = (...parts) => path.join(folder, ...parts);
  return {
    folder,
    plan: at(PLAN),
    journal: at('journal.ndjson'),
    /** one run folder per cell */
    runs: at('runs'),
    /** the cells' scripts */
    cells: at('cells'),
    services: at('services'),
    lists: at('lists'),
    json: at('study.json'),
    html: at('study.html'),
    csv: at('study.csv'),
    markdown: at('study.md'),
  };
}

/** @typedef {ReturnType<typeof studyFiles>} StudyFiles */

/**
 * Creates the folder of a new study and writes its plan, without secrets.
 * @param {string} root folder that holds runs and studies
 * @param {StudyPlan} plan
 * @returns {StudyFiles}
 * @throws {LoadflameError} RUN_FOLDER_UNWRITABLE
 */
export function createStudyFolder(root, plan) {
  const wings = ['runs', 'cells', 'services', 'lists'];
  const { folder } = createStampedFolder(root, `study-${plan.study.name}`, { wings });
  const files = studyFiles(path.resolve(folder));
  writePlan(files.folder, plan);
  return files;
}

/** @param {string} folder @param {StudyPlan} plan @throws {LoadflameError} RUN_FOLDER_UNWRITABLE */
export function writePlan(folder, plan) {
  const text = `${JSON.stringify(redactorOf(plan.study).redactValue(plan), null, 2)}\n`;
  replaceFile(studyFiles(folder).plan, text, { code: 'RUN_FOLDER_UNWRITABLE' });
}

/** Redacts the secrets in the study file. @param {import('../../facts/study-file.d.ts').Study} study */
export function redactorOf(study) {
  return createRedactor(collectSecrets(study));
}

/** Folders of studies, oldest first. @param {string} root */
export function findStudyFolders(root) {
  return findRunFolders(root, PLAN).map(folder => path.resolve(folder));
}

/**
 * @param {string} folder
 * @returns {StudyPlan}
 * @throws {LoadflameError} STUDY_FOLDER_NOT_ONE
 */
export function readPlan(folder) {
  return readShaped(studyFiles(folder).plan, {
    ...{ name: 'plan', schema: 'loadflame-study-plan/1' },
    complain: (reason, cause) =>
      new LoadflameError('STUDY_FOLDER_NOT_ONE', { folder, reason }, { cause }),
  });
}

/**
 * Runs that were cut off: no record of an ended cell names them.
 * @param {StudyFiles} files
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

/** @param {StudyFiles} files @param {JournalRecord[]} records */
export function removeCutRuns(files, records) {
  for (const run of findCutRuns(files, records)) rmSync(run, { recursive: true, force: true });
}

/**
 * An open journal: its records, including those of this attempt, and how to add one.
 * @typedef {object} Journal
 * @property {JournalRecord[]} records in the order in which they were written
 * @property {(record: NewRecord) => void} append on disk when it returns; throws RUN_FOLDER_UNWRITABLE
 */

/** @typedef {JournalRecord extends infer R ? R extends {t: number} ? Omit<R, 't'> : never : never} NewRecord */

/**
 * @param {string} file
 * @returns {Promise<JournalRecord[]>} without a torn last line (the writer was killed), and without cells whose run
 *   lies elsewhere
 */
export async function readJournal(file) {
  /** @param {import('../../run/ndjson.js').RawRecord} record */
  const check = record => {
    const { folder = null } = record;
    const isOurs =
      folder === null || (typeof folder === 'string' && /^runs\/\w[^/]*$/.test(folder));
    const isGood = isOurs && findMistake('journal', record) === null;
    return isGood ? /** @type {JournalRecord} */ (record) : null;
  };
  const { records } = await readNdjson(file, { check });
  return records;
}

/**
 * Continues the journal of a study, or starts one.
 * @param {string} file
 * @param {Pick<Redactor, 'redactValue'>} [redactor] of the study
 * @returns {Promise<Journal>}
 */
export async function openStudyJournal(file, { redactValue } = createRedactor()) {
  const writer = openJournal(file);
  const records = await readJournal(file);
  return {
    records,
    append: ({ kind, ...fields }) => {
      const record = /** @type {JournalRecord} */ ({ t: Date.now(), kind, ...redactValue(fields) });
      writer.append(kind, { ...record });
      records.push(record);
    },
  };
}
