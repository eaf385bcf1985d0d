/** One load test from preflight to the printed report: what `test` and `start` share. */

import { EXIT } from '../errors.js';
import { isRunActive, readManifest } from '../run/manifest.js';
import { runSession } from '../session.js';
import { concludeRun, NOTHING_ASKED } from './outcome.js';
import { showReport, writeOutputs } from './write-outputs.js';

/**
 * @param {Omit<import('../session.js').SessionOptions, 'onProgress' | 'onNote'> & {progress: import('./progress.js').Progress, outcome?: import('./outcome.js').Outcome}} options
 *   `outcome`: what the run is held against
 * @returns {Promise<number>} exit code
 */
export async function measure({ progress, outcome = NOTHING_ASKED, ...options }) {
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
  const exit = await concludeRun(outcome, { report, files });
  if (loadEnd?.reason === 'crashed') return EXIT.invalid;
  // Artillery ends with 1 when a threshold of `ensure` or an expectation failed.
  return exit === EXIT.good && loadEnd?.exitCode ? EXIT.threshold : exit;
}
