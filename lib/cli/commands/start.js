/** @import { Call, Progress } from '../io.js' */
/** @import { Demo } from '../../../demo/start.js' */
/** @import { Config } from '../../config/read-config.js' */
/** @import { ProfileTarget } from '../../record/start-recorders.js' */
import { readConfig } from '../../config/read-config.js';
import { describeWarmUp } from '../../text/quality.js';
import { exitCode, runWithProgress } from '../io.js';
import { readDemoOptions, startDemoUnless } from '../load-demo.js';
import { measure } from '../measure.js';
import { NO_GATES } from '../prepare-gates.js';
import { prepareProfile } from '../prepare-profile.js';
import { warmUp } from '../warm-up.js';
import { placeHistory } from './history.js';

/** @param {Call} call */
export async function run({ options, command, io }) {
  const demoOptions = await readDemoOptions(io.env);
  const file = options.history;
  const history = file ? await placeHistory(file, options, io.env) : null;
  return runWithProgress(io, async ({ progress, signal }) => {
    progress.say(`starting the demo API and identity provider (DEMO_AUTH=${demoOptions.auth}) …`);
    const demo = await startDemoUnless(signal, demoOptions);
    try {
      // The demo's values override a user's envs.sh, which is for another target.
      const read = (/** @type {Record<string, string>} */ load) =>
        readConfig({ flags: { ...demo.env, ...load }, flagSource: 'demo', env: io.env });
      const config = read({});
      const profile = await prepareProfile(config, progress, signal);
      const found = io.env.ARRIVAL_RATE
        ? null
        : await findLoad({ demo, config, profile, signal }, progress);
      const wanted = Object.entries(found?.settings ?? {}).filter(([name]) => !io.env[name]);
      const ending = await measure({
        ...{ command, root: options.profiles, signal, profile, progress, io },
        ...{ full: options.full, live: options.live, source: options.source },
        config: read(Object.fromEntries(wanted)),
        gates: { ...NO_GATES, history },
        load: { script: demo.script, options: {} },
        warmUp: found,
      });
      return exitCode({ ...ending, interrupted: signal.aborted });
    } finally {
      await demo.stop();
    }
  });
}

/**
 * @param {{demo: Demo, config: Config, profile: ProfileTarget, signal: AbortSignal}} options
 * @param {Progress} progress
 */
async function findLoad({ demo, ...options }, progress) {
  progress.update('warm-up: finding out what load this machine takes …');
  const found = await warmUp({
    ...options,
    script: demo.script,
    command: 'loadflame start',
    onProgress: text => progress.update(`warm-up: ${text}`),
    onNote: () => {},
    onLog: () => {},
  });
  progress.say(describeWarmUp(found));
  return found;
}
