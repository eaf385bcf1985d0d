/** The flows to obtain a token, by name. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as oidc from 'openid-client';
import { LoadflameError } from '../../base/errors.js';
import { logInByForm } from './login/log-in-by-form.js';
import { readTokenError } from './read-oidc-error.js';
import { readToken } from './read-token.js';

/** @import { AuthConfig, Flow, User } from './auth-config.js' */
/** @import { Provider } from './discover-provider.js' */
/** @import { Token } from './read-token.js' */

/** When credentials last worked in this process, epoch ms. @type {Map<string, number>} */
const lastLogins = new Map();
const JUST_WORKED_MS = 60_000;
const SETTLE_MS = 2000;
const NO_USER = { username: '', password: '' };

/** @type {Record<Flow, (provider: Provider, authConfig: AuthConfig, user: User) => Promise<oidc.TokenEndpointResponse>>} */
const FLOWS = {
  password: ({ configuration }, authConfig, { username, password }) => {
    const asked = { ...describeRequest(authConfig), username, password };
    return oidc.genericGrantRequest(configuration, 'password', asked);
  },

  client_credentials: ({ configuration }, authConfig) =>
    oidc.clientCredentialsGrant(configuration, describeRequest(authConfig)),

  authorization_code: async (provider, authConfig, user) => {
    const { configuration } = provider;
    const { issuer, flow } = authConfig;
    if (!configuration.serverMetadata().authorization_endpoint) {
      const reason = 'its discovery document names no authorization endpoint';
      throw new LoadflameError('OIDC_FLOW_UNSUPPORTED', { issuer, flow, reason });
    }
    const redirectUri = authConfig.redirectUri ?? '';
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const expectedState = oidc.randomState();
    const start = oidc.buildAuthorizationUrl(configuration, {
      ...describeRequest(authConfig),
      redirect_uri: redirectUri,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    });
    const end = await logInByForm({ start, redirectUri, user, fetch: provider.fetch, authConfig });
    const checks = { pkceCodeVerifier, expectedState };
    return oidc.authorizationCodeGrant(configuration, end, checks, describeTarget(authConfig));
  },
};

/**
 * Logs in. A refused login is retried only if the same credentials just worked, so they cannot be wrong: Keycloak
 * with brute-force detection refuses a user whose previous login is not fully processed, which it completes after its
 * response (`DefaultBlockingBruteForceProtector`).
 * @param {Provider} provider
 * @param {AuthConfig} authConfig
 * @param {User} [user] not for client_credentials
 * @returns {Promise<Token>}
 * @throws {LoadflameError} OIDC_LOGIN_REFUSED, OIDC_CLIENT_REFUSED, OIDC_FLOW_UNSUPPORTED,
 *   OIDC_FORM_NOT_UNDERSTOOD, OIDC_TOKEN_FAILED
 */
export async function obtainToken(provider, authConfig, user) {
  const credentials = JSON.stringify([authConfig.issuer, user?.username, user?.password]);
  try {
    return await logIn();
  } catch (error) {
    const workedMs = Date.now() - (lastLogins.get(credentials) ?? Number.NEGATIVE_INFINITY);
    const isRefused = error instanceof LoadflameError && error.code === 'OIDC_LOGIN_REFUSED';
    if (!isRefused || workedMs > JUST_WORKED_MS) throw error;
    await sleep(SETTLE_MS, undefined, { ref: false });
    return logIn();
  }

  async function logIn() {
    const token = await obtainOnce(provider, authConfig, user);
    lastLogins.set(credentials, Date.now());
    return token;
  }
}

/**
 * @param {Provider} provider
 * @param {AuthConfig} authConfig
 * @param {User} [user]
 * @returns {Promise<Token>}
 */
async function obtainOnce(provider, authConfig, user) {
  try {
    // The time before the request: renewing too early is better than too late.
    const nowMs = Date.now();
    const answer = await FLOWS[authConfig.flow](provider, authConfig, user ?? NO_USER);
    // A login by form takes a while before the token is issued.
    return readToken(answer, authConfig.flow === 'authorization_code' ? Date.now() : nowMs);
  } catch (error) {
    throw readTokenError(error, authConfig, user);
  }
}

/**
 * Obtains another access token for an existing session. A provider that rotates refresh tokens also returns a new
 * refresh token; otherwise the old one remains valid.
 * @param {Provider} provider
 * @param {AuthConfig} authConfig
 * @param {string} refreshToken
 * @returns {Promise<Token>}
 * @throws {LoadflameError} as `obtainToken`; OIDC_LOGIN_REFUSED means that the session has ended
 */
export async function refreshToken(provider, authConfig, refreshToken) {
  try {
    const nowMs = Date.now();
    const target = describeTarget(authConfig);
    const answer = await oidc.refreshTokenGrant(provider.configuration, refreshToken, target);
    const token = readToken(answer, nowMs);
    return { ...token, refreshToken: token.refreshToken ?? refreshToken };
  } catch (error) {
    throw readTokenError(error, authConfig);
  }
}

/** @param {AuthConfig} authConfig @returns {Record<string, string>} */
function describeRequest(authConfig) {
  // Without a user, some providers reject these two scopes.
  const refused = authConfig.flow === 'client_credentials' ? ['openid', 'offline_access'] : [];
  const scopes = (authConfig.scope ?? '').split(/\s+/).filter(one => one && !refused.includes(one));
  const scope = scopes.join(' ');
  return { ...(scope ? { scope } : {}), ...describeTarget(authConfig) };
}

/**
 * Most providers use `audience`; the standard is `resource`, which requires an absolute URI (RFC 8707).
 * @param {AuthConfig} authConfig
 * @returns {Record<string, string>}
 */
function describeTarget({ audience }) {
  if (!audience) return {};
  return URL.canParse(audience) ? { audience, resource: audience } : { audience };
}
