/** Runs checks one after the other; what one learns, the next may use. */
import { LoadflameError } from '../errors.js';

/**
 * @typedef {object} CheckResult
 * @property {'ok' | 'warn' | 'bad' | 'skip'} level
 * @property {string} text what was found, with its value
 * @property {string} [hint] what to do about it
 */

/**
 * @typedef {object} Check
 * @property {string} id
 * @property {string} title
 * @property {(context: CheckContext) => CheckResult | Promise<CheckResult>} check may throw a
 *   LoadflameError, which becomes a bad result with the error's hint
 */

/**
 * @typedef {object} CheckContext
 * @property {import('../config/read-config.js').Config} config
 * @property {string | null} token an access token, once one was obtained
 * @property {number | null} masterPid the gunicorn master, once it was found
 */

/**
 * @param {readonly Check[]} checks
 * @param {import('../config/read-config.js').Config} config
 * @param {(check: Check) => void} [onStart]
 * @returns {Promise<(CheckResult & {id: string, title: string})[]>}
 */
export async function runChecks(checks, config, onStart) {
  /** @type {CheckContext} */
  const context = { config, token: null, masterPid: null };
  const results = [];
  for (const check of checks) {
    onStart?.(check);
    const { id, title } = check;
    try {
      results.push({ id, title, ...(await check.check(context)) });
    } catch (error) {
      if (!(error instanceof LoadflameError)) throw error;
      results.push({
        id,
        title,
        level: /** @type {const} */ ('bad'),
        text: error.message,
        hint: error.hint,
      });
    }
  }
  return results;
}
