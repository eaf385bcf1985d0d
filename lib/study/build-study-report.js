/** A study's folder → its StudyReport. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeVersions } from '../run/host.js';
import { judgeStudy } from './judge/judge-study.js';
import { readJournal } from './run/journal.js';
import { readPlan, studyFiles } from './run/study-folder.js';

/** @import { Report } from '../analysis/report.d.ts' */

/**
 * Works of a study that goes on or was interrupted, too: what is missing is told.
 * @param {string} folder
 * @returns {Promise<import('./study-report.d.ts').StudyReport>}
 * @throws {import('../errors.js').LoadflameError} STUDY_FOLDER_NOT_ONE
 */
export async function buildStudyReport(folder) {
  const plan = readPlan(folder);
  const journal = await readJournal(studyFiles(folder).journal);
  return judgeStudy(plan, journal, {
    readReport: run => readCellReport(folder, run),
    version: describeVersions().loadflame ?? '',
  });
}

/**
 * @param {string} folder of the study @param {string} run relative to it
 * @returns {Report | null} null where it is gone or unreadable: the figures of the journal still hold
 */
function readCellReport(folder, run) {
  const root = path.resolve(folder);
  const file = path.resolve(root, run, 'report.json');
  if (!file.startsWith(root + path.sep)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
