/**
 * Analyses long runs in a thread of their own: nearly all that is made of a record is garbage at once, so that
 * a small heap for young objects does, and all of it is given back when the thread ends, before files are
 * written.
 */
import { statSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { LoadflameError } from '../errors.js';
import { runFiles } from '../run/run-folder.js';
import { analyseRun } from './build-report.js';

/** @import { Analysis } from './build-report.js' */

/** So much is read in about as long as it takes to start a thread. */
const LARGE_BYTES = 10e6;
const YOUNG_HEAP_MB = 8;

/**
 * @param {string} folder of a run
 * @param {{rulesFile: string | null}} options
 * @returns {Promise<Analysis>}
 * @throws {LoadflameError} RUN_FOLDER_NOT_ONE, RULES_…
 */
export async function analyseFolder(folder, options) {
  const { size = 0 } = statSync(runFiles(folder).metrics, { throwIfNoEntry: false }) ?? {};
  if (size < LARGE_BYTES) return analyseRun(folder, options);
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), {
      workerData: { folder, options },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    });
    thread.once('message', ({ analysis, error }) => {
      if (error) reject(new LoadflameError(error.code, error.data, { hint: error.hint }));
      else resolve(analysis);
    });
    thread.once('error', reject);
    thread.once('exit', code => reject(new Error(`the thread that analyses ended with ${code}`)));
  });
}

/** @param {string} folder @param {{rulesFile: string | null}} options */
async function answer(folder, options) {
  try {
    const analysis = await analyseRun(folder, options);
    const { rows, nodes } = analysis.profile ?? { rows: {}, nodes: {} };
    const columns = [...Object.values(rows), ...Object.values(nodes)];
    parentPort?.postMessage(
      { analysis },
      columns.map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer)),
    );
  } catch (error) {
    if (!(error instanceof LoadflameError)) throw error;
    const { code, data, hint } = error;
    parentPort?.postMessage({ error: { code, data, hint } });
  }
}

if (!isMainThread && workerData?.folder && parentPort)
  await answer(workerData.folder, workerData.options);
