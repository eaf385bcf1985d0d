/** Bodies that take less arrive together with their headers, and their rate would be that of one system call. */
const LEAST_BODY_MS = 5;

/**
 * Transfer rate of bodies that arrive in several parts.
 * @param {Record<string, number> | undefined} means per response, by id of a measure
 * @returns {number | null} bytes/s; null if bodies arrive at once
 */
export function bodyRateOf({ responseBytes = 0, bodyMs = 0 } = {}) {
  return bodyMs >= LEAST_BODY_MS ? (1000 * responseBytes) / bodyMs : null;
}
