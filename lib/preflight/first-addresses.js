/**
 * What each scenario asks for first, asked once before any load: a script for another API, a token that
 * the API refuses and a socket.io server that lets everybody in are told then, and not after a run.
 */
import { LoadflameError } from '../errors.js';
import { plainLine } from '../files/plain-text.js';
import { isPlain } from '../files/read-yaml.js';
import { createRedactor, isSecretField } from '../files/redaction.js';
import { findVariable, replaceTemplates } from '../files/templates.js';
import { describeToken, get, quoteAnswer, refuseToken } from './preflight.js';

/** @import { Config } from '../config/read-config.js' */
/** @import { PreparedScript } from '../record/load/prepare-script.js' */

const TIMEOUT_MS = 5000;
const QUOTED_CHARS = 200;
const WRITES = ['post', 'put', 'patch', 'delete'];
const REFUSED = [401, 403];

/**
 * @typedef {object} FirstAddress
 * @property {string} url
 * @property {Record<string, string>} headers that the script writes
 * @property {boolean} takesToken
 * @property {boolean} isCertain a user asks for it in the same way: nothing was written before, no hook
 *   changes the request, no condition leaves it out
 * @property {number[]} expected statuses that its `expect` names
 */

/**
 * The first GET of each scenario whose address is known before a user runs it, at the target alone.
 * @param {PreparedScript} prepared
 * @param {Config} config with the variables of the script
 * @returns {FirstAddress[]} each address once
 */
export function listFirstAddresses({ script, target }, config) {
  const { config: own, scenarios } = script;
  const fill = createFill(own.variables, config);
  const before = listRequests(script.before?.flow ?? []);
  const found = scenarios.flatMap((/** @type {any} */ scenario) => {
    const requests = listRequests(scenario.flow ?? []);
    const at = requests.findIndex(step => isPlain(step.get));
    const request = requests[at]?.get;
    const written = fill(request?.url ?? request?.uri);
    if (!written) return [];
    const address = /^https?:/.test(written) ? written : target + written;
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url?.origin !== new URL(target).origin || !/^http/.test(url.protocol)) return [];
    for (const [name, value] of Object.entries(request.qs ?? {}))
      url.searchParams.set(name, fill(value) ?? '');
    const headers = { ...own.defaults?.headers, ...own.http?.defaults?.headers };
    const filled = Object.entries({ ...headers, ...request.headers }).map(([name, value]) => {
      return /** @type {const} */ ([name, fill(value)]);
    });
    const known = filled.filter(([, text]) => text !== null);
    const isAfterWrite = [...before, ...requests.slice(0, at)].some(isWrite);
    const isHooked = Boolean(scenario.beforeRequest ?? request.beforeRequest ?? request.ifTrue);
    return {
      url: url.href,
      headers: Object.fromEntries(known),
      takesToken: (scenario.loadflame ?? own.loadflame)?.auth !== false,
      isCertain: !isAfterWrite && !isHooked && known.length === filled.length,
      expected: [request.expect ?? []].flat().flatMap(({ statusCode = [] }) => statusCode),
    };
  });
  return [...new Map(found.map((/** @type {FirstAddress} */ one) => [one.url, one])).values()];
}

/** Steps that send, in their order. @param {any[]} steps @returns {Record<string, any>[]} */
function listRequests(steps) {
  return steps.flatMap(step => {
    const below = step?.loop ?? step?.parallel;
    if (Array.isArray(below)) return listRequests(below);
    return ['think', 'log', 'function'].some(key => key in (step ?? {})) ? [] : [step ?? {}];
  });
}

/** @param {Record<string, any>} step */
function isWrite(step) {
  return WRITES.some(verb => verb in step);
}

/** @param {any} variables of the script @param {Config} config */
function createFill(variables, config) {
  /** @param {unknown} value @returns {string | null} null where only a user knows it */
  return value => {
    if (value === undefined || value === null) return null;
    let isKnown = true;
    const text = replaceTemplates(String(value), template => {
      const name = findVariable(template);
      const [found] = name
        ? [config.text(name) ?? process.env[name]]
        : [variables?.[template]].flat();
      isKnown &&= found !== undefined && found !== null && found !== '';
      return String(found);
    });
    return isKnown ? text : null;
  };
}

/**
 * @param {PreparedScript} prepared
 * @param {object} context
 * @param {Config} context.config with the variables of the script
 * @param {string | null} context.token
 * @returns {Promise<{told: string[], warnings: string[]}>}
 * @throws {LoadflameError} TARGET_REFUSED, SCRIPT_FOREIGN, TARGET_UNREACHABLE
 */
