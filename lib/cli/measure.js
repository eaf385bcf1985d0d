/** One run from preflight to the printed report: what `test`, `profile` and `start` share. */

import { isRunActive, readManifest } from '../run/manifest.js';
import { runSession } from '../session.js';
import { NO_GATES } from './prepare-gates.js';

/** @import { SessionOptions } from '../session.js' */
/** @import { Ending } from './exit-code.js' */
/** @import { Io } from './io.js' */
/** @import { Gates } from './prepare-gates.js' */
/** @import { Progress } from './progress.js' */

/**
 * @param {Omit<SessionOptions, 'onProgress' | 'onNote'> & {progress: Progress, gates?: Gates, io: Io}} options
 *   `gates`: what the run has to pass
 * @returns {Promise<Ending>}
 */
export async function measure({ progress, gates = NO_GATES, io, ...options }) {
  const { config } = options;
  const { files, joined, loadEnd } = await runSession({
    ...options,
    onProgress: progress.update,
    onNote: progress.say,
    ...(options.load?.options.log !== false && { onLog: progress.say }),
  });
  progress.update('writing the report …');
  // Half of this program, and nothing of it is needed before the load is over.
  const [{ concludeRun }, { showReport, writeOutputs }] = await Promise.all([
    import('./gates.js'),
    import('./write-outputs.js'),
  ]);
  const report = await writeOutputs(files.folder, {
    ...{ rulesFile: config.get('RULES_FILE'), io, redactor: options.redactor },
  });
  progress.stop();
  showReport(report, files, io);
  if (joined && isRunActive(readManifest(files.manifest))) {
    io.stderr.write(
      `\nThe profiler is still recording: Ctrl+C there writes the merged report to ${files.folder}\n`,
    );
  }
  const { invalid, failed } = await concludeRun(gates, { report, files, io });
  return {
    invalid: invalid || loadEnd?.reason === 'crashed',
    // Artillery ends with 1 when a threshold of `ensure` or an expectation failed.
    failed: failed || Boolean(loadEnd?.exitCode),
  };
}
