/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { exitCode } from '../exit-code.js';
import { prepareGates } from '../gates.js';
import { catchInterrupts } from '../interrupt.js';
import { readLoadOptions } from '../load-options.js';
import { measure } from '../measure.js';
import { prepareProfile } from '../prepare-profile.js';
import { startProgress } from '../progress.js';

/** @param {Call} call */
export async function run({ args: [script], options, flags, io }) {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const config = readConfig({
    flags: { ...options.set, ...Object.fromEntries(given) },
    env: io.env,
  });
  const load = { script, options: readLoadOptions(options) };
  const gates = await prepareGates(config, options);
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(presses => {
    progress.say(
      presses === 1 ? 'stopping; what was measured is kept …' : 'still writing; nothing is lost',
    );
  });
  const profile = options.profile ? await prepareProfile(config, progress, signal) : null;
  const ending = await measure({
    config,
    command: `loadflame test ${script}${options.profile ? ' --profile' : ''}`,
    root: options.profiles,
    signal,
    load,
    profile,
    progress,
    gates,
    io,
  });
  release();
  return exitCode({ ...ending, interrupted: signal.aborted });
}
