/** A virtual user's HTTP state: connections, a cookie jar and Artillery's own fields. */
import { createRequire } from 'node:module';

import { plainLine } from '../../../base/files/plain-text.js';
import { secretsOfCookies } from '../../../base/files/redaction.js';
import { fillWritten } from '../flow/template.js';
import { noteLateness } from './coordinated-omission.js';

/** @import { Emitter, Services } from '../engine.d.ts' */
/** @import { Connections, HttpScope } from './connection/connections.js' */

/** The generator puts the user's `Arrival` on its context under this key. */
export const ARRIVAL = Symbol('arrival');

const require = createRequire(import.meta.url);

const CONNECTIONS = Symbol('connections');
const SCOPE = Symbol('scope');

/**
 * Adds the fields that hooks know from Artillery.
 * @param {any} context
 * @param {HttpScope} scope
 */
export function prepareHttpUser(context, scope) {
  const { http, defaults, processor } = scope.config;
  const cookie = defaultCookie(scope);
  context._successCount = 0;
  context._defaultStrictCapture = !(
    http.defaults.strictCapture === false || defaults.strictCapture === false
  );
  context[SCOPE] = scope;
  if (processor) jarOf(context);
  context._enableCookieJar = cookie !== null && typeof cookie === 'object';
  if (context._enableCookieJar) context._defaultCookie = { ...cookie };
  noteLateness(context, context[ARRIVAL]);
}

/** As written. @param {HttpScope} scope */
const defaultCookie = ({ config }) => config.http.defaults.cookie ?? config.defaults.cookie;

/**
 * @param {any} context
 * @returns {Connections} opened at the first call
 */
export function connectionsOf(context) {
  const slot = context[ARRIVAL]?.slot;
  context[CONNECTIONS] ??= slot?.connections ?? context[SCOPE].transport.openConnections();
  if (slot) slot.connections = context[CONNECTIONS];
  return context[CONNECTIONS];
}

/** A closed-loop user keeps its connections: they belong to its slot. @param {any} context */
export function endHttpUser(context) {
  const connections = context[CONNECTIONS];
  if (connections && !context[ARRIVAL]?.slot)
    context[SCOPE].transport.closeConnections(connections);
}

// -- The cookie jar of a user: enabled by the first cookie from a response or the script.

/**
 * Created when it is needed: few APIs set cookies, and the library takes 20 ms to load. Hooks always see one.
 * @param {any} context
 * @returns {import('tough-cookie').CookieJar}
 */
export function jarOf(context) {
  context._jar ??= new (require('tough-cookie').CookieJar)(
    null,
    context[SCOPE].config.http.cookieJarOptions,
  );
  return context._jar;
}

/**
 * Stores `cookie` of a request and `defaults.cookie`.
 * @param {any} context
 * @param {import('../../script.d.ts').Fields | undefined} cookie of the request, filled in
 * @param {string} href
 */
export function addOwnCookies(context, cookie, href) {
  const own = fillWritten(defaultCookie(context[SCOPE]), context._defaultCookie, context);
  for (const [name, value] of Object.entries({ ...own, ...cookie })) {
    jarOf(context).setCookieSync(`${name}=${value}`, href);
  }
}

/**
 * Stores the cookies of a response; counts and omits an invalid one.
 * @param {any} context
 * @param {string[]} cookies as received
 * @param {string} href
 * @param {{ee: Emitter, services: Services}} scope
 */
export function storeCookies(context, cookies, href, { ee, services }) {
  context._enableCookieJar = true;
  for (const cookie of cookies) {
    try {
      jarOf(context).setCookieSync(cookie, href);
      secretsOfCookies(cookie).forEach(services.learn);
    } catch (error) {
      // As in browsers, the request is fine. Artillery's counter has this name.
      ee.emit('error', 'cookie_parse_error_invalid_cookie');
      services.warn(plainLine(`a cookie was not stored: ${error}`));
    }
  }
}
