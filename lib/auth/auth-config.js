/** What it takes to obtain tokens, as one plain object. */
import { readUsers } from './read-users.js';

/** @typedef {'password' | 'client_credentials' | 'authorization_code'} Flow */
/** @typedef {{username: string, password: string}} User */

/**
 * @typedef {object} AuthConfig
 * @property {string} issuer base URL of the identity provider, exactly as it names itself
 * @property {Flow} flow
 * @property {string} clientId
 * @property {string | null} clientSecret null for a public client
 * @property {string | null} scope
 * @property {string | null} audience the API that the tokens are for, where the provider wants it named
 * @property {string | null} redirectUri registered for the client; authorization_code only
 * @property {User[]} users empty for client_credentials
 * @property {'shared' | 'per-user'} mode `shared` uses one token, that of the first user, for everybody
 */

/**
 * @param {import('../config/read-config.js').Config} config
 * @returns {AuthConfig | null} null when no identity provider is set
 * @throws {import('../errors.js').LoadflameError} SETTING_MISSING, OIDC_USERS_FILE
 */
export function readAuthConfig(config) {
  const issuer = config.get('OIDC_ISSUER');
  if (issuer === null) return null;
  /** @type {Flow} */
  const flow = config.get('OIDC_FLOW');
  const file = flow === 'client_credentials' ? null : config.get('OIDC_USERS');
  return {
    issuer,
    flow,
    clientId: config.require('OIDC_CLIENT_ID'),
    clientSecret:
      flow === 'client_credentials'
        ? config.require('OIDC_CLIENT_SECRET')
        : config.get('OIDC_CLIENT_SECRET'),
    scope: config.get('OIDC_SCOPE'),
    audience: config.get('OIDC_AUDIENCE'),
    redirectUri: config.get('OIDC_REDIRECT_URI'),
    users: flow === 'client_credentials' ? [] : file ? readUsers(file) : [readSingleUser(config)],
    mode: file ? 'per-user' : 'shared',
  };
}

/** @param {import('../config/read-config.js').Config} config @returns {User} */
function readSingleUser(config) {
  return {
    username: config.require('OIDC_USERNAME'),
    password: config.require('OIDC_PASSWORD'),
  };
}
