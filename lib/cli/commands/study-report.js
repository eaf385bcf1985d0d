/** @import { Call } from '../io.js' */
import path from 'node:path';
import { readConfig } from '../../config/read-config.js';
import { createRedactor } from '../../files/redaction.js';
import { locateRun } from '../../run/run-folder.js';
import { catchInterrupts, startProgress } from '../io.js';
import { mergeStudy } from '../merge-study.js';
import { writeOutputs } from '../write-outputs.js';
import { concludeStudy } from '../write-study.js';

/** @param {Call} call */
export async function run({ args: [study, recording], options, io }) {
  const folder = path.resolve(locateRun(study, options.profiles, 'plan.json'));
  // A report of a study in which nothing valid was measured is a good report.
  if (recording === undefined) return void (await concludeStudy(folder, { io }));
  const progress = startProgress(io);
  const second = locateRun(recording, options.profiles);
  const config = readConfig({ env: io.env });
  const rulesFile = config.get('RULES_FILE');
  const redactor = createRedactor(config.secrets);
  const { signal, release } = catchInterrupts(progress.say, {
    first: 'stopping; the new folder goes, both old ones are as they were …',
    later: 'still stopping …',
  });
  const merged = await mergeStudy(folder, second, {
    ...options,
    signal,
    writeReport: run => writeOutputs(run, { rulesFile, io, redactor }),
    onProgress: progress.update,
  }).finally(release);
  await concludeStudy(merged, { io, onDone: progress.stop });
}
