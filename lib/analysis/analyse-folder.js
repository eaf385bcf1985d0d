/**
 * Analyses long runs in a thread of their own: what it held is freed when it ends, before the report is written.
 * Meanwhile the caller's thread can work on the profile.
 */
import { statOrNull } from '../base/files/regular-file.js';
import { answerJobs, runInThread } from '../base/process/reading-thread.js';
import { runFiles } from '../run/run-folder.js';
import { analyseRun } from './analyse-run.js';

/** @import { Analysis, AnalysisOptions } from './analyse-run.js' */

/** Reading this much takes about as long as starting a thread. */
const LARGE_BYTES = 10e6;

/**
 * @param {string} folder of a run
 * @param {AnalysisOptions} options
 * @returns {Promise<Analysis>}
 * @throws {import('../base/errors.js').LoadflameError} RUN_FOLDER_NOT_ONE, RULES_…
 */
export async function analyseFolder(folder, options) {
  const { size = 0 } = statOrNull(runFiles(folder).metrics) ?? {};
  if (size < LARGE_BYTES) return analyseRun(folder, options);
  const { rulesFile, onProfile } = options;
  /** @type {Analysis['profile']} */
  let profile = null;
  const analysis = await runInThread(import.meta.url, { folder, rulesFile }, recorded => {
    profile = recorded;
    onProfile?.(recorded);
  });
  return { ...analysis, profile };
}

answerJobs(import.meta.url, async ({ folder, rulesFile }, note) => {
  const { profile: _, ...analysis } = await analyseRun(folder, { rulesFile, onProfile: note });
  return analysis;
});
