/** @import { Call, Progress } from '../io.js' */
/** @import { Demo } from '../../../demo/start.js' */
/** @import { Config } from '../../base/config/read-config.js' */
/** @import { ProfileTarget } from '../../experiment/start-recorders.js' */
import { readConfig } from '../../base/config/read-config.js';
import { measureCapacity } from '../../experiment/measure-capacity.js';
import { findRunFolders, RUNS_FOLDER } from '../../run/run-folder.js';
import { describeWarmUp } from '../../text/quality.js';
import { exitCode } from '../exit-code.js';
import { createNamer, runWithProgress } from '../io.js';
import { readDemoOptions, startDemoUnless } from '../load-demo.js';
import { measure } from '../measure.js';
import { NO_GATES } from '../prepare-gates.js';
import { prepareProfile } from '../prepare-profile.js';
import { readOrigin } from '../read-runs.js';
import { placeHistory } from './history.js';

/** Settings that a warm-up chooses. */
const LOAD = /^(?:ARRIVAL_RATE|MAX_VIRTUAL_USERS|(?:WARM_UP_|RAMP_)?DURATION)$/;
const NEXT = `next:   loadflame ping http://127.0.0.1:8000/     one request of your own API\n        docs/first-report.md                       then its first report\n`;

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
      const earlier = demoOptions.auth === 'introspect' ? null : findEarlier(options.profiles);
      if (earlier) progress.say(`load: that of ${earlier.id}, to compare with`);
      const found =
        io.env.ARRIVAL_RATE || earlier
          ? null
          : await findLoad({ demo, config, profile, signal }, progress);
      const chosen = earlier ?? found;
      const wanted = Object.entries(chosen?.settings ?? {}).filter(([name]) => !io.env[name]);
      const ending = await measure({
        ...{ command, root: options.profiles, signal, profile, progress, io },
        ...{ full: options.full, live: options.live, source: options.source },
        config: read(Object.fromEntries(wanted)),
        gates: { ...NO_GATES, history },
        load: { script: demo.script, options: {} },
        warmUp: found,
      });
      io.stdout.write(createNamer(io)(NEXT));
      return exitCode({ ...ending, interrupted: signal.aborted });
    } finally {
      await demo.stop();
    }
  });
}

/**
 * The last run and its load if it was of the demo: a fix shows under the same load.
 * @param {string} [root] the folder that holds the runs
 */
function findEarlier(root = RUNS_FOLDER) {
  const last = findRunFolders(root).at(-1);
  const { id, settings = [] } = last ? readOrigin(last) : {};
  const isDemo = settings.some(({ name, source }) => name === 'TARGET' && source === 'demo');
  const own = settings.filter(({ name }) => LOAD.test(name));
  return isDemo ? { id, settings: Object.fromEntries(own.map(s => [s.name, s.value])) } : null;
}

/**
 * @param {{demo: Demo, config: Config, profile: ProfileTarget, signal: AbortSignal}} options
 * @param {Progress} progress
 */
async function findLoad({ demo, ...options }, progress) {
  progress.update('warm-up: finding out what load this machine takes …');
  const found = await measureCapacity({
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
