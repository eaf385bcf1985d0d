import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { plainLine } from '../../base/files/plain-text.js';
import { formatDuration, formatNumberOf } from '../../base/format.js';
import { outlinePlan, planStudy } from '../../experiment/study/plan-study.js';
import { findUnfinished, refuseIfRunning } from '../../experiment/study/run/find-study-owner.js';
import { checkMachine, runStudy } from '../../experiment/study/run/run-study.js';
import { openStudy, redactorOf } from '../../experiment/study/run/study-folder.js';
import { readStudy } from '../../experiment/study/study-file/read-study.js';
import { printTerminal } from '../../report/print/terminal.js';
import { describePlan } from '../../text/document/plan.js';
import { exitCode } from '../exit-code.js';
import { createNamer, printWide, runWithProgress } from '../io.js';
import { writeOutputs } from '../write-outputs.js';
import { concludeStudy } from '../write-study.js';

/** @import { Call, Progress } from '../io.js' */
/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { StudyFolder } from '../../experiment/study/run/study-folder.js' */
/** @import { Study } from '../../run/facts/study-file.d.ts' */
/** @import { StudyPlan } from '../../run/facts/study-records.d.ts' */

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
  const redactor = redactorOf(study);
  const { opened, plan } = await prepareStudy(study, { ...options, redactor }, io);
  const measure = async (/** @type {{progress: Progress, signal: AbortSignal}} */ shown) => {
    const { progress, signal } = shown;
    const end = await runStudy({
      plan,
      opened,
      redactor,
      command,
      insecure: options.insecure ?? false,
      writeReport: run => writeOutputs(run, { rulesFile, io }),
      signal,
      // A pipe gets a line for each cell instead.
      onProgress: progress.isLive ? progress.update : () => {},
      onNote: progress.say,
    });
    progress.update('writing the report of the study …');
    const ending = await concludeStudy(opened.folder, { io, onDone: progress.stop });
    const again = createNamer(io)(command.replace(' --new', ''));
    const interrupted = end === 'interrupted';
    if (interrupted) io.stderr.write(`\nstopped; to resume, type: ${again}\n`);
    return exitCode({ ...ending, interrupted });
  };
  return runWithProgress(io, measure, { later: 'still stopping services …' });
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
 * @param {{new?: boolean, seed?: number, profiles: string, redactor: Redactor}} options
 * @param {Call['io']} io
 * @returns {Promise<{opened: StudyFolder, plan: StudyPlan}>}
 * @throws {LoadflameError} ALREADY_RUNNING, STUDY_PROGRAM_MISSING, PYSPY_…,
 *   RUN_FOLDER_UNWRITABLE
 */
async function prepareStudy(study, { new: isNew, seed, profiles: root, redactor }, { stderr }) {
  await refuseIfRunning(root, study);
  const planned = planStudy(study, { seed });
  await checkMachine(planned);
  const found = isNew ? null : await findUnfinished(root, study, { seed: seed ?? null });
  const plan = found?.plan ?? planned;
  const opened = await openStudy(plan, { root, earlier: found?.folder, redactor });
  // Another attempt may have started meanwhile.
  await refuseIfRunning(root, study);
  const place = path.relative('', opened.folder);
  const { cells, seconds } = plan.estimate;
  const ended = formatNumberOf(opened.runs.length, 'cell');
  stderr.write(
    found
      ? `resuming ${place}: ${ended} ended before (--new starts over)\n`
      : `${plainLine(study.title)}\n${formatNumberOf(plan.variants.length, 'variant')}, at most ${formatNumberOf(cells, 'cell')} and ${formatDuration(seconds * 1000)}; order of seed ${plan.seed}\nfolder: ${place}\n`,
  );
  return { opened, plan };
}
