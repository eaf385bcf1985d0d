/** @import { Call } from '../io.js' */
import path from 'node:path';
import { readConfig } from '../../config/read-config.js';
import { locateRun } from '../../run/run-folder.js';
import { mergeStudy } from '../merge-study.js';
import { startProgress } from '../progress.js';
import { writeOutputs } from '../write-outputs.js';
import { concludeStudy } from '../write-study.js';

/** @param {Call} call */
export async function run({ args: [study, recording], options, io }) {
  const folder = path.resolve(locateRun(study, options.profiles, 'plan.json'));
  // A report of a study in which nothing valid was measured is a good report.
  if (recording === undefined) return void (await concludeStudy(folder, { io }));
  const progress = startProgress(io);
  const rulesFile = readConfig({ env: io.env }).get('RULES_FILE');
  const merged = await mergeStudy(folder, locateRun(recording, options.profiles), {
    ...options,
    writeReport: run => writeOutputs(run, { rulesFile, io }),
    onProgress: progress.update,
  });
  await concludeStudy(merged, { io, onDone: progress.stop });
}
