/** One load test from preflight to the printed report: what `test` and `start` share. */

import { judgeValidity } from '../analysis/validity.js';
import { EXIT } from '../errors.js';
import { isRunActive, readManifest } from '../run/manifest.js';
import { runSession } from '../session.js';
import { showReport, writeOutputs } from './write-outputs.js';

/**
 * @param {Omit<import('../session.js').SessionOptions, 'onProgress' | 'onNote'> & {progress: import('./progress.js').Progress}} options
 * @returns {Promise<number>} exit code
 */
export async function measure({ progress, ...options }) {
  const { config } = options;
  const { files, joined, loadEnd } = await runSession({
    ...options,
    onProgress: progress.update,
    onNote: progress.say,
  });
  progress.update('writing the report …');
  const report = await writeOutputs(files.folder, { rulesFile: config.get('RULES_FILE') });
  progress.stop();
  showReport(report, files);
  if (joined && isRunActive(readManifest(files.manifest))) {
    process.stderr.write(
      `\nThe profiler is still recording: Ctrl+C there writes the merged report to ${files.folder}\n`,
    );
  }
  if (report.load && judgeValidity(report.load)) return EXIT.invalid;
  if (loadEnd?.reason === 'crashed') return EXIT.invalid;
  // Artillery ends with 1 when a threshold of `ensure` or an expectation failed.
  return loadEnd?.exitCode ? EXIT.threshold : EXIT.good;
}
