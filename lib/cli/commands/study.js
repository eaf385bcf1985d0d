import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { readConfig } from '../../config/read-config.js';
import { EXIT, LoadflameError } from '../../errors.js';
import { describePlan } from '../../study/plan/describe-plan.js';
import { planStudy } from '../../study/plan/plan-study.js';
import { runStudy } from '../../study/run/run-study.js';
import { readStudy } from '../../study/study-file/read-study.js';
import { findStudyFile } from '../find-study-file.js';
import { catchInterrupts } from '../interrupt.js';
import { prepareStudy } from '../prepare-study.js';
import { startProgress } from '../progress.js';
import { profilesOption } from '../runs.js';
import { writeOutputs } from '../write-outputs.js';
import { concludeStudy } from '../write-study.js';

/** @typedef {{quick?: boolean, dryRun?: boolean, new?: boolean, repeats?: number, seed?: number, profiles: string}} RunOptions */

/** @param {import('commander').Command} program */
export function addStudyCommand(program) {
  const study = program
    .command('study')
    .description('measure many variants at many loads: how does it scale, and what stops it?')
    .addHelpText(
      'after',
      `
Examples:
  loadflame study run content                    the study in studies/content.yaml
  loadflame study run studies/content.yaml --quick
  loadflame study run content --dry-run          what it would measure, and how long that takes
  loadflame study report profiles/20261120-214503-study-content`,
    );
  addRun(study);
  addReport(study);
}

/** @param {import('commander').Command} study */
function addRun(study) {
  const command = study
    .command('run')
    .argument('<study>', 'a study file, or the name of one in studies/')
    .description('run a study, or go on with it where it was stopped')
    .option('--quick', 'its short form: fewer steps and seconds, as the file says')
    .option('--dry-run', 'print what would be measured and how long it takes, and send nothing')
    .option('--new', 'begin anew where an unfinished one would be gone on with')
    .option('--repeats <n>', 'how often each cell is measured', parseWhole(1, 100))
    .option('--seed <n>', 'of the order of the variants', parseWhole(0, 2 ** 32 - 1))
    .addHelpText(
      'after',
      `
Ctrl+C stops a study and keeps what was measured; the same command goes on. A cell that fails is
recorded, and does not end the study.

Exit codes: 0 good, 3 a program is missing, 6 nothing valid was measured, 130 interrupted.

Examples:
  loadflame study run content
  loadflame study run content --quick --repeats 3
  loadflame study run my-study.yaml --seed 7 --new`,
    );
  profilesOption(command);
  command.action(async (/** @type {string} */ given, /** @type {RunOptions} */ options) => {
    const file = findStudyFile(given);
    const read = readStudy(file, { quick: options.quick ?? false });
    const study = { ...read, repeats: options.repeats ?? read.repeats };
    if (options.dryRun) {
      const plan = planStudy(study, { seed: options.seed });
      process.stdout.write(`${describePlan(plan, { width: process.stdout.columns || 80 })}\n`);
      return;
    }
    const rulesFile = readConfig().get('RULES_FILE');
    const { folder, plan } = await prepareStudy(study, options);
    const progress = startProgress();
    const { signal, release } = catchInterrupts(presses => {
      const text =
        presses === 1 ? 'stopping; what was measured is kept …' : 'still stopping services …';
      progress.say(text);
    });
    const isInterrupted = await runStudy({
      plan,
      folder,
      writeReport: run => writeOutputs(run, { rulesFile }),
      signal,
      // A pipe has the line of each cell.
      onProgress: progress.isLive ? progress.update : () => {},
      onNote: progress.say,
    }).then(
      () => false,
      error => {
        progress.stop();
        return ignoreInterrupt(error);
      },
    );
    progress.update('writing the report of the study …');
    const exit = await concludeStudy(folder, { onDone: progress.stop });
    release();
    if (isInterrupted) {
      process.stderr.write(`\nstopped; to go on, type: ${describeCommand(given, options)}\n`);
    }
    process.exitCode = isInterrupted ? EXIT.interrupted : exit;
  });
}

/** @param {import('commander').Command} study */
function addReport(study) {
  const command = study
    .command('report')
    .argument('<folder>', 'folder of a study')
    .description('(re)build the report of a study, finished or not')
    .addHelpText(
      'after',
      `
Examples:
  loadflame study report profiles/20261120-214503-study-content`,
    );
  command.action(async (/** @type {string} */ folder) => {
    await concludeStudy(path.resolve(folder));
  });
}

/** @param {unknown} error @returns {true} */
function ignoreInterrupt(error) {
  if (error instanceof LoadflameError && error.exitCode === EXIT.interrupted) return true;
  throw error;
}

/** What was typed, without what would begin anew. @param {string} given @param {RunOptions} options */
function describeCommand(given, { quick, repeats, seed, profiles }) {
  return [
    `loadflame study run ${given}`,
    quick ? '--quick' : '',
    repeats === undefined ? '' : `--repeats ${repeats}`,
    seed === undefined ? '' : `--seed ${seed}`,
    profiles === 'profiles' ? '' : `--profiles ${profiles}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** @param {number} least @param {number} most @returns {(text: string) => number} */
function parseWhole(least, most) {
  return text => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`A whole number from ${least} to ${most} is allowed.`);
  };
}
