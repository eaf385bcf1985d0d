/** Turns a study's folder into its StudyReport. */
import path from 'node:path';
import { readRegularJson } from '../../base/files/regular-file.js';
import { tryOr } from '../../base/files/try-or.js';
import { findMistake } from '../../run/folder-shapes.js';
import { describeVersions } from '../../run/host.js';
import { judgeStudy } from './analysis/judge-study.js';
import { readJournal, readPlan, studyFiles } from './run/study-folder.js';

/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { StudyReport } from '../../run/facts/study-report.d.ts' */

/**
 * Also works for a running or interrupted study: the report says what is missing.
 * @param {string} folder
 * @returns {Promise<StudyReport>}
 * @throws {import('../../errors.js').LoadflameError} STUDY_FOLDER_NOT_ONE
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
 * A report of another version may have a bottleneck or findings of another shape: only these are left out.
 * @param {string} folder of the study @param {string} run relative to it
 * @returns {Report | null} null where it is missing or unreadable: the figures of the journal still hold
 */
function readCellReport(folder, run) {
  const root = path.resolve(folder);
  const file = path.resolve(root, run, 'report.json');
  if (!file.startsWith(root + path.sep)) return null;
  return tryOr(null, () => {
    const report = readRegularJson(file);
    const rest = { ...report, bottleneck: null, findings: [] };
    const fits = (/** @type {Partial<Report>} */ part) =>
      findMistake('cell', { ...rest, ...part }) === null;
    if (!fits({})) return null;
    const { bottleneck, findings } = /** @type {Report} */ (report);
    return {
      ...rest,
      bottleneck: fits({ bottleneck }) ? bottleneck : null,
      findings: findings.filter(finding => fits({ findings: [finding] })),
    };
  });
}
