/** `loadflame init --url`: a script to start from, with the addresses that an API lists. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from '../files/parse-json.js';
import { slugOf } from '../files/plain-text.js';
import { isPlain } from '../files/read-yaml.js';
import { get } from '../preflight/preflight.js';

/** @typedef {{operation: string, reason: string}} LeftOut */

const WRITES = ['post', 'put', 'patch', 'delete'];
/** A longer list is for choosing, not a scenario. */
const MAX_REQUESTS = 30;

/**
 * @param {string} text address of the API, or of one of its pages
 * @param {string} starter the script with the configuration to copy
 * @param {(text: string) => string} [name] names the command as it was run
 * @returns {Promise<{file: string, isWritten: boolean, only: string | null, leftOut: LeftOut[]}>} an
 *   existing file is kept; `only`: its only address, if the API has no usable description
 * @throws {import('../errors.js').LoadflameError} TARGET_UNREACHABLE, TARGET_ANSWER_TOO_LONG
 */
export async function writeStarter(text, starter, name = own => own) {
  const url = new URL(text);
  const { origin, pathname } = url;
  const api = await readOpenApi(`${origin}${pathname.replace(/\/$/, '')}/openapi.json`);
  const file = path.join('scenarios', `${slugOf(api?.title || url.host) || 'api'}.yaml`);
  if (existsSync(file)) return { file, isWritten: false, only: null, leftOut: [] };
  const only = api ? null : pathname + url.search;
  const steps = api?.steps ?? [`- get: { url: ${JSON.stringify(only)} }`];
  const [head = ''] = readFileSync(starter, 'utf8').split(/^scenarios:$/m);
  const config = name(head)
    .replace('scenarios/my-api.yaml', file)
    .replace('"{{ $env.TARGET }}"', JSON.stringify(origin));
  const flow = [...steps, '- think: 1'].map(step => `      ${step}\n`).join('');
  mkdirSync('scenarios', { recursive: true });
  writeFileSync(file, `${config}scenarios:\n  - name: Read\n    flow:\n${flow}`);
  return { file, isWritten: true, only, leftOut: api?.leftOut ?? [] };
}

/**
 * Requests that need no knowledge of the data, as steps; the rest as comments.
 * @param {string} url of the description
 * @returns {Promise<{title: string, steps: string[], leftOut: LeftOut[]} | null>} null if the API has no usable description
 */
async function readOpenApi(url) {
  const { status, text } = await get(url, { isJson: true });
  let api;
  try {
    api = status === 200 ? parseJson(text) : null;
  } catch {
    // An HTML page: many APIs send one for every path.
  }
  if (!isPlain(api?.paths)) return null;
  const [server] = Array.isArray(api.servers) ? api.servers : [];
  const place = readText(server?.url, '/').replace(/\{(\w+)\}/g, (all, name) =>
    readText(server.variables?.[name]?.default, all),
  );
  const { pathname } = new URL(URL.canParse(place, url) ? place : '/', url);
  const base = pathname.replace(/%7B(\w+)%7D/g, '{$1}').replace(/\/$/, '');
  // The engine would replace a template in an address with a setting.
  const routes = Object.entries(api.paths).filter(
    ([route, item]) => isPlain(item) && route.startsWith('/') && !route.includes('{{'),
  );
  const reads = routes.flatMap(([route, { get: read, parameters }]) => {
    const given = [parameters, read?.parameters].flat().filter(isPlain);
    return isPlain(read) ? [fillParameters(base + route, given)] : [];
  });
  const requests = reads.slice(0, MAX_REQUESTS);
  if (!requests.some(({ isComplete }) => isComplete)) return null;
  const steps = requests.map(({ address, isComplete }) => {
    const step = `- get: { url: ${JSON.stringify(address)} }`;
    return isComplete ? step : `# ${step}   # replace what is in { }`;
  });
  const writes = routes.flatMap(([route, item]) =>
    WRITES.filter(verb => isPlain(item[verb])).map(verb => ({
      operation: `${verb.toUpperCase()} ${route}`,
      reason:
        verb === 'delete' ? 'it deletes data' : 'it changes data, and its body is yours to write',
    })),
  );
  const others = reads
    .map(({ address, isComplete }, index) => ({
      operation: `GET ${address}`,
      isSent: isComplete && index < MAX_REQUESTS,
      reason: isComplete ? `more than ${MAX_REQUESTS}` : 'a parameter without an example',
    }))
    .filter(({ isSent }) => !isSent);
  return { title: readText(api.info?.title, ''), steps, leftOut: [...writes, ...others] };
}

/**
 * A description may have an object or a list in any place, which cannot be part of an address.
 * @template T
 * @param {unknown} value @param {T} fallback @returns {string | T}
 */
function readText(value, fallback) {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : fallback;
}

/** JSON may hold halves of characters, which encodeURIComponent() refuses. @param {string} text */
function encode(text) {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** @param {string} route @param {any[]} parameters of the operation, by OpenAPI 3 */
function fillParameters(route, parameters) {
  let address = route;
  let isComplete = true;
  const query = [];
  for (const { in: place, required, example, schema, ...parameter } of parameters) {
    const name = readText(parameter.name, '');
    const found = readText(
      example ?? schema?.example ?? schema?.default ?? schema?.enum?.[0],
      undefined,
    );
    const value = found === undefined ? `{${name}}` : encode(found);
    if (place === 'path') address = address.replace(`{${name}}`, () => value);
    else if (place === 'query' && required) query.push(`${encode(name)}=${value}`);
    else if (required) isComplete = false;
  }
  if (query.length > 0) address += `?${query.join('&')}`;
  return { address, isComplete: isComplete && !/[{}]/.test(address) };
}