export async function askFirstAddresses(prepared, { config, token }) {
  const addresses = listFirstAddresses(prepared, config);
  const { redactText } = createRedactor([...config.secrets, token]);
  const told = [];
  const warnings = [];
  const missing = [];
  for (const { url, headers, takesToken, isCertain, expected } of addresses) {
    const own = takesToken ? token : null;
    const shown = redactText(url);
    const { trustsAnyone } = prepared;
    const answer = await get(url, { token: own, shown, own: headers, trustsAnyone }).catch(
      async error => {
        // A slow address is what some loads are about; without a target there is none.
        await get(prepared.target, { trustsAnyone });
        warnings.push(error.message);
      },
    );
    if (!answer) continue;
    const { status } = answer;
    if (status < 400 || expected.includes(status)) {
      told.push(`${shown}: status ${status}`);
      continue;
    }
    const said = redactText(quoteAnswer(answer));
    if (REFUSED.includes(status) && own && isCertain)
      throw refuseToken(shown, answer, own, redactText);
    const [name] = Object.entries(headers).find(entry => isSecretField(...entry)) ?? [];
    if (REFUSED.includes(status) && name && isCertain) {
      const data = { credential: `header ${name}`, url: shown, response: said };
      const hint = `check the value of the header ${name}`;
      throw new LoadflameError('TARGET_REFUSED', data, { hint });
    }
    if (status === 404 && isCertain) missing.push(shown);
    const text = `${shown} responds with ${said}`;
    warnings.push(own && status >= 500 ? `${text} (${describeToken(own)})` : text);
  }
  if (missing.length > 0 && missing.length === addresses.length) {
    const list = missing.join(', ');
    const { name: script, target } = prepared;
    throw new LoadflameError('SCRIPT_FOREIGN', { script, target, list });
  }
  return { told, warnings };
}

/**
 * Does the API look at the token at all? Asked of the first addresses until one refuses to answer without.
 * @param {PreparedScript} prepared
 * @param {Config} config
 * @returns {Promise<string | null>} an address that wants one; null where none does
 */
export async function findProtected(prepared, config) {
  const { redactText } = createRedactor(config.secrets);
  for (const { url, headers, takesToken } of listFirstAddresses(prepared, config)) {
    if (!takesToken) continue;
    const options = { own: headers, trustsAnyone: prepared.trustsAnyone };
    const answer = await get(url, options).catch(() => null);
    if (answer && REFUSED.includes(answer.status))
      return `${redactText(url)} (status ${answer.status} without it)`;
  }
  return null;
}

/**
 * The handshake of the first socket.io scenario, with the token and without: where both work, a
 * connection says nothing about the token, and neither does an event without `acknowledge` or
 * `response`.
 * @param {PreparedScript} prepared
 * @param {{config: Config, token: string | null}} context
 * @returns {Promise<{text: string, isTold: boolean} | null>} null where there is nothing to compare
 * @throws {LoadflameError} TARGET_REFUSED
 */
export async function compareHandshakes({ script, target, trustsAnyone }, { config, token }) {
  const { config: own, scenarios } = script;
  const scenario = scenarios.find(
    (/** @type {any} */ one) =>
      (one.engine ?? own.engine) === 'socketio' && (one.loadflame ?? own.loadflame)?.auth !== false,
  );
  const cookie = config.get('SOCKETIO_COOKIE');
  const field = config.get('SOCKETIO_AUTH');
  if (!scenario || !token || !((cookie && cookie !== 'none') || field)) return null;
  const steps = listRequests(scenario.flow);
  const [first = {}] = steps;
  const options = { namespace: first.namespace ?? '', ...own.socketio, ...scenario.socketio };
  const json = JSON.stringify({ ...options, ...own.tls });
  const fill = createFill(own.variables, config);
  // What a user learns first, over HTTP or from a payload, the server may want to be told.
  if ('get' in first || isWrite(first) || fill(json) === null) return null;
  const { namespace, ...written } = JSON.parse(json, (_, value) =>
    typeof value === 'string' ? fill(value) : value,
  );
  if (trustsAnyone) written.rejectUnauthorized = false;
  const { io } = await import('socket.io-client');
  /** @param {string | null} given */
  const connect = given => {
    const extraHeaders = { ...written.extraHeaders };
    if (given && cookie && cookie !== 'none') extraHeaders.cookie = `${cookie}=${given}`;
    const auth = given && field ? { ...written.auth, [field]: given } : written.auth;
    const once = { forceNew: true, reconnection: false, timeout: TIMEOUT_MS };
    const socket = io(target + namespace, { ...written, ...once, extraHeaders, auth });
    const ended = new Promise(resolve => {
      socket.on('connect', () => resolve(null));
      socket.on('connect_error', ({ message }) =>
        resolve(plainLine(message || 'no reason given').slice(0, QUOTED_CHARS)),
      );
      setTimeout(() => resolve(`no response within ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS).unref();
    });
    return ended.finally(() => socket.disconnect());
  };
  const refused = await connect(token);
  const url = `${target}${written.path ?? '/socket.io'}`;
  if (refused !== null) {
    const data = { url, credential: 'token', response: `socket.io: ${refused}` };
    throw new LoadflameError('TARGET_REFUSED', data, { hint: describeToken(token) });
  }
  const without = await connect(null);
  if (without !== null)
    return { text: `socket.io refuses a connection without the token (${without})`, isTold: true };
  const text =
    'socket.io accepts a connection without the token, too: only the response to an event says whether the server knows the user';
  const isSure = steps.every(step => !step.emit || step.acknowledge || step.response);
  return { text, isTold: isSure };
}
