/** The password grant (RFC 6749 section 4.3), which the library leaves to those who still need it. */
import { errors } from 'oidc-provider';
import { API_AUDIENCE, API_SCOPE, describeApi } from './clients.js';
import { isPasswordRight } from './users.js';

export const PASSWORD_PARAMETERS = ['username', 'password', 'scope', 'resource'];

/** Scopes of the user that a client may ask for; others are left out, as Keycloak does. */
const USER_SCOPES = ['openid', 'profile', 'offline_access'];

/**
 * @param {import('./settings.js').Settings} settings
 * @returns {(ctx: import('oidc-provider').TokenContext) => Promise<void>} handler for the token endpoint
 */
export function createPasswordGrant(settings) {
  return async function grantByPassword(ctx) {
    const { client, params, provider } = ctx.oidc;
    const { username = '', password = '' } = params;
    if (!isPasswordRight(settings.users, username, password)) {
      throw new errors.InvalidGrant('user name or password is wrong');
    }
    if (params.resource && params.resource !== API_AUDIENCE) throw new errors.InvalidTarget();
    const asked = (params.scope ?? '').split(' ');
    const scope = USER_SCOPES.filter(name => asked.includes(name)).join(' ');

    const grant = new provider.Grant({ clientId: client.clientId, accountId: username });
    if (scope) grant.addOIDCScope(scope);
    grant.addResourceScope(API_AUDIENCE, API_SCOPE);
    const source = {
      client,
      accountId: username,
      grantId: await grant.save(),
      gty: 'password',
    };

    const accessToken = new provider.AccessToken({ ...source, scope: API_SCOPE });
    accessToken.resourceServer = new provider.ResourceServer(API_AUDIENCE, describeApi(settings));
    ctx.oidc.entity('AccessToken', accessToken);
    const body = {
      access_token: await accessToken.save(),
      token_type: accessToken.tokenType,
      expires_in: accessToken.expiration,
      scope: [scope, API_SCOPE].filter(Boolean).join(' '),
    };
    const refreshToken = client.grantTypeAllowed('refresh_token')
      ? await new provider.RefreshToken({
          ...source,
          scope: `${scope} ${API_SCOPE}`.trim(),
          resource: API_AUDIENCE,
          authTime: Math.floor(Date.now() / 1000),
          rotations: 0,
        }).save()
      : undefined;
    const idToken = asked.includes('openid') ? await issueIdToken(ctx, username, scope) : undefined;
    ctx.body = { ...body, refresh_token: refreshToken, id_token: idToken };
  };
}

/**
 * @param {import('oidc-provider').TokenContext} ctx @param {string} username @param {string} scope
 */
function issueIdToken(ctx, username, scope) {
  const claims = {
    sub: username,
    preferred_username: username,
    auth_time: Math.floor(Date.now() / 1000),
  };
  const idToken = new ctx.oidc.provider.IdToken(claims, { ctx });
  idToken.scope = scope;
  return idToken.issue({ use: 'idtoken' });
}
