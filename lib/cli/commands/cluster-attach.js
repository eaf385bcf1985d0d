/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { createRedactor } from '../../files/redaction.js';
import { locateRun } from '../../run/run-folder.js';
import { resumeSession } from '../../session.js';
import { exitCode } from '../exit-code.js';
import { catchInterrupts, startProgress } from '../io.js';
import { conclude } from '../measure.js';
import { prepareGates } from '../prepare-gates.js';

/** @param {Call} call */
export async function run({ args: [what], options, flags, io }) {
  const config = readConfig({ flags, env: io.env });
  const gates = await prepareGates(config, options);
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(progress.say);
  const redactor = createRedactor(config.secrets);
  try {
    const session = resumeSession({
      ...{ config, signal, redactor, folder: locateRun(what, options.profiles) },
      onProgress: progress.update,
      onNote: progress.say,
      onLog: progress.say,
    });
    const context = { progress, gates, full: options.full, io, config, redactor };
    const ending = await conclude(session, context);
    return exitCode({ ...ending, interrupted: signal.aborted });
  } finally {
    release();
  }
}
