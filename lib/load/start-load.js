/** Starts one load test: from a script and the settings to a running generator. */
import { collectSecrets } from '../base/files/redaction.js';
import { findVariable, listTemplates } from '../base/files/templates.js';
import { attempt } from '../base/process/attempt.js';
import { isSecretVariable } from '../base/process/bare-environment.js';
import { prepareScript } from './prepare-script.js';
import { runGenerator } from './run-generator.js';

/** @import { Load, LoadOptions, RunningLoad, Settings } from './load.d.ts' */
/** @import { PreparedScript } from './prepare-script.js' */

/**
 * Prepares the load without running it, also for preflight and the manifest.
 * @param {string} script
 * @param {Settings} settings
 * @param {LoadOptions} [options]
 * @returns {PreparedScript}
 * @throws {LoadflameError} SCRIPT_…
 */
export function prepareLoad(script, settings, options = {}) {
  const target = settings.isSet('TARGET') ? settings.get('TARGET') : null;
  const given = settings.all.filter(({ text, secret }) => text !== '' && !secret);
  const prepared = prepareScript(script, { env: addToEnvironment(given), target }, options);
  const { config } = prepared.script;
  config.loadflame = { ...config.loadflame, endpoints: settings.get('ENDPOINTS') ?? [] };
  const sampled = settings.get('TRACE_SAMPLED');
  const tracing = { ...config.http?.distributedTracing, enabled: true, sampled };
  if (sampled !== null) config.http = { ...config.http, distributedTracing: tracing };
  return prepared;
}

/**
 * @param {Load} load
 * @returns {Promise<RunningLoad>}
 * @throws {LoadflameError} LOAD_NOT_STARTED, KUBE_…, INTERRUPTED
 */
export async function startLoad(load) {
  const running = await startSending(load);
  const base = load.settings.get('OTEL_EXPORTER_OTLP_ENDPOINT')?.replace(/\/*$/, '/v1/metrics');
  const url = load.settings.get('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT') ?? base;
  if (!url) return running;
  const start = async () => (await import('./otlp-metrics.js')).exportMetrics(running, load, url);
  return (await attempt('the export of metrics by OTLP', start, load.say.onNote)) ?? running;
}

/** @param {Load} load @returns {Promise<RunningLoad>} */
async function startSending(load) {
  const { engine, inside } = load.options ?? {};
  const why = inside || engine === 'artillery' ? 'sender' : 'between';
  load.steering?.emit('control', { why });
  if (inside) {
    const { startInCluster } = await import('./in-cluster/run-in-cluster.js');
    return startInCluster(load, inside);
  }
  const { prepared, settings, options = {}, secrets = [], ...run } = load;
  const { environment, output, scenarioName, insecure } = options;
  const cookie = settings.get('SOCKETIO_COOKIE');
  return runGenerator({
    ...options,
    ...run,
    prepared,
    secrets: [...settings.secrets, ...secrets, ...findSecrets(prepared)],
    ...divideVariables(settings.all, prepared),
    tokenPlaces: {
      cookie: cookie === 'none' ? null : cookie,
      authField: settings.get('SOCKETIO_AUTH'),
      companionKey: settings.get('LOADFLAME'),
    },
    stickyCookie: settings.get('STICKY_COOKIE'),
    flags: { environment, output, scenarioName, insecure },
  });
}

/** Our engine and Artillery's use these proxies. */
const PROXIES = /^(?:https?|all|no)_proxy$/i;

/**
 * Environment variables of the generator: settings, and secrets, which are passed when it runs. Secrets come from the
 * settings and from variables that it does not inherit, and only those that the script or its hooks name.
 * @param {Settings['all']} settings
 * @param {PreparedScript} prepared
 * @returns {{env: Record<string, string>, secretEnv: Record<string, string>}}
 */
function divideVariables(settings, { text, hooks }) {
  const secrets = settings.filter(({ secret }) => secret).map(({ name }) => name);
  const isSecret = (/** @type {string} */ name, /** @type {string} */ value) =>
    secrets.includes(name) || isSecretVariable(name, value);
  const isNamed = (/** @type {string} */ name) => text.includes(name) || hooks.includes(name);
  const open = settings.filter(
    ({ name, text: value }) => !isSecret(name, value) && (value !== '' || isNamed(name)),
  );
  const passed = Object.entries(addToEnvironment(settings)).filter(
    ([name, value]) => isSecret(name, value) && (isNamed(name) || PROXIES.test(name)),
  );
  return { env: asVariables(open), secretEnv: Object.fromEntries(passed) };
}

/** @param {Settings['all']} settings @returns {Record<string, string>} */
const asVariables = settings => Object.fromEntries(settings.map(({ name, text }) => [name, text]));

/** @param {Settings['all']} settings @returns {Record<string, string>} */
const addToEnvironment = settings =>
  /** @type {any} */ ({ ...process.env, ...asVariables(settings) });

/**
 * Values in a script, or that it takes from the environment, which are secrets by their name or place.
 * @param {PreparedScript} prepared
 * @returns {string[]}
 */
export function findSecrets({ script, text }) {
  const named = listTemplates(text).map(template => findVariable(template) ?? '');
  const taken = Object.entries(process.env).filter(([name]) => named.includes(name));
  // The description of a variable is in the place where its value, maybe a secret, would be.
  const abouts = Object.values(script.config.loadflame?.variables ?? {}).map(({ about }) => about);
  const own = collectSecrets(script).filter(secret => !abouts.includes(secret));
  return [...own, ...collectSecrets(Object.fromEntries(taken))];
}
