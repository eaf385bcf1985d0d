import { readConfig } from '../../config/read-config.js';
import { EXIT, LoadflameError } from '../../errors.js';
import { settingFlags } from '../flags.js';
import { catchInterrupts } from '../interrupt.js';
import { loadFlags, readLoadOptions } from '../load-options.js';
import { measure } from '../measure.js';
import { baselineFlag, outcomeFlags, prepareOutcome } from '../outcome.js';
import { prepareProfile } from '../prepare-profile.js';
import { startProgress } from '../progress.js';
import { profilesOption } from '../runs.js';

/** Settings that have flags here. */
const FLAGS = [
  'TARGET',
  'MAX_VIRTUAL_USERS',
  'ARRIVAL_RATE',
  'WARM_UP_DURATION',
  'RAMP_DURATION',
  'DURATION',
  'OFFICE_ID',
  'SERVICE_ID',
  'GUNICORN_PID',
  'PROFILE_RATE',
  'LOG_FILES',
  'LOG_COMMAND',
  'RULES_FILE',
  'THRESHOLDS',
];

/** @param {import('commander').Command} program */
export function addTestCommand(program) {
  const command = program
    .command('test')
    .argument('<script>', 'an Artillery script (YAML or JSON)')
    .description('run a load test; with --profile record gunicorn at the same time')
    .option('--profile', 'record the gunicorn master and its workers while the load runs')
    .option(
      '--measure-overhead',
      'pause the profiler again and again, and say what it costs (with --profile)',
    )
    .addHelpText(
      'after',
      `
While \`loadflame profile\` records in another terminal, the load test joins it: stopping the
profiler there writes one report with both.

Scenarios run on loadflame's own engine; one that it can not run goes to Artillery's, and a line
says so. --engine artillery runs all of it in Artillery.

Exit codes: 0 good, 5 a threshold failed, 6 the run is not valid, 130 interrupted (what was
measured is kept and reported).

Examples:
  loadflame test scenarios/csr-all.yaml
  loadflame test scenarios/csr-http.yaml --profile --duration 2m --max-virtual-users 50
  TARGET=https://api.example.com loadflame test scenarios/csr-all.yaml
  loadflame test my-script.yaml -e staging --variables '{"office": 7}'
  loadflame test my-script.yaml --output result.json --workers 2
  loadflame test my-script.yaml --engine artillery
  loadflame test my-script.yaml --profile --measure-overhead --duration 4m
  loadflame test my-script.yaml --profile --baseline profiles/20261120-214503-csr-all
  loadflame test my-script.yaml --thresholds thresholds.yaml --junit junit.xml`,
    );
  loadFlags(command);
  baselineFlag(command);
  outcomeFlags(command);
  settingFlags(command, FLAGS);
  profilesOption(command);
  command.action(async (script, options) => {
    if (options.measureOverhead && !options.profile) {
      throw new LoadflameError('OVERHEAD_NEEDS_PROFILE');
    }
    const config = readConfig({ flags: options.settings() });
    const load = { script, options: readLoadOptions(options) };
    const outcome = await prepareOutcome(config, options);
    const progress = startProgress();
    const { signal, release } = catchInterrupts(presses => {
      progress.say(
        presses === 1 ? 'stopping; what was measured is kept …' : 'still writing; nothing is lost',
      );
    });
    const profile = options.profile ? await prepareProfile(config, progress, signal) : null;
    const command = `loadflame test ${script}${options.profile ? ' --profile' : ''}`;
    const exit = await measure({
      config,
      command,
      root: options.profiles,
      signal,
      load,
      profile,
      measureOverhead: options.measureOverhead,
      progress,
      outcome,
    });
    release();
    process.exitCode = signal.aborted ? EXIT.interrupted : exit;
  });
}
