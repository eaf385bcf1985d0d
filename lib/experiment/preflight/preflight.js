/** Checks before any load is sent: an early error costs less than a run full of errors. */

import { LoadflameError } from '../../base/errors.js';
import { parseJson } from '../../base/files/parse-json.js';
import { plainLine } from '../../base/files/plain-text.js';
import { awaitResponse, readBeginning } from '../../base/files/read-body.js';
import { readChallenge, readReason } from '../../base/files/read-reason.js';
import { createRedactor, REDACTED } from '../../base/files/redaction.js';
import { findVariable, listTemplates, replaceTemplates } from '../../base/files/templates.js';
import { tryOr } from '../../base/files/try-or.js';
import { nameFirst } from '../../base/name-first.js';
import { optionsOfProxy } from '../../base/process/proxies.js';
import { readClaims } from '../../load/auth/read-token.js';

/** @import { Config } from '../../base/config/read-config.js' */
/** @import { ScenarioBlock, ScenarioCheck } from './scenario-block.js' */

const TIMEOUT_MS = 5000;
/** Node's error codes for untrusted certificates; `ERR_SSL_…` means that a server requires ours. */
const UNTRUSTED = /^(?!ERR_SSL_).*CERT|^UNABLE_TO_VERIFY/;
/** Limits for a body that is displayed, and for one that is searched for a value. */
const SAMPLE = { bytes: 64 * 1024, ms: 1000 };
const MOST_JSON_BYTES = 8e6;
/** Maximum number of values that an error lists. */
const SHOWN_VALUES = 20;

/**
 * Runs before the login. A script with its own target is not checked: what it sends there is up to the script.
 * @param {Config} config
 * @param {ScenarioBlock} scenario
 * @param {{trustsAnyone?: boolean}} [prepared]
 * @returns {Promise<string | null>} a warning
 * @throws {LoadflameError} SETTING_MISSING, TARGET_UNREACHABLE, TARGET_UNTRUSTED
 */
export async function checkTarget(config, { variables }, { trustsAnyone } = {}) {
  for (const { name } of variables) config.require(name);
  if (!config.isSet('TARGET')) return null;
  const { status } = await get(config.get('TARGET'), { trustsAnyone });
  return status < 500 ? null : `warning: the target responds with status ${status}`;
}

/**
 * Checks a condition of a script against its target.
 * @param {ScenarioCheck} check
 * @param {object} context
 * @param {Config} context.config with the variables of the script
 * @param {string} context.target without a trailing slash
 * @param {boolean} [context.trustsAnyone] of the script
 * @param {string | null} context.token the run's own token, because some providers refuse a
 *   second login of the same user a moment later
 * @returns {Promise<{isChecked: boolean, text: string}>} not checked if it is optional and the
 *   target lacks the path
 * @throws {LoadflameError} TARGET_UNREACHABLE, TARGET_UNTRUSTED, TARGET_ANSWER_TOO_LONG, TARGET_REFUSED,
 *   CHECK_VALUE_MISSING, CHECK_FAILED, SCRIPT_INVALID
 */
