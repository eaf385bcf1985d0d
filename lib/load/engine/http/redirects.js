/** Redirects by got's rules, except that the load stays at its host. */
import { nameKind } from '../../../base/files/secret-names.js';
import { parseAddress } from './address.js';
import { refuse } from './connection/failures.js';
import { KEY_HEADER, withoutHeader } from './headers.js';

/** @import { RequestOptions } from './request.d.ts' */

const MAX_REDIRECTS = 10;
const STATUSES = new Set([300, 301, 302, 303, 304, 307, 308]);

/**
 * The next request of a redirect; null if the response is no redirect, or must not be followed.
 * @param {RequestOptions} options
 * @param {number} status
 * @param {() => any} readAnswer
 * @param {number} hops number of earlier hops
 * @returns {RequestOptions | null} without its own endpoint
 * @throws after ten hops, and for an invalid address
 */
export function findNextHop(options, status, readAnswer, hops) {
  if (!STATUSES.has(status) || options.follow === false) return null;
  const answer = readAnswer();
  const { location } = answer.headers;
  if (!location) return null;
  const { address } = options;
  // An address may be UTF-8, but headers are read as latin1.
  const next = parseAddress(Buffer.from(location, 'latin1').toString(), address.href);
  const [from, to] = [new URL(address.href), new URL(next.href)];
  if (options.follow === 'host' && !staysAtHost(from, to)) return null;
  if (typeof options.follow === 'function' && !options.follow(answer)) return null;
  if (hops >= MAX_REDIRECTS) {
    throw refuse(`Redirected ${MAX_REDIRECTS} times. Aborting.`, 'ERR_TOO_MANY_REDIRECTS');
  }
  const dropsBody = status === 303 && options.method !== 'GET' && options.method !== 'HEAD';
  const staysAtOrigin = from.hostname === to.hostname && from.port === to.port;
  const headers =
    from.origin === to.origin ? options.headers : withoutHeader(options.headers, KEY_HEADER);
  const names = headers.filter((_, index) => index % 2 === 0);
  const hasBody = !dropsBody && (options.body !== null || options.form !== null);
  if (revealsCredentials(from, to, names.map(String), hasBody)) return null;
  return {
    ...options,
    address: next,
    path: next.path,
    encoded: null,
    headers: staysAtOrigin ? headers : OF_ORIGIN.reduce(withoutHeader, headers),
    mayTakeToken: options.mayTakeToken && from.origin === to.origin,
    ...(dropsBody && { method: 'GET', body: null, form: null }),
  };
}

/**
 * Whether a redirect from https to http would reveal credentials. Any body may contain some: that of a login is a
 * password.
 * @param {URL} from @param {URL} to @param {string[]} names of headers @param {boolean} hasBody
 */
export function revealsCredentials(from, to, names, hasBody) {
  const isDowngrade = from.protocol === 'https:' && to.protocol === 'http:';
  return isDowngrade && (hasBody || names.some(name => nameKind(name) !== null));
}

/** Headers that go to no other origin. */
const OF_ORIGIN = ['host', 'cookie', 'authorization'];

/**
 * The same origin, or the same host by TLS on the default ports.
 * @param {URL} from @param {URL} to
 */
export function staysAtHost(from, to) {
  const upgrade = from.port === '' && to.port === '' && to.protocol === 'https:';
  return from.origin === to.origin || (upgrade && from.hostname === to.hostname);
}
