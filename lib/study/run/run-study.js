/** A study from its first block to its last, as one readable story: `runStudy`. */

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { EXIT, LoadflameError } from '../../errors.js';
import { makeFolder } from '../../files/own-files.js';
import { throwIfInterrupted } from '../../process/interruptible.js';
import { readStartTicks } from '../../process/process-table.js';
import { makeTempFolder } from '../../process/temp-folder.js';
import { describeVersions } from '../../run/host.js';
import { runFiles } from '../../run/run-folder.js';
import { allocatePorts } from '../services/allocate-ports.js';
import { readSecrets } from '../services/service-environment.js';
import { listPorts, makeVariables, PASSWORD } from '../study-file/variables.js';
import { hasEnded, listEndedCells } from './choose-next-cell.js';
import { refuseIfRunning } from './find-study-owner.js';
import { openJournal } from './journal.js';
import { createProgressReporter } from './progress-reporter.js';
import { runBlock } from './run-block.js';
import { runStep } from './run-step.js';
import { redactorOf, removeCutRuns, studyFiles } from './study-folder.js';

/** @import { Redactor } from '../../files/redaction.js' */
/** @import { Study } from '../../facts/study-file.d.ts' */
/** @import { CellKey, JournalRecord, StudyPlan } from '../../facts/study-records.d.ts' */
/** @import { EndedCell } from './choose-next-cell.js' */
/** @import { Journal } from './journal.js' */
/** @import { StudyFiles } from './study-folder.js' */

/** @typedef {Extract<JournalRecord, {kind: 'study-end'}>} StudyEnd */

/**
 * @typedef {object} StudyOptions
 * @property {StudyPlan} plan
 * @property {string} folder of the study, with its plan; a journal in it is gone on with
 * @property {boolean} [insecure] any TLS certificate of the target is accepted
 * @property {(run: string) => Promise<unknown>} writeReport of a cell's run folder
 * @property {AbortSignal} signal stops everything; what was measured stays
 * @property {(text: string) => void} onProgress what is going on now
 * @property {(line: string) => void} onNote something to tell once
 */

/**
 * What everything that an attempt does has at hand.
 * @typedef {object} Attempt
 * @property {StudyPlan} plan
 * @property {StudyFiles} files
 * @property {Redactor} redactor
 * @property {Record<string, string>} secrets that the study names
 * @property {Journal} journal
 * @property {string} work its temporary folder
 * @property {string} live folder for what programs say while they run
 * @property {{ports: Record<string, number>, work: string}} places of the study's programs
 * @property {ReportWriter} reports
 * @property {boolean} insecure
 * @property {AbortSignal} signal
 * @property {(text: string) => void} onProgress
 * @property {(line: string) => void} onNote
 * @property {(cell: CellKey) => (text: string) => void} cellBegins gives what tells its progress
 * @property {(cell: EndedCell) => void} cellEnds
 */

/**
 * Runs what is left of a study. Whatever happens, what was started is stopped, and the journal says how
 * far it came.
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
  const journal = await openJournal(files.journal, redactor);
  const before = [...journal.records];
  await beginAttempt(journal, { folder, study: plan.study });
  removeCutRuns(files, before);
  // The folder of the study's programs lies in it, and they may open that for other users.
  const work = makeTempFolder({ mode: 0o711 });
  const reports = createReportWriter({ writeReport, onNote });
  for (const run of findUnreported(folder, before)) reports.begin(run);
  const places = {
    ports: await allocatePorts(listPorts(plan.study)),
    work: path.join(work, 'study'),
  };
  const live = path.join(work, 'logs');
  for (const own of [places.work, live]) makeFolder(own);
  const reporter = createProgressReporter({ plan, journal, onProgress, onNote });
  /** @type {Attempt} */
  const attempt = {
    ...{
      plan,
      files,
      redactor,
      secrets,
      journal,
      work,
      live,
      places,
      reports,
      signal,
      ...reporter,
    },
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
    await reports.wait();
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
 * Begins an attempt. The journal is the lock: lines are appended one after the other, and of attempts
 * that live the first one has the study. A killed process leaves nothing behind that has to be removed.
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
  // Another may have begun between the two.
  await refuseIfRunning(root, study);
}

/**
 * @typedef {object} ReportWriter
 * @property {(run: string) => void} begin writes the report of this run folder
 * @property {() => Promise<void>} wait until none is being written
 */

/**
 * A report that can not be written does not end the study: what was measured is in the journal.
 * @param {object} options
 * @param {(run: string) => Promise<unknown>} options.writeReport
 * @param {(line: string) => void} options.onNote
 * @returns {ReportWriter}
 */
function createReportWriter({ writeReport, onNote }) {
  let work = Promise.resolve();
  return {
    begin: run => {
      work = work.then(async () => {
        try {
          await writeReport(run);
        } catch (error) {
          const { message } = /** @type {Error} */ (error);
          onNote(`cannot write the report of ${path.basename(run)}: ${message}`);
        }
      });
    },
    wait: () => work,
  };
}

/**
 * Cells that were measured and have no page, the last file of a report: the attempt was killed before it.
 * @param {string} folder of the study
 * @param {JournalRecord[]} records
 * @returns {string[]} run folders
 */
function findUnreported(folder, records) {
  return listEndedCells(records)
    .flatMap(cell => (cell.folder === null ? [] : path.join(folder, cell.folder)))
    .filter(run => existsSync(run) && !existsSync(runFiles(run).reportHtml));
}
