/** Do the office and the service of the settings exist on the target? */
import { LoadflameError } from '../errors.js';
import { getJson } from './get-json.js';

/** Ids that an error lists at most. */
const SHOWN_IDS = 20;

/**
 * @param {{target: string, token: string | null, officeId: string, serviceId: string}} wanted
 * @returns {Promise<{checked: boolean, text: string}>} not checked where the target has no such routes
 * @throws {LoadflameError} TARGET_UNREACHABLE, TARGET_REFUSED, OFFICE_UNKNOWN, SERVICE_UNKNOWN
 */
export async function checkIds({ target, token, officeId, serviceId }) {
  const offices = readIds(
    await getJson(`${target}/api/v1/offices/`, token),
    'offices',
    'office_id',
  );
  if (!offices)
    return { checked: false, text: 'the target has no list of offices to compare with' };
  if (!offices.includes(officeId)) {
    throw new LoadflameError('OFFICE_UNKNOWN', { id: officeId, known: listOf(offices) });
  }
  const url = `${target}/api/v1/services/?office_id=${encodeURIComponent(officeId)}`;
  const services = readIds(await getJson(url, token), 'services', 'service_id');
  if (services && !services.includes(serviceId)) {
    throw new LoadflameError('SERVICE_UNKNOWN', {
      id: serviceId,
      office: officeId,
      known: listOf(services),
    });
  }
  return { checked: true, text: `office ${officeId} and service ${serviceId} exist on the target` };
}

/**
 * @param {any} body `{offices: [{office_id: 1}]}`, or the list alone
 * @param {string} listName
 * @param {string} idName
 * @returns {string[] | null}
 */
function readIds(body, listName, idName) {
  const list = Array.isArray(body) ? body : body?.[listName];
  if (!Array.isArray(list)) return null;
  const ids = list.map(item => item?.[idName] ?? item?.id);
  return ids.every(id => id !== undefined) ? ids.map(String) : null;
}

/** @param {string[]} ids */
function listOf(ids) {
  const shown = ids.slice(0, SHOWN_IDS).join(', ');
  return ids.length > SHOWN_IDS ? `${shown} and ${ids.length - SHOWN_IDS} more` : shown || 'none';
}
