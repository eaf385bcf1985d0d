/** Which process is running a study. */

import { LoadflameError } from '../../errors.js';
import { isOwnFolder } from '../../files/own-files.js';
import { isSameProcess } from '../../process/process-table.js';
import { planStudy } from '../plan-study.js';
import { findStudyFolders, readJournal, readPlan, studyFiles } from './study-folder.js';

/** @import { Study } from '../../facts/study-file.d.ts' */
/** @import { Block, JournalRecord, StudyPlan } from '../../facts/study-records.d.ts' */

/** @typedef {Extract<JournalRecord, {kind: 'attempt'}>} Attempt */

/**
 * The process that owns a study: the first attempt that is still alive.
 * @param {JournalRecord[]} records of its journal
 * @returns {Attempt | null}
 */
function findStudyOwner(records) {
  const attempts = records.filter(record => record.kind === 'attempt');
  const isAtWork = (/** @type {Attempt} */ attempt) =>
    isSameProcess(attempt.pid, attempt.pidStartTicks) && !hasEnded(records, attempt);
  return attempts.find(isAtWork) ?? null;
}

/** A process has one attempt at a time. @param {JournalRecord[]} records @param {Attempt} attempt */
function hasEnded(records, attempt) {
  const after = records.slice(records.indexOf(attempt) + 1);
  return after.some(record => record.kind === 'study-end' && record.pid === attempt.pid);
}

/**
 * Finds a folder of the same study: same text of its file, same form (quick or full), repeats and seed. A folder is
 * not trusted: what runs comes from the study's file; only the seed, the order of the blocks and the journal come from
 * the folder.
 * @param {string} root folder that holds runs and studies
 * @param {Study} study
 * @param {{seed: number | null}} options `seed` that the user asked for; null: any
 * @returns {Promise<{folder: string, plan: StudyPlan} | null>} null
 *   without such a folder, or where the newest one is complete
 */
export async function findUnfinished(root, study, { seed }) {
  const found = findNewest(root, study, seed);
  if (!found) return null;
  const records = await readJournal(studyFiles(found.folder).journal);
  const end = records.findLast(({ kind }) => kind === 'study-end');
  const isComplete = end?.kind === 'study-end' && end.reason === 'complete';
  return isComplete ? null : found;
}

/**
 * Two runs of the same study at once would measure each other.
 * @param {string} root
 * @param {Study} study
 * @throws {LoadflameError} STUDY_RUNNING
 */
export async function refuseIfRunning(root, study) {
  for (const folder of findStudyFolders(root)) {
    if (tryPlan(folder)?.study.sha256 !== study.sha256) continue;
    const owner = findStudyOwner(await readJournal(studyFiles(folder).journal));
    if (owner && owner.pid !== process.pid)
      throw new LoadflameError('STUDY_RUNNING', { folder, pid: owner.pid });
  }
}

/** @param {string} root @param {Study} study @param {number | null} seed */
function findNewest(root, study, seed) {
  for (const folder of findStudyFolders(root).reverse()) {
    const plan = tryPlan(folder);
    if (plan?.study.sha256 !== study.sha256) continue;
    if (plan.study.isQuick !== study.isQuick || plan.study.repeats !== study.repeats) continue;
    if (seed !== null && plan.seed !== seed) continue;
    const own = replan(study, plan);
    if (own && isOwnFolder(folder)) return { folder, plan: own };
  }
  return null;
}

/** @param {Study} study @param {StudyPlan} plan of a folder @returns {StudyPlan | null} null: of another study */
function replan(study, { seed, blocks }) {
  if (!Number.isSafeInteger(seed)) return null;
  const plan = planStudy(study, { seed });
  const names = (/** @type {Block[]} */ all) =>
    all.map(({ variant, repeat }) => JSON.stringify([repeat, variant]));
  const order = Array.isArray(blocks) ? names(blocks) : [];
  if (order.toSorted().join() !== names(plan.blocks).toSorted().join()) return null;
  const placeOf = (/** @type {Block} */ block) => order.indexOf(names([block])[0] ?? '');
  return { ...plan, blocks: plan.blocks.toSorted((a, b) => placeOf(a) - placeOf(b)) };
}

/** Skips a folder that no longer holds a study. @param {string} folder */
function tryPlan(folder) {
  try {
    return readPlan(folder);
  } catch {
    return null;
  }
}
