/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { catchInterrupts } from '../interrupt.js';
import { measure } from '../measure.js';
import { prepareProfile } from '../prepare-profile.js';
import { startProgress } from '../progress.js';

/** @param {Call} call */
export async function run({ options, flags, io }) {
  const config = readConfig({ flags, env: io.env });
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(progress.say, { first: 'stopping the profiler …' });
  await measure({
    config,
    command: 'loadflame profile',
    root: options.profiles,
    signal,
    load: null,
    profile: await prepareProfile(config, progress, signal),
    progress,
    io,
  });
  release();
}
