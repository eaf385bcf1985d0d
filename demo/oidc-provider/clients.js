/** The registered clients and the one API that tokens are for. */

/** Audience of every access token. */
export const API_AUDIENCE = 'urn:demo:queue-management-api';

/** Scopes that the API knows. */
export const API_SCOPE = 'api';

const CONFIDENTIAL_CLIENT_ID = 'queue-management';
const PUBLIC_CLIENT_ID = 'queue-management-public';
const API_CLIENT_ID = 'queue-management-api';

/** Any port of these is accepted, as RFC 8252 section 7.3 wants it for native applications. */
const REDIRECT_URIS = ['http://127.0.0.1/callback', 'http://localhost/callback'];

const FOR_USERS = {
  application_type: 'native',
  redirect_uris: REDIRECT_URIS,
  response_types: ['code'],
};

/** @param {import('./settings.js').Settings} settings */
export function listClients({ clientSecret, apiSecret }) {
  return [
    {
      ...FOR_USERS,
      client_id: CONFIDENTIAL_CLIENT_ID,
      client_secret: clientSecret,
      grant_types: ['password', 'client_credentials', 'authorization_code', 'refresh_token'],
    },
    {
      ...FOR_USERS,
      client_id: PUBLIC_CLIENT_ID,
      token_endpoint_auth_method: 'none',
      grant_types: ['password', 'authorization_code', 'refresh_token'],
    },
    {
      client_id: API_CLIENT_ID,
      client_secret: apiSecret,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    },
  ];
}

/**
 * Access tokens for the API are JWTs signed with RS256.
 * @param {import('./settings.js').Settings} settings
 */
export function describeApi({ tokenTtlSec }) {
  return {
    audience: API_AUDIENCE,
    scope: API_SCOPE,
    accessTokenFormat: 'jwt',
    accessTokenTTL: tokenTtlSec,
    jwt: { sign: { alg: 'RS256' } },
  };
}
