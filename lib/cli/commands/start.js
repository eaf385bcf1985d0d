/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { exitCode } from '../exit-code.js';
import { catchInterrupts } from '../interrupt.js';
import { readDemoOptions, startDemoUnless } from '../load-demo.js';
import { measure } from '../measure.js';
import { prepareProfile } from '../prepare-profile.js';
import { startProgress } from '../progress.js';

/** @param {Call} call */
export async function run({ options, io }) {
  const demoOptions = await readDemoOptions(io.env);
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(progress.say);
  progress.say(`starting the demo API and identity provider (DEMO_AUTH=${demoOptions.auth}) …`);
  const demo = await startDemoUnless(signal, demoOptions);
  try {
    // The demo's own values win over what a user's envs.sh says of another target.
    const config = readConfig({ flags: demo.env, flagSource: 'demo', env: io.env });
    const ending = await measure({
      config,
      command: 'loadflame start',
      root: options.profiles,
      signal,
      load: { script: demo.script, options: {} },
      profile: await prepareProfile(config, progress, signal),
      progress,
      io,
    });
    return exitCode({ ...ending, interrupted: signal.aborted });
  } finally {
    await demo.stop();
    release();
  }
}
