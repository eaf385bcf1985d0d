/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { findPySpy } from '../../record/profiler/find-py-spy.js';
import { runPySpyTop } from '../../record/profiler/top.js';
import { chooseGunicorn } from '../choose-gunicorn.js';

/** @param {Call} call */
export async function run({ flags, io }) {
  const config = readConfig({ flags, env: io.env });
  const pySpy = await findPySpy(config.get('PYSPY'));
  const { masterPid } = await chooseGunicorn(config);
  await runPySpyTop({ masterPid, pySpy, rateHz: config.get('PROFILE_RATE') });
}
