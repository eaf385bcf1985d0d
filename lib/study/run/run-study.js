/** A study from its first block to its last, as one readable story: `runStudy`. */
import { EXIT, LoadflameError } from '../../errors.js';
import { throwIfInterrupted } from '../../interruptible.js';
import { beginAttempt } from './begin-attempt.js';
import { openJournal } from './journal.js';
import { keepServices } from './keep-services.js';
import {
  nameWorkFolder,
  removeCutRuns,
  removeWorkFolder,
  removeWorkFolders,
} from './remove-leftovers.js';
import { runBlock } from './run-block.js';
import { makeWorkFolder, studyFiles } from './study-folder.js';
import { startStory } from './tell-story.js';
import { createReportWriter, findUnreported } from './write-reports.js';

/** @import { Journal } from './journal.js' */
/** @import { CellKey, JournalRecord, StudyPlan } from '../study-records.d.ts' */
/** @typedef {Extract<JournalRecord, {kind: 'study-end'}>} StudyEnd */

/**
 * @typedef {object} StudyOptions
 * @property {StudyPlan} plan
 * @property {string} folder of the study, with its plan; a journal in it is gone on with
 * @property {(run: string) => Promise<unknown>} writeReport of a cell's run folder
 * @property {AbortSignal} signal stops everything; what was measured stays
 * @property {(text: string) => void} onProgress what is going on now
 * @property {(line: string) => void} onNote something to tell once
 */

/**
 * What everything that an attempt does has at hand.
 * @typedef {object} Attempt
 * @property {StudyPlan} plan
 * @property {import('./study-folder.js').StudyFiles} files
 * @property {Journal} journal
 * @property {string} work its temporary folder
 * @property {import('./keep-services.js').KeptServices} kept
 * @property {import('./write-reports.js').ReportWriter} reports
 * @property {AbortSignal} signal
 * @property {(text: string) => void} onProgress
 * @property {(line: string) => void} onNote
 * @property {(cell: CellKey) => (text: string) => void} cellBegins gives what tells its progress
 * @property {(cell: import('./choose-next-cell.js').EndedCell) => void} cellEnds
 */

/**
 * Runs what is left of a study. Whatever happens, what was started is stopped, and the journal says how
 * far it came.
 * @param {StudyOptions} options
 * @throws {LoadflameError} INTERRUPTED, STUDY_RUNNING, STUDY_PROGRAM_MISSING,
 *   RUN_FOLDER_UNWRITABLE; failures of single cells are in the journal
 */
export async function runStudy({ plan, folder, writeReport, signal, onProgress, onNote }) {
  const files = studyFiles(folder);
  const journal = await openJournal(files.journal);
  const before = [...journal.records];
  const work = nameWorkFolder();
  await beginAttempt(journal, { folder, study: plan.study, work });
  removeWorkFolders(before);
  removeCutRuns(files, before);
  makeWorkFolder(work);
  const reports = createReportWriter({ writeReport, onNote });
  for (const run of findUnreported(folder, before)) reports.begin(run);
  const kept = keepServices({ plan, files, work, signal, onProgress });
  const story = startStory({ plan, journal, onProgress, onNote });
  /** @type {Attempt} */
  const attempt = { plan, files, journal, work, kept, reports, signal, ...story };
  /** @type {Pick<StudyEnd, 'reason' | 'message'>} */
  let end = { reason: 'complete', message: null };
  try {
    for (const block of plan.blocks) {
      throwIfInterrupted(signal);
      if (!hasEnded(journal, block)) await runBlock(attempt, block);
    }
  } catch (error) {
    end = describeEnd(error);
    throw error;
  } finally {
    await kept.stop();
    await reports.wait();
    removeCutRuns(files, journal.records);
    removeWorkFolder(work);
    journal.append({ kind: 'study-end', pid: process.pid, ...end });
  }
}

/** @param {Journal} journal @param {import('../study-records.d.ts').Block} block */
function hasEnded({ records }, { variant, repeat }) {
  return records.some(
    record => record.kind === 'block-end' && record.variant === variant && record.repeat === repeat,
  );
}

/** @param {unknown} error @returns {Pick<StudyEnd, 'reason' | 'message'>} */
function describeEnd(error) {
  const isStop = error instanceof LoadflameError && error.exitCode === EXIT.interrupted;
  if (isStop) return { reason: 'interrupted', message: null };
  return { reason: 'failed', message: /** @type {Error} */ (error).message };
}
