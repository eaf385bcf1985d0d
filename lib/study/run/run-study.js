/** A study from its first block to its last, readable from top to bottom: `runStudy`. */

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../config/read-config.js';
import { EXIT, LoadflameError } from '../../errors.js';
import { makeFolder } from '../../files/own-files.js';
import { throwIfInterrupted } from '../../process/interruptible.js';
import { readStartTicks } from '../../process/process-table.js';
import { makeTempFolder } from '../../process/temp-folder.js';
import { findNeededPySpy } from '../../record/profiler/find-py-spy.js';
import { describeVersions } from '../../run/host.js';
import { runFiles } from '../../run/run-folder.js';
import { allocatePorts } from '../services/allocate-ports.js';
import { readSecrets } from '../services/service-environment.js';
import { listPorts, makeVariables, PASSWORD } from '../study-file/variables.js';
import { hasEnded, listEndedCells } from './choose-next-cell.js';
import { refuseIfRunning } from './find-study-owner.js';
import { createProgressReporter } from './progress-reporter.js';
import { runBlock } from './run-block.js';
import { runStep } from './start-target.js';
import { openStudyJournal, redactorOf, removeCutRuns, studyFiles } from './study-folder.js';

/** @import { Study } from '../../facts/study-file.d.ts' */
/** @import { JournalRecord, StudyPlan } from '../../facts/study-records.d.ts' */
/** @import { Attempt } from './attempt.d.ts' */
/** @import { Journal } from './study-folder.js' */

/** @typedef {Extract<JournalRecord, {kind: 'study-end'}>} StudyEnd */

/**
 * @typedef {object} StudyOptions
 * @property {StudyPlan} plan
 * @property {string} folder of the study, with its plan; an existing journal is continued
 * @property {boolean} [insecure] accept any TLS certificate of the target
 * @property {(run: string) => Promise<unknown>} writeReport of a cell's run folder
 * @property {AbortSignal} signal stops everything; measured results stay
 * @property {(text: string) => void} onProgress receives the current activity
 * @property {(line: string) => void} onNote receives lines to show once
 */

/**
 * Checks what a study needs on this machine, before the first block instead of after an hour.
 * @param {Pick<StudyPlan, 'study'>} plan
 * @throws {LoadflameError} SETTING_MISSING, PYSPY_…
 */
export async function checkMachine({ study }) {
  readSecrets(study);
  if (study.record.profile !== 'off') await findNeededPySpy(readConfig());
}

/**
 * Runs the rest of a study. Whatever happens, everything that was started is stopped, and the journal records how far
 * it got.
 * @param {StudyOptions} options
 * @throws {LoadflameError} INTERRUPTED, STUDY_RUNNING, STUDY_PROGRAM_MISSING,
 *   RUN_FOLDER_UNWRITABLE; failures of single cells are in the journal
 */
export async function runStudy({ plan, folder, writeReport, signal, onProgress, ...options }) {
  const files = studyFiles(folder);
  const redactor = redactorOf(plan.study);
  const secrets = readSecrets(plan.study);
  for (const secret of [PASSWORD, ...Object.values(secrets)])
    redactor.add(secret, { forever: true });
  const onNote = (/** @type {string} */ line) => options.onNote(redactor.redactText(line));
  const journal = await openStudyJournal(files.journal, redactor);
  const before = [...journal.records];
  await beginAttempt(journal, { folder, study: plan.study });
  removeCutRuns(files, before);
  // It contains the folder of the study's programs, which they may open to other users.
  const work = makeTempFolder({ mode: 0o711 });
  const report = (/** @type {string} */ run) =>
    writeReport(run).then(
      () => {},
      ({ message }) => onNote(`cannot write the report of ${path.basename(run)}: ${message}`),
    );
  for (const run of findUnreported(folder, before)) await report(run);
  const places = {
    ports: await allocatePorts(listPorts(plan.study)),
    work: path.join(work, 'study'),
  };
  const live = path.join(work, 'logs');
  for (const own of [places.work, live]) makeFolder(own);
  /** @type {Attempt} */
  const attempt = {
    ...{ plan, files, redactor, secrets, journal, work, live, places, report, signal },
    ...createProgressReporter({ plan, journal, onProgress, onNote }),
    insecure: options.insecure ?? false,
  };
  /** @type {Pick<StudyEnd, 'reason' | 'message'>} */
  let end = { reason: 'complete', message: null };
  const variables = makeVariables(plan.study, null, { ...places, seed: plan.seed });
  try {
    if (plan.blocks.some(block => !hasEnded(journal.records, block)))
      await runStep(attempt, 'setup', { variables, signal });
    for (const block of plan.blocks) {
      throwIfInterrupted(signal);
      if (!hasEnded(journal.records, block)) await runBlock(attempt, block);
    }
  } catch (error) {
    end = describeEnd(error);
    throw redactor.redactError(error);
  } finally {
    const { signal: unending } = new AbortController();
    await runStep(attempt, 'cleanup', { variables, signal: unending }).catch(({ message }) =>
      onNote(message),
    );
    removeCutRuns(files, journal.records);
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
    journal.append({ kind: 'study-end', pid: process.pid, ...end });
  }
}

/** @param {unknown} error @returns {Pick<StudyEnd, 'reason' | 'message'>} */
function describeEnd(error) {
  const isStop = error instanceof LoadflameError && error.exitCode === EXIT.interrupted;
  if (isStop) return { reason: 'interrupted', message: null };
  return { reason: 'failed', message: /** @type {Error} */ (error).message };
}

/**
 * Starts an attempt. The journal is the lock: lines are appended one by one, and the first living attempt owns the
 * study. A killed process leaves nothing that has to be removed.
 * @param {Journal} journal
 * @param {object} options
 * @param {string} options.folder of the study
 * @param {Study} options.study
 * @throws {LoadflameError} STUDY_RUNNING
 */
async function beginAttempt(journal, { folder, study }) {
  const root = path.dirname(folder);
  await refuseIfRunning(root, study);
  journal.append({
    kind: 'attempt',
    pid: process.pid,
    pidStartTicks: readStartTicks(process.pid),
    version: describeVersions().loadflame ?? '',
  });
  // Another attempt may have started between the two.
  await refuseIfRunning(root, study);
}

/**
 * Measured cells without a page, the last file of a report: the attempt was killed before it.
 * @param {string} folder of the study
 * @param {JournalRecord[]} records
 * @returns {string[]} run folders
 */
function findUnreported(folder, records) {
  return listEndedCells(records)
    .flatMap(cell => (cell.folder === null ? [] : path.join(folder, cell.folder)))
    .filter(run => existsSync(run) && !existsSync(runFiles(run).reportHtml));
}
