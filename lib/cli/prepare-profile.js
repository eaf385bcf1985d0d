/** What has to be there before a recording can start. */
import { interruptible } from '../interruptible.js';
import { findPySpy } from '../record/profiler/find-py-spy.js';
import { chooseGunicorn } from './choose-gunicorn.js';

/**
 * @param {import('../config/read-config.js').Config} config
 * @param {import('./progress.js').Progress} progress
 * @param {AbortSignal} signal
 * @returns {Promise<import('../session.js').ProfileTarget>}
 * @throws {import('../errors.js').LoadflameError} PYSPY_MISSING, GUNICORN_…, INTERRUPTED
 */
export async function prepareProfile(config, progress, signal) {
  const pySpy = await interruptible(signal, findPySpy(config.get('PYSPY')));
  const gunicorn = await interruptible(signal, chooseGunicorn(config));
  const n = gunicorn.workers.length;
  progress.say(
    `gunicorn master ${gunicorn.masterPid} with ${n} ${n === 1 ? 'worker' : 'workers'} (${gunicorn.how})`,
  );
  const { masterPid, workerClass, threads } = gunicorn;
  return { masterPid, pySpy, workerClass, threads };
}
