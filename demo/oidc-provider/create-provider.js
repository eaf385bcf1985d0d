/** The identity provider's configuration: what is on, what is off, how long things live. */
import { randomBytes } from 'node:crypto';
import { errors, interactionPolicy, Provider } from 'oidc-provider';
import { API_AUDIENCE, API_SCOPE, describeApi, listClients } from './clients.js';
import { createMemoryStore } from './memory-store.js';
import { createPasswordGrant, PASSWORD_PARAMETERS } from './password-grant.js';
import { findAccount } from './users.js';

/** As Keycloak's idle time of a session, in seconds. */
const REFRESH_TOKEN_TTL_SEC = 1800;
const SESSION_TTL_SEC = 36_000;
const LOGIN_TTL_SEC = 300;

/** Where the introspection endpoint of `introspection.js` is served. */
export const INTROSPECTION_PATH = '/token/introspection';

/**
 * @param {string} issuer base URL, without a path
 * @param {import('./settings.js').Settings} settings
 * @param {{keys: object[]}} jwks private signing keys
 * @returns {Provider}
 */
export function createProvider(issuer, settings, jwks) {
  const provider = new Provider(issuer, {
    jwks,
    adapter: createMemoryStore(),
    clients: listClients(settings),
    clientDefaults: { id_token_signed_response_alg: 'RS256' },
    clockTolerance: 0,
    cookies: { keys: [randomBytes(32).toString('hex')] },
    claims: { openid: ['sub'], profile: ['preferred_username'] },
    scopes: ['openid', 'profile', 'offline_access'],
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    pkce: { required: () => true },
    // A page of any origin may log in, as with "web origins" of Keycloak.
    clientBasedCORS: () => true,
    rotateRefreshToken: settings.rotateRefreshTokens,
    issueRefreshToken: (
      /** @type {unknown} */ _ctx,
      /** @type {import('oidc-provider').Client} */ client,
    ) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    findAccount: (/** @type {unknown} */ _ctx, /** @type {string} */ id) =>
      findAccount(settings.users, id),
    extraTokenClaims: (/** @type {unknown} */ _ctx, /** @type {{accountId?: string}} */ token) =>
      token.accountId ? { preferred_username: token.accountId } : undefined,
    loadExistingGrant,
    interactions: {
      policy: createPolicyWithoutConsent(),
      url: (/** @type {unknown} */ _ctx, /** @type {{uid: string}} */ interaction) =>
        `/interaction/${interaction.uid}`,
    },
    discovery: {
      introspection_endpoint: issuer + INTROSPECTION_PATH,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API_AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: (/** @type {unknown} */ _ctx, /** @type {string} */ resource) => {
          if (resource !== API_AUDIENCE) throw new errors.InvalidTarget();
          return describeApi(settings);
        },
      },
    },
    ttl: {
      AccessToken: settings.tokenTtlSec,
      ClientCredentials: settings.tokenTtlSec,
      IdToken: settings.tokenTtlSec,
      AuthorizationCode: 60,
      Interaction: LOGIN_TTL_SEC,
      RefreshToken: REFRESH_TOKEN_TTL_SEC,
      Session: SESSION_TTL_SEC,
      Grant: SESSION_TTL_SEC,
    },
  });
  provider.registerGrantType('password', createPasswordGrant(settings), PASSWORD_PARAMETERS);
  return provider;
}

/** Native applications are asked for consent each time, unless the check for that is taken out. */
function createPolicyWithoutConsent() {
  const policy = interactionPolicy.base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  return policy;
}

/**
 * Grants what a first-party client asks for, so that a login is one form and no consent page.
 * @param {import('oidc-provider').TokenContext} ctx
 */
async function loadExistingGrant(ctx) {
  const { client, provider, session } = ctx.oidc;
  const grantId = session.grantIdFor(client.clientId);
  if (grantId) return provider.Grant.find(grantId);
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid profile offline_access');
  grant.addResourceScope(API_AUDIENCE, API_SCOPE);
  await grant.save();
  return grant;
}
