/** The folder of a study: its files, and its journal (`docs/run-folder.md`). */

import path from 'node:path';
import { LoadflameError } from '../../../base/errors.js';
import { collectSecrets, createRedactor } from '../../../base/files/redaction.js';
import { findMistake, readShaped } from '../../../run/folder-shapes.js';
import { readNdjson } from '../../../run/ndjson.js';
import { findRunFolders } from '../../../run/run-folder.js';
import { openExperiment } from '../../experiment-folder.js';

/** @import { Redactor } from '../../../base/files/redaction.js' */
/** @import { JournalRecord, StudyPlan } from '../../../run/facts/study-records.d.ts' */
/** @import { ExperimentFolder } from '../../experiment-folder.js' */

/** @typedef {ExperimentFolder<JournalRecord>} StudyFolder */

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
    json: at('study.json'),
    html: at('study.html'),
    csv: at('study.csv'),
    markdown: at('study.md'),
  };
}

/** @typedef {ReturnType<typeof studyFiles>} StudyFiles */

/** Redacts the secrets in the study file. @param {import('../../../run/facts/study-file.d.ts').Study} study */
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
  return readShaped(
    studyFiles(folder).plan,
    { name: 'plan', schema: 'loadflame-study-plan/1' },
    (reason, cause) => new LoadflameError('STUDY_FOLDER_NOT_ONE', { folder, reason }, { cause }),
  );
}

/**
 * Leaves out cells whose run lies elsewhere.
 * @param {import('../../../run/ndjson.js').RawRecord} record
 */
function check(record) {
  const { folder = null } = record;
  const isOurs = folder === null || (typeof folder === 'string' && /^runs\/\w[^/]*$/.test(folder));
  const isGood = isOurs && findMistake('journal', record) === null;
  return isGood ? /** @type {JournalRecord} */ (record) : null;
}

/** @param {string} file @returns {Promise<JournalRecord[]>} without a torn last line: the writer was killed */
export async function readJournal(file) {
  return (await readNdjson(file, { check })).records;
}

/**
 * Creates the folder of a study, or opens one to resume.
 * @param {StudyPlan} plan is written without secrets
 * @param {{root: string, earlier?: string, redactor: Redactor}} options `root`: folder that holds runs and studies
 * @returns {Promise<StudyFolder>}
 * @throws {LoadflameError} ALREADY_RUNNING, RUN_FOLDER_UNWRITABLE
 */
export function openStudy(plan, options) {
  return openExperiment('study', plan, { ...options, name: plan.study.name, check });
}
