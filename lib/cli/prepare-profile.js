/** What has to be there before a recording can start. */
import { findPySpy } from '../record/profiler/find-py-spy.js';
import { chooseGunicorn } from './choose-gunicorn.js';

/**
 * @param {import('../config/read-config.js').Config} config
 * @param {import('./progress.js').Progress} progress
 * @returns {Promise<import('../session.js').ProfileTarget>}
 * @throws {import('../errors.js').LoadflameError} PYSPY_MISSING, GUNICORN_…
 */
export async function prepareProfile(config, progress) {
  const pySpy = await findPySpy(config.get('PYSPY'));
  const gunicorn = await chooseGunicorn(config);
  const n = gunicorn.workers.length;
  progress.say(
    `gunicorn master ${gunicorn.masterPid} with ${n} ${n === 1 ? 'worker' : 'workers'} (${gunicorn.how})`,
  );
  return { masterPid: gunicorn.masterPid, pySpy };
}
