/** One careful request to the target: no redirects to elsewhere, a short time-out, errors with hints. */
import { request } from 'undici';
import { LoadflameError } from '../errors.js';

const TIMEOUT_MS = 5000;

/**
 * @param {string} url
 * @param {string | null} token
 * @returns {Promise<any>} the body; null where there is no such route or no JSON
 * @throws {LoadflameError} TARGET_UNREACHABLE, TARGET_REFUSED
 */
export async function getJson(url, token) {
  const { status, text } = await get(url, token);
  if (status === 401 || status === 403) throw new LoadflameError('TARGET_REFUSED', { url, status });
  if (status >= 400) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * @param {string} url
 * @param {string | null} [token]
 * @returns {Promise<{status: number, text: string, headers: Record<string, string>}>} of several headers
 *   of one name the first
 * @throws {LoadflameError} TARGET_UNREACHABLE
 */
export async function get(url, token = null) {
  try {
    const { statusCode, headers, body } = await request(url, {
      headers: token ? { authorization: `Bearer ${token}` } : {},
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      signal: AbortSignal.timeout(2 * TIMEOUT_MS),
    });
    const text = await body.text();
    const first = Object.entries(headers).map(([name, value]) => [name, [value].flat()[0] ?? '']);
    return { status: statusCode, text, headers: Object.fromEntries(first) };
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new LoadflameError('TARGET_UNREACHABLE', { url, reason: code ?? message }, { cause });
  }
}
