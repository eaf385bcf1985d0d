/** What something tells of itself in numbers, once: over HTTP, or by what a command prints. */

import { parseOrNull } from '../../files/parse-json.js';
import { readBeginning } from '../../files/read-body.js';
import { isPlain } from '../../files/read-yaml.js';
import { pickBareEnvironment } from '../../process/bare-environment.js';
import { startChild } from '../../process/child.js';

/** An answer that takes longer tells of another time. */
const TIMEOUT_MS = 3000;
const MOST_BYTES = 64 * 1024;
const MOST_FIELDS = 64;
const EXCERPT_LENGTH = 80;

/**
 * What a request to a place takes: headers with a token, trust in its certificate; nothing where it is not
 * that of the login.
 * @typedef {(place: URL) => Promise<{headers?: Record<string, string>, dispatcher?: import('undici').Dispatcher}>} Access
 */

/** Without a login. @type {Access} */
export const NO_ACCESS = async () => ({});

/**
 * @typedef {object} RecordedProbe
 * @property {string} name
 * @property {string | null} url GET; it is sent no cookie, and a token by `access` alone
 * @property {Access} [access]
 * @property {string[] | null} command program and arguments, in the place of a URL
 * @property {{cwd: string, env: Record<string, string>}} [surroundings] of the command; all of its environment
 * @property {number} intervalMs
 */

/**
 * @param {Pick<RecordedProbe, 'url' | 'command' | 'access' | 'surroundings'>} probe
 * @param {{signal: AbortSignal, pids?: Set<number>}} options `pids`: holds the command's while it runs
 * @returns {Promise<Record<string, number>>} fields of the JSON object that are numbers
 * @throws {Error} why there is none, in words
 */
export async function readProbe(probe, { signal, pids }) {
  const { url, command, access = NO_ACCESS, surroundings } = probe;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const text =
      url === null
        ? await run(command ?? [], surroundings, limit, pids)
        : await get(new URL(url), limit, access);
    return pickNumbers(text);
  } catch (error) {
    if (limit.aborted && !signal.aborted) {
      throw new Error(`no response in ${TIMEOUT_MS / 1000} s`, { cause: error });
    }
    throw error;
  }
}

/** Redirects are not followed: the load goes where the user said. @param {URL} url @param {AbortSignal} signal @param {Access} access */
async function get(url, signal, access) {
  const { request } = await import('undici');
  // A connection of its own: one that is kept would take a thread of a server with a thread each.
  const { statusCode, body } = await request(url, {
    ...(await access(url)),
    signal,
    reset: true,
  }).catch(error => {
    throw new Error(`GET failed: ${error.code ?? error.message}`, { cause: error });
  });
  const { text, isWhole } = await readBeginning(body, MOST_BYTES);
  if (!isWhole) throw new Error('the response is longer than 64 KB');
  if (statusCode !== 200) throw new Error(`it responded with status ${statusCode}`);
  return text;
}

/**
 * @param {string[]} command @param {RecordedProbe['surroundings']} surroundings
 * @param {AbortSignal} signal @param {Set<number>} [pids]
 */
async function run([program = '', ...args], surroundings, signal, pids) {
  const child = startChild(program, args, {
    ...(surroundings ?? { env: pickBareEnvironment() }),
    extendEnv: false,
    stderr: 'ignore',
    // A shell ends at once by a signal, the programs of its pipeline do not.
    groupGraceMs: 200,
  });
  pids?.add(child.pid);
  const stop = () => void child.stop();
  signal.addEventListener('abort', stop, { once: true });
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  child.process.stdout?.on('data', chunk => {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) chunks.push(chunk);
    else stop();
  });
  const { exitCode, error } = await child.ended;
  signal.removeEventListener('abort', stop);
  pids?.delete(child.pid);
  if (bytes > MOST_BYTES) throw new Error('it printed more than 64 KB');
  if (error) throw new Error(`it could not be started (${program})`, { cause: error });
  if (exitCode !== 0) throw new Error(`it ended with ${exitCode ?? 'a signal'}`);
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
}

/** @param {string} text */
function pickNumbers(text) {
  const excerpt = JSON.stringify(text.slice(0, EXCERPT_LENGTH));
  const value = parseOrNull(text);
  const numbers = Object.entries(isPlain(value) ? value : {}).filter(([, field]) =>
    Number.isFinite(field),
  );
  if (numbers.length === 0) throw new Error(`${excerpt} is no JSON object with a number in it`);
  return Object.fromEntries(numbers.slice(0, MOST_FIELDS));
}
