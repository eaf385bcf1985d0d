/** A study from its first block to its last, readable from top to bottom: `runStudy`. */

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../../base/config/read-config.js';
import { makeFolder } from '../../../base/files/own-files.js';
import { makeTempFolder } from '../../../base/process/temp-folder.js';
import { findNeededPySpy } from '../../../record/profiler/find-py-spy.js';
import { runFiles } from '../../../run/run-folder.js';
import { runExperiment } from '../../run-experiment.js';
import { listEndedCells, nextCell } from '../../strategies/steps.js';
import { allocatePorts } from '../services/allocate-ports.js';
import { readSecrets } from '../services/service-environment.js';
import { listPorts, makeVariables, PASSWORD } from '../study-file/variables.js';
import { createProgressReporter } from './progress-reporter.js';
import { createBlockRunner } from './run-block.js';
import { runStep } from './start-target.js';
import { studyFiles } from './study-folder.js';

/** @import { Redactor } from '../../../base/files/redaction.js' */
/** @import { StudyPlan } from '../../../run/facts/study-records.d.ts' */
/** @import { Attempt } from './attempt.d.ts' */
/** @import { OwnEnd } from '../../run-experiment.js' */
/** @import { StudyFolder } from './study-folder.js' */

/**
 * @typedef {object} StudyOptions
 * @property {StudyPlan} plan
 * @property {StudyFolder} opened its folder; what was measured in it before stays
 * @property {Redactor} redactor
 * @property {string} command as typed
 * @property {boolean} insecure accept any TLS certificate of the target
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
 * @returns {Promise<'complete' | OwnEnd>} why it ended
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING, RUN_FOLDER_UNWRITABLE; failures of single cells are in
 *   the journal
 */
export async function runStudy({ plan, opened, redactor, writeReport, signal, ...options }) {
  const { study, seed } = plan;
  const files = studyFiles(opened.folder);
  const secrets = readSecrets(study);
  for (const secret of [PASSWORD, ...Object.values(secrets)])
    redactor.add(secret, { forever: true });
  const onNote = (/** @type {string} */ line) => options.onNote(redactor.redactText(line));
  // It contains the folder of the study's programs, which they may open to other users.
  const work = makeTempFolder({ mode: 0o711 });
  const report = (/** @type {string} */ run) =>
    writeReport(run).then(
      () => {},
      ({ message }) => onNote(`cannot write the report of ${path.basename(run)}: ${message}`),
    );
  for (const run of findUnreported(opened)) await report(run);
  const places = { ports: await allocatePorts(listPorts(study)), work: path.join(work, 'study') };
  const live = path.join(work, 'logs');
  for (const own of [places.work, live]) makeFolder(own);
  /** @type {Attempt} */
  const attempt = {
    ...options,
    ...{ plan, files, redactor, secrets, opened, work, live, places, report, signal },
    ...createProgressReporter({ plan, opened, onProgress: options.onProgress, onNote }),
  };
  const variables = makeVariables(study, null, { ...places, seed });
  const blocks = createBlockRunner(attempt);
  /** @type {Promise<void> | undefined} */
  let setUp;
  const { end, failure } = await runExperiment(opened, {
    signal,
    next: () => nextCell(plan, opened.records),
    async measure(next) {
      setUp ??= runStep(attempt, 'setup', { variables, signal });
      await setUp;
      await blocks.measure(next);
    },
    async close() {
      await blocks.close();
      const { signal: unending } = new AbortController();
      await runStep(attempt, 'cleanup', { variables, signal: unending }).catch(({ message }) =>
        onNote(message),
      );
      rmSync(work, { recursive: true, force: true, maxRetries: 5 });
    },
  });
  if (failure) throw failure;
  return end;
}

/**
 * Measured cells without a page, the last file of a report: the attempt was killed before it.
 * @param {StudyFolder} opened
 * @returns {string[]} run folders
 */
function findUnreported({ folder, records }) {
  return listEndedCells(records)
    .flatMap(cell => (cell.folder === null ? [] : path.join(folder, cell.folder)))
    .filter(run => existsSync(run) && !existsSync(runFiles(run).reportHtml));
}
