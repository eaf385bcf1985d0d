/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { EXIT, LoadflameError } from '../../errors.js';
import { renderStudyPlan } from '../../report/study/render-plan.js';
import { outlinePlan, planStudy } from '../../study/plan-study.js';
import { runStudy } from '../../study/run/run-study.js';
import { readStudy } from '../../study/study-file/read-study.js';
import { exitCode } from '../exit-code.js';
import { findStudyFile } from '../find-study-file.js';
import { catchInterrupts, startProgress } from '../io.js';
import { createNamer, quoteForShell } from '../name-program.js';
import { prepareStudy } from '../prepare-study.js';
import { writeOutputs } from '../write-outputs.js';
import { concludeStudy } from '../write-study.js';

/** @typedef {{quick?: boolean, dryRun?: boolean, new?: boolean, insecure?: boolean, repeats?: number, seed?: number, profiles: string}} RunOptions */

/** @param {Call} call */
export async function run({ args: [given], options, io }) {
  const file = findStudyFile(given);
  const read = readStudy(file, { quick: options.quick ?? false });
  const study = options.repeats ? { ...read, repeats: options.repeats } : read;
  if (options.dryRun) {
    const plan = planStudy(study, { seed: options.seed });
    const width = io.stdout.columns || 80;
    io.stdout.write(`${renderStudyPlan(plan, outlinePlan(plan), { width })}\n`);
    return;
  }
  const rulesFile = readConfig({ env: io.env }).get('RULES_FILE');
  const { folder, plan } = await prepareStudy(study, options, io);
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(progress.say, {
    later: 'still stopping services …',
  });
  const isInterrupted = await runStudy({
    plan,
    folder,
    insecure: options.insecure ?? false,
    writeReport: run => writeOutputs(run, { rulesFile, io }),
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
  const ending = await concludeStudy(folder, { io, onDone: progress.stop });
  release();
  const command = createNamer(io)(describeCommand(given, options));
  if (isInterrupted) io.stderr.write(`\nstopped; to go on, type: ${command}\n`);
  return exitCode({ ...ending, interrupted: isInterrupted });
}

/** @param {unknown} error @returns {true} */
function ignoreInterrupt(error) {
  if (error instanceof LoadflameError && error.exitCode === EXIT.interrupted) return true;
  throw error;
}

/** What was typed, without what would start over. @param {string} given @param {RunOptions} options */
function describeCommand(given, { quick, insecure, repeats, seed, profiles }) {
  return [
    `loadflame study run ${quoteForShell(given)}`,
    quick ? '--quick' : '',
    insecure ? '--insecure' : '',
    repeats === undefined ? '' : `--repeats ${repeats}`,
    seed === undefined ? '' : `--seed ${seed}`,
    profiles === 'profiles' ? '' : `--profiles ${quoteForShell(profiles)}`,
  ]
    .filter(Boolean)
    .join(' ');
}
