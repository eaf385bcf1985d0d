/** Reads the figures that a service reports about itself: over HTTP, or from the output of a command. */
import { parseOrNull } from '../../base/files/parse-json.js';
import { readBeginning, sendGet } from '../../base/files/read-body.js';
import { isPlain } from '../../base/files/read-yaml.js';
import { pickVariables } from '../../base/process/bare-environment.js';
import { startChild } from '../../base/process/child.js';

/** A response that takes longer describes an earlier moment. */
const TIMEOUT_MS = 3000;
const MOST_BYTES = 64 * 1024;
const MOST_FIELDS = 64;
const EXCERPT_LENGTH = 80;

/**
 * What a request to an address needs: headers with a token, trust in its certificate; empty for addresses that
 * the login does not cover.
 * @typedef {(place: URL) => Promise<{headers?: Record<string, string>, rejectUnauthorized?: false}>} Access
 */

/** No login. @type {Access} */
export const NO_ACCESS = async () => ({});

/**
 * @typedef {object} RecordedProbe
 * @property {string} name
 * @property {string | null} url read with GET, without cookies; only `access` can add a token
 * @property {Access} [access]
 * @property {string[] | null} command program and arguments, instead of a URL
 * @property {{cwd: string, env: Record<string, string>}} [surroundings] of the command; `env` is its whole environment
 * @property {number} intervalMs
 */

/**
 * @param {Pick<RecordedProbe, 'url' | 'command' | 'access' | 'surroundings'>} probe
 * @param {{signal: AbortSignal, pids?: Set<number>}} options `pids`: contains the command's pid while it runs
 * @returns {Promise<Record<string, number>>} the numeric fields of the JSON object
 * @throws {Error} its message is the reason
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

/**
 * Redirects are not followed: the load goes where the user said.
 * @param {URL} url
 * @param {AbortSignal} signal
 * @param {Access} access
 */
async function get(url, signal, access) {
  const response = await sendGet(url, { ...(await access(url)), signal }).catch(error => {
    throw new Error(`GET failed: ${error.code ?? error.message}`, { cause: error });
  });
  const { text, isWhole } = await readBeginning(response, MOST_BYTES);
  if (!isWhole) throw new Error('the response is longer than 64 KB');
  if (response.statusCode !== 200)
    throw new Error(`it responded with status ${response.statusCode}`);
  return text;
}

/**
 * @param {string[]} command @param {RecordedProbe['surroundings']} surroundings
 * @param {AbortSignal} signal @param {Set<number>} [pids]
 */
async function run([program = '', ...args], surroundings, signal, pids) {
  const child = startChild(program, args, {
    ...(surroundings ?? { env: pickVariables() }),
    extendEnv: false,
    stderr: 'ignore',
    // A signal ends a shell immediately, but not the programs in its pipeline.
    groupGraceMs: 200,
  });
  pids?.add(child.pid);
  const stop = () => void child.stop();
  signal.addEventListener('abort', stop, { once: true });
  const { text, isWhole } = await readBeginning(child.process.stdout, MOST_BYTES);
  if (!isWhole) stop();
  const { exitCode, error } = await child.ended;
  signal.removeEventListener('abort', stop);
  pids?.delete(child.pid);
  if (!isWhole) throw new Error('it printed more than 64 KB');
  if (error) throw new Error(`it could not be started (${program})`, { cause: error });
  if (exitCode !== 0) throw new Error(`it ended with ${exitCode ?? 'a signal'}`);
  return text.replace(/\r?\n$/, '');
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
