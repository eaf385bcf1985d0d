import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../config/read-config.js';
import { EXIT, LoadflameError } from '../../errors.js';
import { plainLine } from '../../files/plain-text.js';
import { formatDuration, formatNumberOf } from '../../format.js';
import { printTerminal } from '../../report/print/terminal.js';
import { outlinePlan, planStudy } from '../../study/plan-study.js';
import { listEndedCells } from '../../study/run/choose-next-cell.js';
import { findUnfinished, refuseIfRunning } from '../../study/run/find-study-owner.js';
import { checkMachine, runStudy } from '../../study/run/run-study.js';
import {
  createStudyFolder,
  readJournal,
  studyFiles,
  writePlan,
} from '../../study/run/study-folder.js';
import { readStudy } from '../../study/study-file/read-study.js';
import { describePlan } from '../../text/document/plan.js';
import { createNamer, exitCode, printWide, runWithProgress } from '../io.js';
import { writeOutputs } from '../write-outputs.js';
import { concludeStudy } from '../write-study.js';

/** @import { Call, Progress } from '../io.js' */
/** @import { Study } from '../../facts/study-file.d.ts' */

/** @param {Call} call */
export async function run({ args: [given], options, command, io }) {
  const file = findStudyFile(given);
  const read = readStudy(file, { quick: options.quick ?? false });
  const study = options.repeats ? { ...read, repeats: options.repeats } : read;
  if (options.dryRun) {
    const plan = planStudy(study, { seed: options.seed });
    const content = describePlan(plan, outlinePlan(plan));
    return printWide(io, terminal => printTerminal(content, terminal));
  }
  const rulesFile = readConfig({ env: io.env }).get('RULES_FILE');
  const { folder, plan } = await prepareStudy(study, options, io);
  const measure = async (/** @type {{progress: Progress, signal: AbortSignal}} */ shown) => {
    const { progress, signal } = shown;
    const isInterrupted = await runStudy({
      plan,
      folder,
      insecure: options.insecure ?? false,
      writeReport: run => writeOutputs(run, { rulesFile, io }),
      signal,
      // A pipe gets a line for each cell instead.
      onProgress: progress.isLive ? progress.update : () => {},
      onNote: progress.say,
    }).then(() => false, ignoreInterrupt);
    progress.update('writing the report of the study …');
    const ending = await concludeStudy(folder, { io, onDone: progress.stop });
    const again = createNamer(io)(command.replace(' --new', ''));
    if (isInterrupted) io.stderr.write(`\nstopped; to resume, type: ${again}\n`);
    return exitCode({ ...ending, interrupted: isInterrupted });
  };
  return runWithProgress(io, measure, { later: 'still stopping services …' });
}

/** @param {unknown} error @returns {true} */
function ignoreInterrupt(error) {
  if (error instanceof LoadflameError && error.exitCode === EXIT.interrupted) return true;
  throw error;
}

const FOLDER = 'studies';
const ENDING = /\.ya?ml$/i;

/**
 * @param {string} given `studies/content.yaml`, or `content`
 * @returns {string} path of a file; one that was named with its ending may be missing
 * @throws {LoadflameError} STUDY_UNKNOWN
 */
function findStudyFile(given) {
  if (ENDING.test(given) || existsSync(given)) return given;
  const file = path.join(FOLDER, `${given}.yaml`);
  if (existsSync(file)) return file;
  const names = (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .filter(name => ENDING.test(name))
    .map(name => name.replace(ENDING, ''))
    .sort();
  const known =
    names.length > 0 ? `there are: ${names.join(', ')}` : `there are none in ${FOLDER}/`;
  throw new LoadflameError('STUDY_UNKNOWN', { name: given, known });
}

/**
 * The folder of the study: one to resume, or a new one.
 * @param {Study} study
 * @param {{new?: boolean, seed?: number, profiles: string}} options
 * @param {Call['io']} io
 * @returns {Promise<{folder: string, plan: import('../../facts/study-records.d.ts').StudyPlan}>}
 * @throws {LoadflameError} STUDY_RUNNING, STUDY_PROGRAM_MISSING, PYSPY_…,
 *   RUN_FOLDER_UNWRITABLE
 */
async function prepareStudy(study, { new: isNew, seed, profiles }, { stderr }) {
  await refuseIfRunning(profiles, study);
  const plan = planStudy(study, { seed });
  await checkMachine(plan);
  const found = isNew ? null : await findUnfinished(profiles, study, { seed: seed ?? null });
  if (found) {
    writePlan(found.folder, found.plan);
    const records = await readJournal(studyFiles(found.folder).journal);
    const ended = formatNumberOf(listEndedCells(records).length, 'cell');
    stderr.write(
      `resuming ${path.relative('', found.folder)}: ${ended} ended before (--new starts over)\n`,
    );
    return found;
  }
  const { folder } = createStudyFolder(profiles, plan);
  const { cells, seconds } = plan.estimate;
  stderr.write(
    `${plainLine(study.title)}\n${formatNumberOf(plan.variants.length, 'variant')}, at most ${formatNumberOf(cells, 'cell')} and ${formatDuration(seconds * 1000)}; order of seed ${plan.seed}\nfolder: ${path.relative('', folder)}\n`,
  );
  return { folder, plan };
}
