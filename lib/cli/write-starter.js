/** `loadflame init --url`: a script to start from, with the addresses that an API lists. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nameOther } from '../base/files/detect-format.js';
import { slugOf } from '../base/files/plain-text.js';
import { get } from '../experiment/preflight/preflight.js';
import { parseOpenApi } from '../load/traffic/read-openapi.js';

/** @import { LeftOut } from '../load/traffic/read-openapi.js' */

/** A longer list is for choosing, not a scenario. */
const MAX_REQUESTS = 30;
/** In the order of their use: FastAPI, connexion, flask-restx. */
const NAMES = ['openapi.json', 'openapi.yaml', 'swagger.json'];
/** Pages that show a description, beside it. */
const PAGE = /\/(?:docs|redoc|swagger|swagger-ui|ui)?\/?$/i;

/**
 * @typedef {object} Starter
 * @property {string} file
 * @property {boolean} isWritten
 * @property {string | null} only its only address, if the API has no usable description
 * @property {string} why it has none
 * @property {LeftOut[]} leftOut
 * @property {string | null} host another one that the description names
 */

/**
 * @param {string} text address of the API, of its description, or of one of its pages
 * @param {string} starter the script with the configuration to copy
 * @param {(text: string) => string} [name] names the command as it was run
 * @returns {Promise<Starter>} an existing file is kept
 * @throws {import('../base/errors.js').LoadflameError} TARGET_UNREACHABLE, TARGET_ANSWER_TOO_LONG
 */
export async function writeStarter(text, starter, name = own => own) {
  const url = new URL(text);
  const { origin, pathname } = url;
  const isNamed = /\.(?:json|ya?ml)$/i.test(pathname);
  const { why, ...api } = await readDescription(
    isNamed ? [url.href] : NAMES.map(file => `${origin}${pathname.replace(PAGE, '')}/${file}`),
  );
  const file = path.join('scenarios', `${slugOf(api.title || url.host) || 'api'}.yaml`);
  const { leftOut, host } = api;
  const only = why ? (isNamed ? '/' : pathname + url.search) : null;
  if (existsSync(file)) return { file, isWritten: false, only: null, why, leftOut: [], host: null };
  const steps = [
    ...(only === null ? [] : [`- get: { url: ${JSON.stringify(only)} }`]),
    ...api.steps,
  ];
  const [head = ''] = readFileSync(starter, 'utf8').split(/^scenarios:$/m);
  const config = name(head)
    .replace('scenarios/my-api.yaml', file)
    .replace('"{{ $env.TARGET }}"', JSON.stringify(origin));
  const flow = [...steps, '- think: 1'].map(step => `      ${step}\n`).join('');
  mkdirSync('scenarios', { recursive: true });
  writeFileSync(file, `${config}scenarios:\n  - name: Read\n    flow:\n${flow}`);
  return { file, isWritten: true, only, why, leftOut, host };
}

/**
 * Requests that need no knowledge of the data, as steps; the rest as comments.
 * @param {string[]} urls where a description may be
 * @returns {Promise<{title: string, steps: string[], leftOut: LeftOut[], host: string | null, why: string}>} `why` it is of no use; '' otherwise
 */
async function readDescription(urls) {
  const whys = [];
  for (const url of urls) {
    const { status, text } = await get(url, { isJson: true });
    const name = url.split('/').at(-1) ?? '';
    try {
      if (status !== 200) throw new Error(`has status ${status}`);
      const { reads, ...api } = parseOpenApi(text, url);
      return { ...api, ...buildSteps(reads, name, api.leftOut) };
    } catch (error) {
      const other = status === 200 && nameOther(text, 'an OpenAPI description');
      whys.push(`${name} ${other || /** @type {Error} */ (error).message}`);
    }
  }
  return { title: '', steps: [], leftOut: [], host: null, why: whys.join(', ') };
}

/**
 * @param {import('../load/traffic/read-openapi.js').Read[]} reads
 * @param {string} name
 * @param {LeftOut[]} writes
 */
function buildSteps(reads, name, writes) {
  const requests = reads.slice(0, MAX_REQUESTS);
  const steps = requests.map(({ address, isComplete }) => {
    const step = `- get: { url: ${JSON.stringify(address)} }`;
    return isComplete ? step : `# ${step}   # replace what is in { }`;
  });
  const others = reads
    .map(({ address, isComplete, lost }, index) => ({
      operation: `GET ${address}`,
      isSent: isComplete && index < MAX_REQUESTS,
      reason: isComplete ? `more than ${MAX_REQUESTS}` : (lost ?? 'a parameter without an example'),
    }))
    .filter(({ isSent }) => !isSent);
  const isUsable = requests.some(({ isComplete }) => isComplete);
  const why = isUsable ? '' : `${name} has no GET request that needs no data of yours`;
  return { steps, leftOut: [...writes, ...others], why };
}
