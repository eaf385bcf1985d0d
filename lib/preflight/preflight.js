/** What is checked before any load is sent: an error now is cheaper than a run of errors. */
import { checkIds } from './check-ids.js';
import { get } from './get-json.js';

/** Only scripts that speak of offices and services are checked for them. */
const NAMES_IDS = /OFFICE_ID|SERVICE_ID/;

/** @typedef {import('../record/load/prepare-script.js').PreparedScript} PreparedScript */
/** @typedef {import('../config/read-config.js').Config} Config */

/**
 * Before the login. A script with a target of its own is not checked: what it sends there is its affair.
 * @param {Config} config
 * @param {PreparedScript} prepared
 * @returns {Promise<string | null>} a warning
 * @throws {import('../errors.js').LoadflameError} SETTING_MISSING, TARGET_UNREACHABLE
 */
export async function checkTarget(config, prepared) {
  if (NAMES_IDS.test(prepared.text)) config.require('TARGET');
  if (!config.isSet('TARGET')) return null;
  const { status } = await get(config.get('TARGET'));
  return status < 500 ? null : `warning: the target answers with status ${status}`;
}

/**
 * With the token of the run itself: a second login of the same user a moment later is refused by some
 * providers.
 * @param {Config} config
 * @param {PreparedScript} prepared
 * @param {string | null} token
 * @throws {import('../errors.js').LoadflameError} TARGET_…, OFFICE_UNKNOWN, SERVICE_UNKNOWN
 */
export async function checkScriptIds(config, prepared, token) {
  if (!NAMES_IDS.test(prepared.text)) return;
  await checkIds({
    target: config.get('TARGET'),
    token,
    officeId: config.get('OFFICE_ID'),
    serviceId: config.get('SERVICE_ID'),
  });
}
