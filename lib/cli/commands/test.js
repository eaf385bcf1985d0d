/** @import { Call } from '../io.js' */
import { readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { isPlain } from '../../files/read-yaml.js';
import { createRedactor } from '../../files/redaction.js';
import { readScenarioBlock } from '../../preflight/scenario-block.js';
import { isAddress, mergeInto } from '../../record/load/script/read-script.js';
import { prepareLoad } from '../../record/load/start-load.js';
import { startServer } from '../../try/start-server.js';
import { exitCode, runWithProgress } from '../io.js';
import { measure } from '../measure.js';
import { prepareGates } from '../prepare-gates.js';
import { prepareProfile } from '../prepare-profile.js';

const NAMED = /\$([A-Z][A-Z0-9_]*)/g;

/** @param {Call} call */
export async function run({ args: [script], options, flags, command, io }) {
  const target = isAddress(script) && { TARGET: script.replace(/^(.+?:\/\/[^/?#]*).*$/s, '$1') };
  const read = (/** @type {Record<string, string>} */ more) =>
    readConfig({ flags: { ...flags, ...target, ...more }, env: io.env });
  const set = read({});
  // The default suits one low rate.
  const isCapped = !options.find || set.isSet('MAX_VIRTUAL_USERS');
  const config = isCapped ? set : read({ MAX_VIRTUAL_USERS: '100000' });
  const { users, variables } = options;
  const overrides = parseJson('--overrides', options.overrides) ?? {};
  for (const text of options.header ?? []) mergeInto(overrides, sendHeader(text));
  const load = {
    script,
    options: {
      ...options,
      overrides: users ? { ...overrides, config: closedLoop(users, overrides) } : overrides,
      variables: parseJson('--variables', variables),
    },
  };
  const gates = await prepareGates(config, options);
  const { explainSql, explainAnalyze: file, dbStats = false } = options;
  const explain =
    explainSql || file || dbStats
      ? {
          url: config.require('EXPLAIN_DATABASE_URL'),
          ...{ dbStats, plans: explainSql || file !== undefined },
          own: file
            ? (await import('../../record/explain/explain-sql.js')).readOwnStatements(file)
            : [],
        }
      : null;
  const { variables: declared } = readScenarioBlock(script, load.options);
  const redactor = createRedactor(config.withVariables(declared).secrets);
  return runWithProgress(io, async ({ progress, signal }) => {
    const context = { config, root: options.profiles, progress, signal, io, redactor };
    const server = await startServer(options.command, {
      ...context,
      ...{ env: io.env, say: progress.say },
    });
    try {
      const profile = options.profile
        ? await prepareProfile(config, progress, signal, server.pid, findTarget(load, config))
        : null;
      if (options.find) {
        const durationSec = flags.DURATION ? config.get('DURATION') : 0;
        const { find } = await import('../find.js');
        return await find(
          { ...context, command, load, profile },
          { ...context, options, gates, durationSec },
        );
      }
      const ending = await measure({
        ...{ ...context, command, load, profile, gates, explain },
        ...{ full: options.full, live: options.live, source: options.source },
      });
      return exitCode({ ...ending, interrupted: signal.aborted });
    } finally {
      await server.stop();
    }
  });
}

/**
 * The target whose server is profiled: the script's own if TARGET is not set.
 * @param {{script: string, options: Call['options']}} load
 * @param {import('../../config/read-config.js').Config} config
 */
function findTarget({ script, options }, config) {
  const { variables } = readScenarioBlock(script, options);
  return prepareLoad(script, config.withVariables(variables), options).target;
}

/**
 * The value of `$KEY` is a secret variable, so it appears in no command line and no file.
 * @param {string} text `X-Api-Key: $KEY`
 */
function sendHeader(text) {
  const [, name = '', written = ''] = /^([\w-]+):\s*(.*)$/s.exec(text) ?? [];
  const variables = [...written.matchAll(NAMED)].map(([, variable = '']) => [
    variable,
    { secret: true, about: `for the header ${name}` },
  ]);
  const headers = { [name]: written.replace(NAMED, '{{ $$env.$1 }}') };
  const loadflame = { variables: Object.fromEntries(variables) };
  return { config: { http: { defaults: { headers } }, loadflame } };
}

/** @param {number} users @param {{config?: object}} overrides */
function closedLoop(users, overrides) {
  const phases = [{ name: 'users', duration: '{{ $env.DURATION }}', users }];
  return { ...overrides.config, phases };
}

/** @param {string} option @param {string | undefined} text */
function parseJson(option, text) {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text);
    if (isPlain(value)) return value;
  } catch {
    // reported below, like JSON of another shape
  }
  throw new LoadflameError('OPTION_NOT_JSON', { option, value: text });
}
