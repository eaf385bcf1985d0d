/**
 * What Artillery does before it starts its workers (templates of the configuration, CSV files,
 * validation), by its own code, in a thread of its own: its 80 MB go away with the thread.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * @typedef {object} Plan
 * @property {Record<string, any>} script ready to run; rows of CSV files are in
 *   `config.payload[].data`
 * @property {string} testRunId
 * @property {string | null} bundle a file that was made of a TypeScript processor, to be removed
 */

/**
 * @param {Record<string, any>} script with absolute paths
 * @param {object} options
 * @param {string} options.file of the script as the user has it
 * @param {Record<string, any>} options.flags Artillery's, by its names
 * @returns {Promise<Plan>}
 * @throws {Error} what Artillery says against the script
 */
export async function preparePlan(script, { file, flags }) {
  const thread = new Worker(new URL('./plan-thread.js', import.meta.url), {
    workerData: { script, file, flags },
  });
  /** @type {Promise<Plan | null>} */
  const answer = new Promise((resolve, reject) => {
    thread.once('message', ({ plan, error }) =>
      error === undefined ? resolve(plan) : reject(new Error(error)),
    );
    thread.once('error', reject);
    // It has said why: Artillery's validation prints and exits.
    thread.once('exit', () => resolve(null));
  });
  const ended = once(thread, 'exit');
  const plan = await answer;
  await ended;
  if (!plan) throw new Error('Artillery refuses the script');
  return plan;
}
