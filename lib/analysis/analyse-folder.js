/**
 * Analyses long runs in a thread of their own: what it held is freed when it ends, before the report is written.
 * Meanwhile the caller's thread can work on the profile.
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { LoadflameError } from '../base/errors.js';
import { statOrNull } from '../base/files/regular-file.js';
import { startReadingThread } from '../base/process/reading-thread.js';
import { runFiles } from '../run/run-folder.js';
import { analyseRun } from './analyse-run.js';

/** @import { Analysis, AnalysisOptions } from './analyse-run.js' */

/** Reading this much takes about as long as starting a thread. */
const LARGE_BYTES = 10e6;

/**
 * @param {string} folder of a run
 * @param {AnalysisOptions} options
 * @returns {Promise<Analysis>}
 * @throws {LoadflameError} RUN_FOLDER_NOT_ONE, RULES_…
 */
export async function analyseFolder(folder, options) {
  const { size = 0 } = statOrNull(runFiles(folder).metrics) ?? {};
  if (size < LARGE_BYTES) return analyseRun(folder, options);
  const { rulesFile, onProfile } = options;
  return new Promise((resolve, reject) => {
    const thread = startReadingThread(import.meta.url, { folder, rulesFile });
    /** @type {Analysis['profile']} */
    let profile = null;
    thread.on('message', ({ recorded, analysis, error }) => {
      if (recorded) {
        profile = recorded;
        onProfile?.(recorded);
      } else if (error) reject(new LoadflameError(error.code, error.data, { hint: error.hint }));
      else resolve({ ...analysis, profile });
    });
    thread.once('error', reject);
    thread.once('exit', code => reject(new Error(`the thread that analyses ended with ${code}`)));
  });
}

/** @param {import('node:worker_threads').MessagePort} caller @param {{folder: string, rulesFile: string | null}} request */
async function answer(caller, { folder, rulesFile }) {
  try {
    const { profile, ...analysis } = await analyseRun(folder, {
      rulesFile,
      onProfile: recorded => caller.postMessage({ recorded }),
    });
    caller.postMessage({ analysis });
  } catch (error) {
    if (!(error instanceof LoadflameError)) throw error;
    const { code, data, hint } = error;
    caller.postMessage({ error: { code, data, hint } });
  }
}

if (!isMainThread && workerData?.folder && parentPort) await answer(parentPort, workerData);
