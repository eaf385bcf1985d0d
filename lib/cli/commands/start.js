import { readConfig } from '../../config/read-config.js';
import { EXIT } from '../../errors.js';
import { catchInterrupts } from '../interrupt.js';
import { readDemoOptions, startDemoUnless } from '../load-demo.js';
import { measure } from '../measure.js';
import { prepareProfile } from '../prepare-profile.js';
import { startProgress } from '../progress.js';
import { profilesOption } from '../runs.js';

const SCRIPT = 'scenarios/csr-all.yaml';

/** @param {import('commander').Command} program */
export function addStartCommand(program) {
  const command = program
    .command('start')
    .description(
      'start the demo target, load-test and profile it, write the report, stop everything',
    )
    .addHelpText(
      'after',
      `
DEMO_AUTH chooses how the demo validates tokens: introspect (the default), decode or cached.
Two runs with different values show what a report says before and after a fix.
DEMO_COMPANION=0 leaves out the gunicorn companion (docs/companion.md), as with an API that has none.
DEMO_SLOW_QUERY_MS=100 makes its database slow: requests wait, and CPU is idle.

Examples:
  loadflame start
  DEMO_AUTH=cached loadflame start
  DEMO_COMPANION=0 loadflame start`,
    );
  profilesOption(command);
  command.action(async options => {
    const demoOptions = await readDemoOptions(process.env);
    const progress = startProgress();
    const { signal, release } = catchInterrupts(presses => {
      progress.say(
        presses === 1 ? 'stopping; what was measured is kept …' : 'still writing; nothing is lost',
      );
    });
    progress.say(`starting the demo API and identity provider (DEMO_AUTH=${demoOptions.auth}) …`);
    const demo = await startDemoUnless(signal, demoOptions);
    let exit;
    try {
      // The demo's own values win over what a user's envs.sh says of another target.
      const config = readConfig({ flags: demo.env, flagSource: 'demo' });
      const profile = await prepareProfile(config, progress, signal);
      const load = { script: SCRIPT, options: {} };
      exit = await measure({
        config,
        command: 'loadflame start',
        root: options.profiles,
        signal,
        load,
        profile,
        progress,
      });
    } finally {
      await demo.stop();
      release();
    }
    process.exitCode = signal.aborted ? EXIT.interrupted : exit;
  });
}
