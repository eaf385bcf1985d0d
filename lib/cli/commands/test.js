/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { isPlain } from '../../read-yaml.js';
import { exitCode } from '../exit-code.js';
import { prepareGates } from '../gates.js';
import { catchInterrupts } from '../interrupt.js';
import { measure } from '../measure.js';
import { prepareProfile } from '../prepare-profile.js';
import { startProgress } from '../progress.js';
import { startServer } from '../start-server.js';

/** @param {Call} call */
export async function run({ args: [script], options, flags, io }) {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const config = readConfig({
    flags: { ...options.set, ...Object.fromEntries(given) },
    env: io.env,
  });
  const { overrides, variables } = options;
  const load = {
    script,
    options: {
      ...options,
      overrides: parseJson('--overrides', overrides),
      variables: parseJson('--variables', variables),
    },
  };
  const gates = await prepareGates(config, options);
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(progress.say);
  const root = options.profiles;
  const server = await startServer(options.command, { config, root, progress, signal, io });
  try {
    const profile = options.profile
      ? await prepareProfile(config, progress, signal, server.pid)
      : null;
    const ending = await measure({
      config,
      command: `loadflame test ${script}${options.profile ? ' --profile' : ''}`,
      root,
      signal,
      load,
      profile,
      progress,
      gates,
      io,
    });
    return exitCode({ ...ending, interrupted: signal.aborted });
  } finally {
    await server.stop();
    release();
  }
}

/** @param {string} option @param {string | undefined} text */
function parseJson(option, text) {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text);
    if (isPlain(value)) return value;
  } catch {
    // told below, like JSON of another shape
  }
  throw new LoadflameError('OPTION_NOT_JSON', { option, value: text });
}
