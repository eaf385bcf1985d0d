/** Where a study is run: in a new folder, or where it was stopped. */
import path from 'node:path';
import { plainLine } from '../files/plain-text.js';
import { formatDuration, formatNumberOf } from '../format.js';
import { planStudy } from '../study/plan-study.js';
import { listEndedCells } from '../study/run/choose-next-cell.js';
import { findUnfinished, refuseIfRunning } from '../study/run/find-study-owner.js';
import { checkMachine } from '../study/run/run-study.js';
import {
  createStudyFolder,
  readJournal,
  studyFiles,
  writePlan,
} from '../study/run/study-folder.js';

/** @import { Study } from '../facts/study-file.d.ts' */

/**
 * The folder of the study: one to resume, or a new one.
 * @param {Study} study
 * @param {{new?: boolean, seed?: number, profiles: string}} options
 * @param {import('./io.js').Io} io
 * @returns {Promise<{folder: string, plan: import('../facts/study-records.d.ts').StudyPlan}>}
 * @throws {LoadflameError} STUDY_RUNNING, STUDY_PROGRAM_MISSING, PYSPY_…,
 *   RUN_FOLDER_UNWRITABLE
 */
export async function prepareStudy(study, { new: isNew, seed, profiles }, { stderr }) {
  await refuseIfRunning(profiles, study);
  const plan = planStudy(study, { seed });
  await checkMachine(plan);
  const found = isNew ? null : await findUnfinished(profiles, study, { seed: seed ?? null });
  if (found) {
    writePlan(found.folder, found.plan);
    const records = await readJournal(studyFiles(found.folder).journal);
    const ended = formatNumberOf(listEndedCells(records).length, 'cell');
    stderr.write(`resuming ${show(found.folder)}: ${ended} ended before (--new starts over)\n`);
    return found;
  }
  const { folder } = createStudyFolder(profiles, plan);
  const { cells, seconds } = plan.estimate;
  stderr.write(
    `${plainLine(study.title)}\n${formatNumberOf(plan.variants.length, 'variant')}, at most ${formatNumberOf(cells, 'cell')} and ${formatDuration(seconds * 1000)}; order of seed ${plan.seed}\nfolder: ${show(folder)}\n`,
  );
  return { folder, plan };
}

/** @param {string} folder */
function show(folder) {
  return path.relative('', folder);
}
