import { readConfig } from '../../config/read-config.js';
import { runSession } from '../../session.js';
import { settingFlags } from '../flags.js';
import { catchInterrupts } from '../interrupt.js';
import { prepareProfile } from '../prepare-profile.js';
import { startProgress } from '../progress.js';
import { profilesOption } from '../runs.js';
import { showReport, writeOutputs } from '../write-outputs.js';

/** @param {import('commander').Command} program */
export function addProfileCommand(program) {
  const command = program
    .command('profile')
    .description('record the gunicorn master and its workers until Ctrl+C, then write the profile')
    .addHelpText(
      'after',
      `
A load test that starts meanwhile in another terminal joins the recording: the report then has both.

Examples:
  loadflame profile
  loadflame profile --gunicorn-pid 4312 --profile-rate 100
  two terminals: loadflame profile  |  loadflame test scenarios/csr-all.yaml, then Ctrl+C in the first`,
    );
  settingFlags(command, [
    'TARGET',
    'GUNICORN_PID',
    'GUNICORN_PID_FILE',
    'GUNICORN_CONTROL_SOCKET',
    'PROFILE_RATE',
    'LOG_FILES',
    'LOG_COMMAND',
    'RULES_FILE',
  ]);
  profilesOption(command);
  command.action(async options => {
    const config = readConfig({ flags: options.settings() });
    const progress = startProgress();
    const { signal, release } = catchInterrupts(presses => {
      const text = presses === 1 ? 'stopping the profiler …' : 'still writing; nothing is lost';
      progress.say(text);
    });
    const profile = await prepareProfile(config, progress, signal);
    const { files } = await runSession({
      config,
      command: 'loadflame profile',
      root: options.profiles,
      signal,
      load: null,
      profile,
      onProgress: progress.update,
      onNote: progress.say,
    });
    progress.update('writing the report …');
    const report = await writeOutputs(files.folder, { rulesFile: config.get('RULES_FILE') });
    progress.stop();
    release();
    showReport(report, files);
  });
}
