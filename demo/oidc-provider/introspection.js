/**
 * Token introspection (RFC 7662). The library refuses to introspect JWT access tokens and keeps no
 * record of them, so this endpoint stands in for its own: a JWT is judged by signature, issuer,
 * audience and expiry, a refresh token is looked up in the provider's store.
 */
import { verify } from 'node:crypto';
import { API_AUDIENCE } from './clients.js';
import { readForm, sendJson } from './http-body.js';

/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */

/**
 * @param {import('oidc-provider').Provider} provider
 * @param {import('node:crypto').KeyObject} publicKey of the signing key
 * @returns {(request: IncomingMessage, response: ServerResponse) => Promise<void>}
 */
export function createIntrospection(provider, publicKey) {
  return async function introspect(request, response) {
    const form = await readForm(request);
    if (!(await isClientKnown(provider, request, form))) {
      const headers = { 'www-authenticate': 'Basic realm="introspection"' };
      return sendJson(response, 401, { error: 'invalid_client' }, headers);
    }
    const token = form.get('token');
    if (!token) {
      const body = { error: 'invalid_request', error_description: 'token is missing' };
      return sendJson(response, 400, body);
    }
    const answer =
      describeJwt(token, publicKey, provider.issuer) ??
      (await describeRefreshToken(provider, token)) ??
      {};
    return sendJson(response, 200, { active: 'exp' in answer, ...answer });
  };
}

/**
 * By HTTP Basic or by form fields.
 * @param {import('oidc-provider').Provider} provider
 * @param {IncomingMessage} request @param {URLSearchParams} form
 */
async function isClientKnown(provider, request, form) {
  const [scheme, value = ''] = (request.headers.authorization ?? '').split(' ');
  const isBasic = scheme?.toLowerCase() === 'basic';
  const basic = /^([^:]*):(.*)$/s.exec(Buffer.from(value, 'base64').toString('utf8'));
  const id = (isBasic ? basic?.[1] : form.get('client_id')) ?? '';
  const secret = (isBasic ? basic?.[2] : form.get('client_secret')) ?? '';
  const client = await provider.Client.find(id);
  return client !== undefined && client.clientAuthMethod !== 'none'
    ? client.compareClientSecret(secret)
    : false;
}

/**
 * @param {string} token @param {import('node:crypto').KeyObject} publicKey @param {string} issuer
 * @returns {Record<string, unknown> | undefined} its claims; undefined when it is not valid now
 */
function describeJwt(token, publicKey, issuer) {
  const [header, payload, signature] = token.split('.');
  if (!header || !payload || !signature) return undefined;
  const signed = Buffer.from(`${header}.${payload}`);
  if (parseSegment(header)?.alg !== 'RS256') return undefined;
  if (!verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))) {
    return undefined;
  }
  const claims = parseSegment(payload);
  const isValid =
    claims?.iss === issuer && claims.aud === API_AUDIENCE && claims.exp > Date.now() / 1000;
  return isValid ? { token_type: 'Bearer', ...claims } : undefined;
}

/** @param {string} segment @returns {Record<string, any> | undefined} */
function parseSegment(segment) {
  try {
    return JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {import('oidc-provider').Provider} provider @param {string} token
 * @returns {Promise<Record<string, unknown> | undefined>}
 */
async function describeRefreshToken(provider, token) {
  const found = await provider.RefreshToken.find(token);
  if (!found?.isValid) return undefined;
  const { accountId, clientId, exp, iat, scope } = found;
  return { iss: provider.issuer, sub: accountId, client_id: clientId, exp, iat, scope };
}
