/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { findPySpy } from '../../record/profiler/find-py-spy.js';
import { runPySpyTop } from '../../record/profiler/top.js';
import { chooseServer } from '../choose-server.js';

/** @param {Call} call */
export async function run({ flags, io }) {
  const config = readConfig({ flags, env: io.env });
  const pySpy = await findPySpy(config.get('PYSPY'));
  const { rootPid } = await chooseServer(config);
  await runPySpyTop({ masterPid: rootPid, pySpy, rateHz: config.get('PROFILE_RATE') });
}
