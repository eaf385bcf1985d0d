/** Which process is running a study. */

import { LoadflameError } from '../../../base/errors.js';
import { isOwnFolder } from '../../../base/files/own-files.js';
import { tryOr } from '../../../base/files/try-or.js';
import { findOwner } from '../../journal.js';
import { planStudy } from '../plan-study.js';
import { findStudyFolders, readJournal, readPlan, studyFiles } from './study-folder.js';

/** @import { Study } from '../../../run/facts/study-file.d.ts' */
/** @import { StudyPlan } from '../../../run/facts/study-records.d.ts' */

/**
 * Finds a folder of the same study: same text of its file, same form (quick or full), repeats and seed. A folder is
 * not trusted: what runs comes from the study's file; only the seed, from which the order of the blocks follows, and the journal
 * come from the folder.
 * @param {string} root folder that holds runs and studies
 * @param {Study} study
 * @param {{seed: number | null}} options `seed` that the user asked for; null: any
 * @returns {Promise<{folder: string, plan: StudyPlan} | null>} null
 *   without such a folder, or where the newest one is complete
 */
export async function findUnfinished(root, study, { seed }) {
  for (const folder of findStudyFolders(root).reverse()) {
    const then = tryPlan(folder);
    const isSame = /** @type {const} */ (['sha256', 'isQuick', 'repeats']).every(
      key => then?.study[key] === study[key],
    );
    if (!then || !isSame || then.seed !== (seed ?? then.seed)) continue;
    if (!Number.isSafeInteger(then.seed) || !isOwnFolder(folder)) continue;
    const records = await readJournal(studyFiles(folder).journal);
    const end = records.findLast(({ kind }) => kind === 'study-end');
    if (end?.kind === 'study-end' && end.reason === 'complete') return null;
    return { folder, plan: planStudy(study, then) };
  }
  return null;
}

/**
 * Two runs of the same study at once would measure each other.
 * @param {string} root
 * @param {Study} study
 * @throws {LoadflameError} ALREADY_RUNNING
 */
export async function refuseIfRunning(root, study) {
  for (const folder of findStudyFolders(root)) {
    if (tryPlan(folder)?.study.sha256 !== study.sha256) continue;
    const pid = findOwner(await readJournal(studyFiles(folder).journal));
    if (pid !== null && pid !== process.pid)
      throw new LoadflameError('ALREADY_RUNNING', { folder, pid });
  }
}

/** Skips a folder that no longer holds a study. @param {string} folder */
const tryPlan = folder => tryOr(null, () => readPlan(folder));