export async function runScenarioCheck(check, { config, target, trustsAnyone, token }) {
  const { redactText: hide } = createRedactor(config.secrets);
  /** @param {unknown} value @param {(text: string) => string} [write] */
  const fill = (value, write) => fillSettings(String(value), config, check.at, write);
  const { expect, hint } = check;
  const url = `${target}${fill(check.get, encodeURIComponent)}`;
  const what = check.name === null ? `GET ${hide(fill(check.get))}` : hide(fill(check.name));
  const isJson = expect.json !== undefined;
  const answer = await get(url, { token, shown: hide(url), trustsAnyone, isJson });
  const { status, text } = answer;
  /** @param {string} problem */
  const fail = problem => {
    const names = namesOf(check);
    const shown = (/** @type {string} */ text) => (config.secrets.includes(text) ? REDACTED : text);
    const values = names.map(name => `${name} (${shown(config.text(name) || 'empty')})`).join(', ');
    const change = hint ?? `check the API${values && `, and ${values}`}`;
    const purpose = check.name === null ? '' : ` (a check of ${what})`;
    const data = { url: hide(url), problem: hide(problem), purpose, change: hide(change) };
    return new LoadflameError('CHECK_FAILED', data);
  };
  if (expect.status === undefined && (status === 401 || status === 403))
    throw refuseToken(hide(url), answer, token, hide);
  const isWrong = expect.status === undefined ? status >= 400 : status !== expect.status;
  if (isWrong) {
    const problem = `returned status ${status}; expected ${expect.status ?? 'a status below 400'}`;
    if (!check.optional) throw fail(problem);
    const missing = `the target has no ${hide(fill(check.get))}`;
    return { isChecked: false, text: `${what}: not checked, ${missing}` };
  }
  if (expect.json === undefined) return { isChecked: true, text: `${what}: status ${status}` };
  const found = await findValues(text, expect.json);
  if (found === null) {
    if (!check.optional) throw fail(`returned no JSON with ${expect.json}`);
    const missing = `the target returns no ${expect.json} to compare with`;
    return { isChecked: false, text: `${what}: not checked, ${missing}` };
  }
  const wanted = fill(expect.value);
  if (found.includes(wanted)) return { isChecked: true, text: `${what} exists on the target` };
  const names = namesOf(expect.value);
  const known = hide(nameFirst(found, SHOWN_VALUES) || 'none');
  if (names.length === 0) throw fail(`returned ${expect.json} = ${known}; expected ${wanted}`);
  const data = { what, known, names: names.join(' and ') };
  throw new LoadflameError('CHECK_VALUE_MISSING', data, { hint: hint ?? undefined });
}

/**
 * Of repeated headers, only the first.
 * @typedef {{status: number, text: string, headers: Record<string, string>}} Answer
 */

/**
 * One careful request: no redirects, a short timeout, and only the required part of the body.
 * @param {string} address
 * @param {object} [options]
 * @param {string | null} [options.token]
 * @param {string} [options.shown] the address for errors, without secrets
 * @param {Record<string, string>} [options.own] headers
 * @param {boolean} [options.trustsAnyone] does not verify TLS certificates, as in the run
 * @param {boolean} [options.isJson] reads the whole body; otherwise its beginning, for display
 * @returns {Promise<Answer>}
 * @throws {LoadflameError} TARGET_UNREACHABLE, TARGET_UNTRUSTED, TARGET_ANSWER_TOO_LONG
 */
export async function get(address, options = {}) {
  // A WebSocket's server responds to plain requests, too.
  const url = address.replace(/^ws(?=s?:)/, 'http');
  const { token = null, shown = url, own = {}, trustsAnyone, isJson = false } = options;
  const [mostBytes, mostMs] = isJson ? [MOST_JSON_BYTES] : [SAMPLE.bytes, SAMPLE.ms];
  const silent = new AbortController();
  const signal = AbortSignal.any([silent.signal, AbortSignal.timeout(2 * TIMEOUT_MS)]);
  try {
    // `import` would read every export of the module; for three of them Node would load its fetch.
    const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'https' : 'http');
    const headers = { ...own, ...(token && { authorization: `Bearer ${token}` }) };
    const options = { rejectUnauthorized: !trustsAnyone, ...optionsOfProxy(new URL(url)) };
    const sent = request(url, { ...options, headers, signal });
    sent.setTimeout(TIMEOUT_MS, () => silent.abort()).end();
    const answer = await awaitResponse(sent);
    const { text, isWhole } = await readBeginning(answer, mostBytes, mostMs);
    if (isJson && !isWhole)
      throw new LoadflameError('TARGET_ANSWER_TOO_LONG', { url: shown, most: mostBytes / 1e6 });
    const first = Object.entries(answer.headers).map(([name, all]) => [
      name,
      [all].flat()[0] ?? '',
    ]);
    return { status: answer.statusCode ?? 0, text, headers: Object.fromEntries(first) };
  } catch (cause) {
    if (cause instanceof LoadflameError) throw cause;
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const why = typeof code === 'string' ? code : message;
    const reason = signal.aborted ? 'no complete response in time' : why;
    const failed = UNTRUSTED.test(reason) ? 'TARGET_UNTRUSTED' : 'TARGET_UNREACHABLE';
    throw new LoadflameError(failed, { url: shown, reason }, { cause });
  }
}

/**
 * Resolves `{{ $env.NAME }}` as in the script itself: a setting, a variable of the script, or the environment.
 * @param {string} text
 * @param {Config} config
 * @param {string} at for errors
 * @param {(value: string) => string} [write] how to write a value into the text
 * @returns {string}
 * @throws {LoadflameError} SCRIPT_INVALID
 */
