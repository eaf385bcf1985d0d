/** @import { Call, Io, Progress } from '../io.js' */
import { readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { parseOrNull } from '../../base/files/parse-json.js';
import { isPlain } from '../../base/files/read-yaml.js';
import { createRedactor } from '../../base/files/redaction.js';
import { formatNumberOf } from '../../base/format.js';
import { readScenarioBlock } from '../../experiment/preflight/scenario-block.js';
import { runOnce } from '../../experiment/run-once.js';
import { startServer } from '../../experiment/server/start-server.js';
import { isAddress, mergeInto } from '../../load/script/read-script.js';
import { prepareLoad } from '../../load/start-load.js';
import { printSection } from '../../report/print/terminal.js';
import { describeWhole } from '../../text/whole-request.js';
import { exitCode } from '../exit-code.js';
import { printWide, runWithProgress } from '../io.js';
import { measure } from '../measure.js';
import { prepareGates } from '../prepare-gates.js';
import { prepareProfile } from '../prepare-profile.js';

/** @import { WholeRequest } from '../../run/facts/whole-request.d.ts' */

const NAMED = /\$([A-Z][A-Z0-9_]*)/g;

/** @param {Call['options']} options */
function checkPairs(options) {
  for (const [option, other, isAlone] of [
    ['--continue', '--find', options.continue && !options.find],
    ['--scenario', '--once', options.scenario && !options.once],
    ['--same-work', '--profile', options.sameWork && !options.profile],
  ])
    if (isAlone) throw new LoadflameError('OPTION_NEEDS', { option, other });
}

/** @param {Call} call */
export async function run({ args: [script], options, flags, command, io }) {
  checkPairs(options);
  const read = (/** @type {Record<string, string>} */ more) =>
    readConfig({ flags: { ...flags, ...targetOf(script), ...more }, env: io.env });
  const set = read({});
  // The default suits one low rate.
  const isCapped = !options.find || set.isSet('MAX_VIRTUAL_USERS');
  const config = isCapped ? set : read({ MAX_VIRTUAL_USERS: '100000' });
  const { users, variables } = options;
  const overrides = addHeaders(parseJson('--overrides', options.overrides), options.header);
  const load = {
    script,
    options: {
      ...options,
      overrides: users ? { ...overrides, config: closedLoop(users, overrides) } : overrides,
      variables: parseJson('--variables', variables),
    },
  };
  if (options.once) {
    const redactor = createRedactor(config.secrets);
    return runWithProgress(io, context =>
      testOnce({ ...context, config, load, redactor }, options.scenario, io),
    );
  }
  const gates = await prepareGates(config, options);
  const explain = await readExplain(config, options);
  const { variables: declared } = readScenarioBlock(script, load.options);
  const redactor = createRedactor(config.withVariables(declared).secrets);
  return runWithProgress(io, async ({ progress, signal }) => {
    const context = { config, root: options.profiles, progress, signal, io, redactor };
    const { say } = progress;
    const server = await startServer(options.command, { ...context, env: io.env, say });
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
        sameWork: options.sameWork,
      });
      return exitCode({ ...ending, interrupted: signal.aborted });
    } finally {
      await server.stop();
    }
  });
}

/**
 * Runs every scenario once, and prints each request.
 * @param {Pick<Parameters<typeof runOnce>[0], 'config' | 'load' | 'redactor' | 'signal'> & {progress: Progress}} run
 * @param {string[] | undefined} scenarios @param {Io} io
 */
async function testOnce({ progress, ...run }, scenarios, io) {
  const onRequest = (/** @type {WholeRequest} */ request) =>
    printWide(io, terminal => printSection(describeWhole(request), terminal));
  const onLog = run.load.options.log === false ? undefined : progress.say;
  const { requests, failed, users, failedUsers, loadEnd, isTooMany } = await runOnce({
    ...run,
    scenarios,
    onProgress: progress.update,
    say: { onNote: progress.say, onRequest, ...(onLog && { onLog }) },
  });
  progress.stop();
  io.stdout.write(
    `\n${formatNumberOf(requests.length, 'HTTP request')}, ${failed} failed; ${formatNumberOf(users, 'scenario')}, ${failedUsers} failed. Messages of socket.io and WebSocket are not listed.\n`,
  );
  const invalid = loadEnd.reason === 'crashed' || users === 0;
  const interrupted = run.signal.aborted;
  return exitCode({ interrupted, invalid, failed: isTooMany || Boolean(loadEnd.exitCode) });
}

/** The setting that an address gives. @param {string} script */
export const targetOf = script =>
  isAddress(script) && { TARGET: script.replace(/^(.+?:\/\/[^/?#]*).*$/s, '$1') };

/** @param {Record<string, any>} [overrides] of the script @param {string[]} [headers] as typed */
export function addHeaders(overrides = {}, headers = []) {
  for (const text of headers) mergeInto(overrides, sendHeader(text));
  return overrides;
}

/**
 * What to ask the database for; null: nothing.
 * @param {import('../../base/config/read-config.js').Config} config
 * @param {Call['options']} options
 * @throws {LoadflameError} SETTING_MISSING, EXPLAIN_…
 */
async function readExplain(config, { explainSql, explainAnalyze: file, dbStats = false }) {
  if (!explainSql && !file && !dbStats) return null;
  const url = config.require('EXPLAIN_DATABASE_URL');
  const explain = file ? await import('../../record/explain/explain-sql.js') : null;
  const plans = explainSql || file !== undefined;
  return { url, dbStats, plans, own: explain?.readOwnStatements(file) ?? [] };
}

/**
 * The target whose server is profiled: the script's own if TARGET is not set.
 * @param {{script: string, options: Call['options']}} load
 * @param {import('../../base/config/read-config.js').Config} config
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
  const value = parseOrNull(text);
  if (isPlain(value)) return value;
  throw new LoadflameError('OPTION_NOT_JSON', { option, value: text });
}
