/** The text in which a list is found: the target's answer to one GET, or a file of the study. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { request } from 'undici';
import { LoadflameError } from '../../errors.js';
import { throwIfInterrupted } from '../../interruptible.js';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 10_000_000;
const MAX_REDIRECTS = 5;

/**
 * @param {{name: string, from: string}} list
 * @param {{url: string, studyDir: string, signal: AbortSignal}} options `url` of the target
 * @returns {Promise<{text: string, isHtml: boolean}>}
 * @throws {LoadflameError} STUDY_LIST_UNREADABLE, INTERRUPTED
 */
export async function readListSource({ name, from }, { url, studyDir, signal }) {
  throwIfInterrupted(signal);
  try {
    if (from.startsWith('file:')) return readBelow(from.slice('file:'.length), studyDir);
    return await get(from.startsWith('/') ? new URL(`${url}${from}`) : new URL(from), signal);
  } catch (cause) {
    throwIfInterrupted(signal);
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const reason = code ? `${message || code}` : message;
    throw new LoadflameError('STUDY_LIST_UNREADABLE', { name, from, reason }, { cause });
  }
}

/** @param {string} file @param {string} studyDir */
function readBelow(file, studyDir) {
  const folder = realpathSync(studyDir);
  const real = realpathSync(path.resolve(folder, file));
  if (!real.startsWith(`${folder}${path.sep}`)) throw new Error("it is outside the study's folder");
  const stats = statSync(real);
  if (!stats.isFile()) throw new Error('it is no file');
  if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1e6} MB`);
  return { text: readFileSync(real, 'utf8'), isHtml: /\.html?$/i.test(real) };
}

/**
 * Redirects are followed to the same place only.
 * @param {URL} place @param {AbortSignal} signal @param {number} [redirects] so far
 * @returns {Promise<{text: string, isHtml: boolean}>}
 */
async function get(place, signal, redirects = 0) {
  const { statusCode, headers, body } = await request(place, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    // A kept-alive connection would hold a worker of a synchronous server.
    reset: true,
  });
  const { location } = headers;
  if (statusCode >= 300 && typeof location === 'string') {
    await body.dump();
    const next = new URL(location, place);
    if (next.origin !== place.origin) throw new Error(`it redirects to ${next.origin}`);
    if (redirects >= MAX_REDIRECTS) throw new Error('it redirects without end');
    return get(next, signal, redirects + 1);
  }
  if (statusCode !== 200) {
    await body.dump();
    throw new Error(`it is answered with status ${statusCode}`);
  }
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1e6} MB`);
    chunks.push(chunk);
  }
  const isHtml = /^text\/html\b/i.test(String(headers['content-type'] ?? ''));
  return { text: Buffer.concat(chunks).toString('utf8'), isHtml };
}
