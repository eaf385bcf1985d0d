/** What is kept of a token endpoint's response. */

import { parseOrNull } from '../files/parse-json.js';

/** Where neither the response nor the token has its life: Keycloak's default for access tokens. */
const DEFAULT_LIFETIME_SEC = 300;

/** `iat` and `exp` are whole seconds, rounded down: a token of 3 s can be over after 2. */
const ROUNDING_SEC = 1;

/**
 * @typedef {object} Token
 * @property {string} accessToken
 * @property {string | null} refreshToken
 * @property {string | null} idToken
 * @property {number} lifetimeSec from now on, as far as known
 * @property {number} obtainedAtMs epoch ms
 * @property {number} expiresAtMs epoch ms, by our clock, at the earliest
 */

/**
 * @param {{access_token: string, refresh_token?: string, id_token?: string, expires_in?: number}} answer
 * @param {number} nowMs epoch ms, taken before the request was sent: a life counts from its issue
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
    // Against the provider's own clock, if it has it: ours may differ.
    const lifetimeSec = exp - (typeof iat === 'number' ? iat : nowMs / 1000);
    if (lifetimeSec > 0) return lifetimeSec;
  }
  return DEFAULT_LIFETIME_SEC;
}

/**
 * Claims of a JWT, unchecked: judging the token is the API's business. Opaque tokens have none.
 * @param {string} token
 * @returns {Record<string, unknown>}
 */
export function readClaims(token) {
  const [, payload, ...rest] = token.split('.');
  if (payload === undefined || rest.length !== 1) return {};
  const claims = parseOrNull(Buffer.from(payload, 'base64url').toString('utf8'));
  return claims !== null && typeof claims === 'object' ? claims : {};
}
