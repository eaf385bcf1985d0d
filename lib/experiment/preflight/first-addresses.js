/**
 * Sends the first request of each scenario once before any load. A script for another API, or a token that the API
 * refuses, is then reported before the run instead of after it.
 */
import { LoadflameError } from '../../base/errors.js';
import { isPlain } from '../../base/files/read-yaml.js';
import { createRedactor } from '../../base/files/redaction.js';
import { isSecretField } from '../../base/files/secret-fields.js';
import { findVariable, replaceTemplates } from '../../base/files/templates.js';
import { describeToken, get, quoteAnswer, refuseToken } from './preflight.js';

/** @import { StepSpec } from '../../load/script.d.ts' */
/** @import { Config } from '../../base/config/read-config.js' */
/** @import { PreparedScript } from '../../load/prepare-script.js' */

const WRITES = ['post', 'put', 'patch', 'delete'];
const REFUSED = [401, 403];

/**
 * @typedef {object} FirstAddress
 * @property {string} url
 * @property {Record<string, string>} headers as in the script
 * @property {boolean} takesToken
 * @property {boolean} isCertain a user sends the same request: no write comes before it, no hook
 *   changes the request, no condition skips it
 * @property {number[]} expected statuses in its `expect`
 */

/**
 * The first GET of each scenario whose address is known before a user runs it, on the target only.
 * @param {PreparedScript} prepared
 * @param {Config} config with the variables of the script
 * @returns {FirstAddress[]} without duplicates
 */
function listFirstAddresses({ script, target }, config) {
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
    for (const [name, value] of Object.entries(request.qs ?? {})) {
      url.searchParams.delete(name);
      for (const one of [value].flat()) url.searchParams.append(name, fill(one) ?? '');
    }
    const headers = { ...own.defaults?.headers, ...own.http?.defaults?.headers };
    const sent = Object.entries({ ...headers, ...request.headers });
    const filled = sent.map(([name, value]) => [name, fill(value)]);
    const known = filled.filter(([, text]) => text !== null);
    const isAfterWrite = [...before, ...requests.slice(0, at)].some(step =>
      WRITES.some(verb => verb in step),
    );
    const isHooked = Boolean(scenario.beforeRequest ?? request.beforeRequest ?? request.ifTrue);
    return {
      url: url.href,
      headers: Object.fromEntries(known),
      takesToken: (scenario.loadflame ?? own.loadflame)?.auth !== false,
      isCertain: !isAfterWrite && !isHooked && known.length === filled.length,
      expected: [request.expect ?? []].flat().flatMap(({ statusCode = [] }) => statusCode),
    };
  });
  return [...new Map(found.map(one => [one.url, one])).values()];
}

/** Steps that send requests, in order. @param {any[]} steps @returns {StepSpec[]} */
function listRequests(steps) {
  return steps.flatMap(step => {
    const below = step?.loop ?? step?.parallel;
    if (Array.isArray(below)) return listRequests(below);
    return ['think', 'log', 'function'].some(key => key in (step ?? {})) ? [] : [step ?? {}];
  });
}

/** @param {any} variables of the script @param {Config} config */
function createFill(variables, config) {
  /** @param {unknown} value @returns {string | null} null if it is known only while a user runs */
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
 * @returns {Promise<{responses: string[], warnings: string[]}>}
 * @throws {LoadflameError} TARGET_REFUSED, SCRIPT_FOREIGN, TARGET_UNREACHABLE
 */
export async function askFirstAddresses(prepared, { config, token }) {
  const addresses = listFirstAddresses(prepared, config);
  const { redactText } = createRedactor([...config.secrets, token]);
  const responses = [];
  const warnings = [];
  const missing = [];
  for (const { url, headers, takesToken, isCertain, expected } of addresses) {
    const own = takesToken ? token : null;
    const shown = redactText(url);
    const { trustsAnyone } = prepared;
    const answer = await get(url, { token: own, shown, own: headers, trustsAnyone }).catch(
      async error => {
        // Some loads target a slow address on purpose; without a target there is none to check.
        await get(prepared.target, { trustsAnyone });
        warnings.push(error.message);
      },
    );
    if (!answer) continue;
    const { status } = answer;
    if (status < 400 || expected.includes(status)) {
      responses.push(`${shown}: status ${status}`);
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
  return { responses, warnings };
}