export function fillSettings(text, config, at, write = value => value) {
  return replaceTemplates(text, template => {
    const name = findVariable(template);
    const value = name && (config.text(name) ?? process.env[name]);
    if (typeof value === 'string') return write(value);
    throw new LoadflameError('SCRIPT_INVALID', {
      at,
      problem: `unknown name {{ ${template} }}`,
      change: 'write {{ $env.NAME }} with a name from `config.loadflame.variables`, or a setting',
    });
  });
}

/**
 * Names of the settings in the templates of a value, without duplicates.
 * @param {unknown} value @returns {string[]}
 */
export function namesOf(value) {
  const templates = listTemplates(JSON.stringify(value));
  return [...new Set(templates.map(template => findVariable(template) ?? template))];
}

/**
 * @param {string} body @param {string} path
 * @returns {Promise<string[] | null>} null if the path does not exist; a list may be empty
 */
async function findValues(body, path) {
  const { JSONPath } = await import('jsonpath-plus');
  return tryOr(null, () => {
    // In a list: a value that is no object has no path of its own.
    const json = [parseJson(body)];
    /** @param {string} place @returns {unknown[]} */
    const find = place => JSONPath({ path: place.replace('$', '$[0]'), json });
    const found = find(path).map(String);
    const [list = '', ...inside] = path.split('[*]');
    const isEmptyList = inside.length > 0 && find(list).some(at => [at].flat().length === 0);
    return found.length > 0 || isEmptyList ? found : null;
  });
}

/** The API's own error message. @param {Answer} answer */
export function quoteAnswer({ status, text, headers }) {
  const said = readReason(text) ?? '';
  const challenge = readChallenge(headers['www-authenticate'] ?? '') ?? '';
  // Avoids repeating what the body already says.
  const why = !said.includes(challenge.split(': ').at(-1) ?? '') && `WWW-Authenticate ${challenge}`;
  return [`status ${status}`, said, why].filter(Boolean).join(': ');
}

/**
 * Typical messages with which an API refuses a token, and the remedy; the one that occurs first in the
 * text wins.
 * @type {[RegExp, string][]}
 */
const REFUSALS = [
  [/expire/i, 'compare the clocks of the API and of the provider'],
  [/audience|\baud\b/i, 'set OIDC_AUDIENCE, or take a client whose tokens are for this API'],
  [
    /issuer|\biss\b/i,
    'OIDC_ISSUER has to be, to the letter, what the API expects (localhost is not 127.0.0.1)',
  ],
  [
    /role|scope|permission|forbidden/i,
    'give the user or client the role that the API wants, or set OIDC_SCOPE',
  ],
];

/** @param {Answer} answer @param {string} token */
function explainRefusal({ text, headers }, token) {
  const words = `${text} ${headers['www-authenticate'] ?? ''}`;
  const [known] = REFUSALS.map(([pattern, advice]) => ({ at: words.search(pattern), advice }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const advice =
    known?.advice ?? 'compare issuer, audience, roles and clocks with what the API expects';
  return `${advice}; ${describeToken(token)}`;
}

/** @param {string} token */
export function describeToken(token) {
  const { iss, aud, exp, scope, realm_access: realm } = /** @type {any} */ (readClaims(token));
  const facts = {
    issuer: iss,
    audience: [aud ?? []].flat().join(', '),
    scope,
    roles: [realm?.roles ?? []].flat().join(', '),
    expiry: typeof exp === 'number' ? new Date(exp * 1000).toISOString() : null,
  };
  const known = Object.entries(facts).filter(([, value]) => value);
  if (known.length === 0) return 'the token is opaque: only the provider knows what it says';
  return `the token says: ${known.map(([name, value]) => `${name} ${plainLine(String(value))}`).join('; ')}`;
}

/**
 * @param {string} url for display
 * @param {Answer} answer
 * @param {string | null} token the token sent
 * @param {(text: string) => string} redactText
 */
export function refuseToken(url, answer, token, redactText) {
  const data = { url, credential: 'token', response: redactText(quoteAnswer(answer)) };
  const hint = token ? explainRefusal(answer, token) : undefined;
  return new LoadflameError('TARGET_REFUSED', data, { hint });
}
