/** The parts of a token endpoint's response that are kept. */

import { parseOrNull } from '../../base/files/parse-json.js';

/** Used if neither the response nor the token contains a lifetime: Keycloak's default for access tokens. */
const DEFAULT_LIFETIME_SEC = 300;

/** `iat` and `exp` are rounded down to seconds: a token of 3 s can expire after 2 s. */
const ROUNDING_SEC = 1;

/**
 * @typedef {object} Token
 * @property {string} accessToken
 * @property {string | null} refreshToken
 * @property {string | null} idToken
 * @property {number} lifetimeSec from now on, if known
 * @property {number} obtainedAtMs epoch ms
 * @property {number} expiresAtMs earliest expiry, epoch ms, by our clock
 */

/**
 * @param {{access_token: string, refresh_token?: string, id_token?: string, expires_in?: number}} answer
 * @param {number} nowMs epoch ms, before the request was sent, because the lifetime counts from the issue
 * @returns {Token}
 */
export function readToken(answer, nowMs) {
  const lifetimeSec = readLifetime(answer, nowMs);
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? null,
    idToken: answer.id_token ?? null,
    lifetimeSec,
    obtainedAtMs: nowMs,
    expiresAtMs: nowMs + Math.max(lifetimeSec - ROUNDING_SEC, lifetimeSec / 2) * 1000,
  };
}

/** @param {{access_token: string, expires_in?: number}} answer @param {number} nowMs @returns {number} seconds */
function readLifetime(answer, nowMs) {
  if (answer.expires_in !== undefined && answer.expires_in > 0) return answer.expires_in;
  const { exp, iat } = readClaims(answer.access_token);
  if (typeof exp === 'number') {
    // Relative to the provider's own clock if available, because ours may differ.
    const lifetimeSec = exp - (typeof iat === 'number' ? iat : nowMs / 1000);
    if (lifetimeSec > 0) return lifetimeSec;
  }
  return DEFAULT_LIFETIME_SEC;
}

/**
 * Claims of a JWT, without verification, which is up to the API. Opaque tokens have none.
 * @param {string} token
 * @returns {Record<string, unknown>}
 */
export function readClaims(token) {
  const [, payload, ...rest] = token.split('.');
  if (payload === undefined || rest.length !== 1) return {};
  const claims = parseOrNull(Buffer.from(payload, 'base64url').toString('utf8'));
  return claims !== null && typeof claims === 'object' ? claims : {};
}
