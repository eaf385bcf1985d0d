import { readConfig } from '../../config/read-config.js';
import { findPySpy } from '../../record/profiler/find-py-spy.js';
import { runPySpyTop } from '../../record/profiler/top.js';
import { chooseGunicorn } from '../choose-gunicorn.js';
import { settingFlags } from '../flags.js';

/** @param {import('commander').Command} program */
export function addTopCommand(program) {
  const command = program
    .command('top')
    .description("py-spy's live view of the gunicorn master and its workers")
    .addHelpText(
      'after',
      `
Examples:
  loadflame top
  loadflame top --gunicorn-pid 4312`,
    );
  settingFlags(command, ['GUNICORN_PID', 'GUNICORN_PID_FILE', 'TARGET', 'PROFILE_RATE']);
  command.action(async options => {
    const config = readConfig({ flags: options.settings() });
    const pySpy = await findPySpy(config.get('PYSPY'));
    const { masterPid } = await chooseGunicorn(config);
    process.exitCode = await runPySpyTop({ masterPid, pySpy, rateHz: config.get('PROFILE_RATE') });
  });
}
