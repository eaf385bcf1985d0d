/** Logs in like a person: opens the provider's page, fills in its form, and ends at the redirect address. */

import { CookieJar } from 'tough-cookie';
import { LoadflameError } from '../../../base/errors.js';
import { readBeginning } from '../../../base/files/read-body.js';
import { nameCredentials } from '../read-oidc-error.js';
import { MAX_PAGE_LENGTH, readPage } from './read-page.js';

/** @import { AuthConfig, User } from '../auth-config.js' */
/** @import { Form, Page } from './read-page.js' */

/** Browsers give up after 20 redirects. */
const MAX_HOPS = 20;

/**
 * @param {object} options
 * @param {URL} options.start authorization request
 * @param {string} options.redirectUri recognised, but never requested
 * @param {User} options.user
 * @param {AuthConfig} options.authConfig for messages
 * @param {(url: URL, init: RequestInit) => Promise<Response>} options.fetch
 * @returns {Promise<URL>} the redirect address, with code and state or with an error
 * @throws {LoadflameError} OIDC_LOGIN_REFUSED (the form is shown again), OIDC_FORM_NOT_UNDERSTOOD,
 *   OIDC_TOKEN_FAILED (server error)
 */
export async function logInByForm({ start, redirectUri, user, authConfig, fetch }) {
  // All requests go to one origin, so the domain suffix of its cookies does not matter.
  const jar = new CookieJar(null, { rejectPublicSuffixes: false });
  /** @type {{url: URL, body?: URLSearchParams}} */
  let next = { url: start };
  let passwordField = '';
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const { url, body } = next;
    const response = await send(fetch, jar, url, body);
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      const target = new URL(location, url);
      if (isAt(target, redirectUri)) return target;
      requireSameOrigin(target, start, 'it sends the login on to', authConfig);
      next = { url: target };
      continue;
    }
    const about = { issuer: authConfig.issuer, user: `user ${user.username}` };
    if (response.status >= 500) {
      const reason = `${url.origin}${url.pathname} responds with status ${response.status}`;
      throw new LoadflameError('OIDC_TOKEN_FAILED', { ...about, reason });
    }
    const { text } = await readBeginning(response.body, MAX_PAGE_LENGTH);
    const page = readPage(text);
    const form = page.forms.find(hasPassword);
    if (response.status >= 400 || !form) throw refusePage(page, response.status, authConfig);
    const field = nameOfPassword(form);
    if (field === passwordField) {
      const reason = page.message || 'the login form came back';
      const where = nameCredentials(authConfig);
      throw new LoadflameError('OIDC_LOGIN_REFUSED', { ...about, where, reason });
    }
    // A second form with a password field after the login asks for something else, such as a new password.
    if (passwordField !== '') throw refusePage(page, response.status, authConfig);
    passwordField = field;
    next = fillIn(form, url, user);
    requireSameOrigin(next.url, start, 'its login form posts the password to', authConfig);
  }
  throw refuse(`it redirected more than ${MAX_HOPS} times`, authConfig);
}

/**
 * @param {(url: URL, init: RequestInit) => Promise<Response>} fetch
 * @param {CookieJar} jar
 * @param {URL} url @param {URLSearchParams} [body]
 */
async function send(fetch, jar, url, body) {
  // Sends `Secure` cookies over plain HTTP too: `checkIssuer` has approved the connection, and Keycloak sets the
  // attribute even on loopback.
  const place = url.href.replace(/^http:/, 'https:');
  const cookie = jar.getCookieStringSync(place);
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { accept: 'text/html', ...(cookie ? { cookie } : {}) },
    ...(body ? { body } : {}),
  });
  for (const one of response.headers.getSetCookie())
    jar.setCookieSync(one, place, { ignoreError: true });
  return response;
}

/** @param {Form} form */
function hasPassword(form) {
  return form.method === 'post' && nameOfPassword(form) !== '';
}

/** @param {Form} form */
function nameOfPassword(form) {
  return form.inputs.find(({ type }) => type === 'password')?.name ?? '';
}

/**
 * What a browser would send: both fields, hidden inputs and the button.
 * @param {Form} form @param {URL} page @param {User} user
 */
function fillIn(form, page, { username, password }) {
  const texts = form.inputs.filter(({ type, name }) => name && /^(text|email|tel)$/.test(type));
  const userField =
    texts.find(({ autocomplete }) => /\busername\b/.test(autocomplete)) ??
    texts.find(({ name }) => /user|login|e-?mail/i.test(name)) ??
    texts[0];
  const body = new URLSearchParams();
  for (const { type, name, value, checked } of form.inputs) {
    if (!name) continue;
    if (type === 'hidden' || (checked && /^(checkbox|radio)$/.test(type)))
      body.append(name, value || (type === 'hidden' ? '' : 'on'));
  }
  const button = form.inputs.find(({ type, name }) => type === 'submit' && name);
  if (button) body.append(button.name, button.value);
  if (userField) body.set(userField.name, username);
  body.set(nameOfPassword(form), password);
  return { url: new URL(form.action || page, page), body };
}

/**
 * RFC 8252, 7.3 allows any port of a loopback address for native applications; this comparison is stricter.
 * @param {URL} url @param {string} redirectUri
 */
function isAt(url, redirectUri) {
  const { origin, pathname } = new URL(redirectUri);
  return url.origin === origin && url.pathname === pathname;
}

/**
 * The password is only sent to the provider that the user named.
 * @param {URL} target @param {URL} start @param {string} what
 * @param {AuthConfig} authConfig
 */
function requireSameOrigin(target, start, what, authConfig) {
  if (target.origin === start.origin) return;
  const hint =
    'use a realm or client whose login form is on the issuer itself, or set OIDC_FLOW=password or OIDC_FLOW=client_credentials';
  throw refuse(`${what} ${target.origin}, which is not followed`, authConfig, hint);
}

/**
 * @param {Page} page
 * @param {number} status
 * @param {AuthConfig} authConfig
 */
function refusePage(page, status, authConfig) {
  // Error pages rarely mark their message as an alert.
  const words = status >= 400 ? page.text : page.message;
  const said = words ? `"${words}"` : 'nothing that could be read';
  const reason = `a page without a login form (status ${status}) says ${said}`;
  const { redirectUri, clientId } = authConfig;
  const hint = /redirect.?uri/i.test(words)
    ? `register ${redirectUri} as a redirect address of the client ${clientId}, or set OIDC_REDIRECT_URI to one that is registered`
    : `check OIDC_CLIENT_ID (now ${clientId}), and that the client may use the authorization code flow (Keycloak: "Standard flow")`;
  return refuse(reason, authConfig, /redirect.?uri|client/i.test(words) ? hint : undefined);
}

/**
 * @param {string} reason
 * @param {AuthConfig} authConfig
 * @param {string} [hint]
 */
function refuse(reason, { issuer }, hint) {
  return new LoadflameError('OIDC_FORM_NOT_UNDERSTOOD', { issuer, reason }, { hint });
}
