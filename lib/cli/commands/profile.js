/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { runSession } from '../../session.js';
import { catchInterrupts } from '../interrupt.js';
import { prepareProfile } from '../prepare-profile.js';
import { startProgress } from '../progress.js';
import { showReport, writeOutputs } from '../write-outputs.js';

/** @param {Call} call */
export async function run({ options, flags, io }) {
  const config = readConfig({ flags, env: io.env });
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(presses => {
    progress.say(presses === 1 ? 'stopping the profiler …' : 'still writing; nothing is lost');
  });
  const profile = await prepareProfile(config, progress, signal);
  const { files } = await runSession({
    config,
    command: 'loadflame profile',
    root: options.profiles,
    signal,
    load: null,
    profile,
    onProgress: progress.update,
    onNote: progress.say,
  });
  progress.update('writing the report …');
  const report = await writeOutputs(files.folder, { rulesFile: config.get('RULES_FILE'), io });
  progress.stop();
  release();
  showReport(report, files, io);
}
