/** One load test: from a script and the settings to a running generator. */

import { collectSecrets } from '../../files/redaction.js';
import { findVariable, listTemplates } from '../../files/templates.js';
import { isSecretVariable } from '../../process/bare-environment.js';
import { prepareScript } from './prepare-script.js';
import { runGenerator } from './run-generator.js';

/** @import { Redactor } from '../../files/redaction.js' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { TargetsAsked } from '../../facts/records.d.ts' */
/** @import { InsideOptions } from './inside/run-inside.js' */
/** @import { GeneratorFlags } from './messages.js' */
/** @import { PreparedScript, ScriptOptions } from './prepare-script.js' */
/** @import { GeneratorOptions, RunningLoad, TokenSource } from './run-generator.js' */

/**
 * The part of the settings that load needs (`lib/config/read-config.js` gives it).
 * @typedef {object} Settings
 * @property {(name: string) => any} get
 * @property {(name: string) => boolean} isSet
 * @property {readonly {name: string, text: string, secret: boolean}[]} all
 * @property {readonly string[]} secrets
 */

/**
 * @typedef {ScriptOptions & GeneratorFlags
 *   & {engine?: 'loadflame' | 'artillery', workers?: number, compileCache?: string, log?: boolean,
 *     inside?: InsideOptions, wholeSecondAfterMs?: number, lookFor?: TargetsAsked}
 *   & Pick<GeneratorOptions, 'share' | 'begin' | 'cpus'>} LoadOptions
 *   `log: false`: what the script prints is not shown; `inside`: workers in a cluster send it;
 *   `compileCache`: folder in which one generator leaves compiled code for the next;
 *   `lookFor`: targets that a cluster is asked for, instead of the script's own;
 *   `wholeSecondAfterMs`: our engine begins so that a second of the clock begins so long after
 */

/**
 * What would be run, without running it: for preflight and for the manifest.
 * @param {string} script
 * @param {Settings} settings
 * @param {LoadOptions} [options]
 * @returns {PreparedScript}
 * @throws {LoadflameError} SCRIPT_…
 */
export function prepareLoad(script, settings, options = {}) {
  const [found = null] = options.targets ?? [];
  const target = settings.isSet('TARGET') ? settings.get('TARGET') : found;
  const given = settings.all.filter(({ text, secret }) => text !== '' && !secret);
  const prepared = prepareScript(
    script,
    { env: { ...ownEnvironment(), ...asVariables(given) }, target },
    options,
  );
  const { config } = prepared.script;
  config.loadflame = { ...config.loadflame, endpoints: settings.get('ENDPOINTS') ?? [] };
  return prepared;
}

/**
 * @param {object} load
 * @param {PreparedScript} load.prepared
 * @param {Settings} load.settings
 * @param {RunFiles} load.files
 * @param {TokenSource | null} load.tokens started: its tokens are there
 * @param {Redactor} load.redactor
 * @param {readonly string[]} [load.secrets] that are in no setting: passwords of a file of users
 * @param {LoadOptions} [load.options]
 * @param {{onProgress: (text: string) => void, onNote: (text: string) => void, onLog?: (text: string) => void}} [load.say]
 *   of a load that takes its time to begin
 * @param {AbortSignal} [load.signal] ends a load that has not begun
 * @returns {Promise<RunningLoad>}
 * @throws {LoadflameError} LOAD_NOT_STARTED, KUBE_…, INTERRUPTED
 */
export async function startLoad(load) {
  if (load.options?.inside) {
    const { startInside } = await import('./inside/run-inside.js');
    return startInside(load, load.options.inside);
  }
  const { prepared, settings, files, tokens, redactor, secrets = [], options = {}, signal } = load;
  const cookie = settings.get('SOCKETIO_COOKIE');
  const {
    engine = 'loadflame',
    compileCache,
    wholeSecondAfterMs,
    environment,
    output,
    scenarioName,
    insecure,
    share,
    begin,
    cpus,
  } = options;
  return runGenerator({
    engine,
    prepared,
    files,
    tokens,
    redactor,
    secrets: [...settings.secrets, ...secrets, ...findSecrets(prepared)],
    ...divideVariables(settings.all, prepared),
    tokenPlaces: {
      cookie: cookie === 'none' ? null : cookie,
      authField: settings.get('SOCKETIO_AUTH'),
    },
    stickyCookie: settings.get('STICKY_COOKIE'),
    compileCache,
    share,
    begin,
    cpus,
    wholeSecondAfterMs,
    flags: { environment, output, scenarioName, insecure },
    signal,
  });
}

/** Our engine, and Artillery's, go through them. */
const PROXIES = /^(?:https?|all|no)_proxy$/i;

/**
 * What the generator gets as environment variables: settings, and, told when it runs, what is secret of
 * them and of the variables that it does not inherit, where the script or its hooks name it.
 * @param {Settings['all']} settings
 * @param {PreparedScript} prepared
 * @returns {{env: Record<string, string>, secretEnv: Record<string, string>}}
 */
function divideVariables(settings, { text, hooks }) {
  const secrets = settings.filter(({ secret }) => secret).map(({ name }) => name);
  const isSecret = (/** @type {string} */ name, /** @type {string} */ value) =>
    secrets.includes(name) || isSecretVariable(name, value);
  const isNamed = (/** @type {string} */ name) => text.includes(name) || hooks.includes(name);
  const all = Object.entries({ ...ownEnvironment(), ...asVariables(settings) });
  const open = settings.filter(
    ({ name, text: value }) => !isSecret(name, value) && (value !== '' || isNamed(name)),
  );
  const told = all.filter(
    ([name, value]) => isSecret(name, value) && (isNamed(name) || PROXIES.test(name)),
  );
  return { env: asVariables(open), secretEnv: Object.fromEntries(told) };
}

/** @param {Settings['all']} settings @returns {Record<string, string>} */
function asVariables(settings) {
  return Object.fromEntries(settings.map(({ name, text }) => [name, text]));
}

/**
 * What a script says or takes from the environment, and is a secret by its name or place.
 * @param {PreparedScript} prepared
 * @returns {string[]}
 */
export function findSecrets({ script, text }) {
  const named = listTemplates(text).map(template => findVariable(template) ?? '');
  const taken = Object.entries(process.env).filter(([name]) => named.includes(name));
  // What a script says about a variable stands below its name, as a secret would.
  const abouts = Object.values(script.config.loadflame?.variables ?? {}).map(({ about }) => about);
  const own = collectSecrets(script).filter(secret => !abouts.includes(secret));
  return [...own, ...collectSecrets(Object.fromEntries(taken))];
}

/** @returns {Record<string, string>} */
function ownEnvironment() {
  return /** @type {Record<string, string>} */ ({ ...process.env });
}
