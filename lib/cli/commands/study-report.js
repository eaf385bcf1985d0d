/** @import { Call, Progress } from '../io.js' */
import path from 'node:path';
import { readConfig } from '../../config/read-config.js';
import { createRedactor } from '../../files/redaction.js';
import { locateRun } from '../../run/run-folder.js';
import { runWithProgress } from '../io.js';
import { mergeStudy } from '../merge-study.js';
import { writeOutputs } from '../write-outputs.js';
import { concludeStudy } from '../write-study.js';

/** @param {Call} call */
export async function run({ args: [study, recording], options, io }) {
  const folder = path.resolve(locateRun(study, options.profiles, 'plan.json'));
  // A report of a study in which nothing valid was measured is a good report.
  if (recording === undefined) return void (await concludeStudy(folder, { io }));
  const second = locateRun(recording, options.profiles);
  const config = readConfig({ env: io.env });
  const rulesFile = config.get('RULES_FILE');
  const redactor = createRedactor(config.secrets);
  const merge = (/** @type {{progress: Progress, signal: AbortSignal}} */ { progress, signal }) =>
    mergeStudy(folder, second, {
      ...{ ...options, signal, onProgress: progress.update },
      writeReport: run => writeOutputs(run, { rulesFile, io, redactor }),
    });
  const merged = await runWithProgress(io, merge, {
    first: 'stopping; the new folder goes, both old ones are as they were …',
    later: 'still stopping …',
  });
  await concludeStudy(merged, { io });
}
