/** Logs in as a browser would: authorization request, login form, redirect with a code. */
import { createHash, randomBytes } from 'node:crypto';

export const REDIRECT_URI = 'http://127.0.0.1/callback';

/**
 * @param {string} issuer @param {string} clientId @param {string} username @param {string} password
 * @param {string} [redirectUri]
 * @returns {Promise<{page: string} | {code: string, verifier: string}>} `page`: the form, shown
 *   again because the password was refused
 */
export async function logInByForm(
  issuer,
  clientId,
  username,
  password,
  redirectUri = REDIRECT_URI,
) {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('/auth', issuer);
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const visit = createVisitor(issuer, redirectUri);

  const form = await visit(url.href);
  if ('code' in form) throw new Error('a code without a login');
  const action = /action="([^"]+)"/.exec(form.page)?.[1];
  if (!action) throw new Error(`no form in ${form.page}`);
  const result = await visit(new URL(action, issuer).href, {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
  });
  return 'code' in result ? { ...result, verifier } : result;
}

/**
 * Follows redirects with cookies, up to the client's own address, which it does not visit.
 * @param {string} issuer @param {string} redirectUri
 */
function createVisitor(issuer, redirectUri) {
  /** @type {Map<string, string>} */
  const cookies = new Map();
  /**
   * @param {string} url @param {RequestInit} [init]
   * @returns {Promise<{page: string} | {code: string}>}
   */
  return async function visit(url, init = {}) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    const location = response.headers.get('location');
    if (!location) return { page: await response.text() };
    if (location.startsWith(redirectUri)) {
      return { code: new URL(location).searchParams.get('code') ?? '' };
    }
    return visit(new URL(location, issuer).href);
  };
}
