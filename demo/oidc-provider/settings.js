/** Settings of the provider, all from the environment, so that no secret shows in a process list. */

/**
 * @typedef {object} Settings
 * @property {string} host address to listen on
 * @property {number | null} port 0 takes a free one; null: the parent sends a socket that listens
 * @property {number} tokenTtlSec life of access tokens, in seconds
 * @property {boolean} rotateRefreshTokens a refresh token works once only
 * @property {string} clientSecret of the client `queue-management`
 * @property {string} apiSecret of the client `queue-management-api`, which may introspect
 * @property {Map<string, string>} users user name → password
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Settings}
 * @throws {Error} naming the variable that is missing or malformed
 */
export function readSettings(env) {
  return {
    host: env.DEMO_OIDC_HOST || '127.0.0.1',
    port: env.DEMO_OIDC_PORT === 'sent' ? null : readNumber(env, 'DEMO_OIDC_PORT', 0, 0, 65_535),
    tokenTtlSec: readNumber(env, 'DEMO_TOKEN_TTL_S', 300, 1, 86_400),
    rotateRefreshTokens: env.DEMO_ROTATE_REFRESH === '1',
    clientSecret: readSecret(env, 'DEMO_CLIENT_SECRET'),
    apiSecret: readSecret(env, 'DEMO_API_SECRET'),
    users: readUsers(env),
  };
}

/**
 * @param {NodeJS.ProcessEnv} env @param {string} name
 * @param {number} byDefault @param {number} min @param {number} max
 */
function readNumber(env, name, byDefault, min, max) {
  const text = env[name];
  if (!text) return byDefault;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(`${name}=${text} is no whole number from ${min} to ${max}`);
  }
  return value;
}

/** @param {NodeJS.ProcessEnv} env @param {string} name */
function readSecret(env, name) {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

/** @param {NodeJS.ProcessEnv} env @returns {Map<string, string>} */
function readUsers(env) {
  const text = readSecret(env, 'DEMO_USERS');
  try {
    return new Map(Object.entries(JSON.parse(text)));
  } catch {
    throw new Error('DEMO_USERS is no JSON object of the form {"user name": "password", …}');
  }
}
