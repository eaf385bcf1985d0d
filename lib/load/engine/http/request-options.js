import { basicAuthorization, createEndpoints, originOf, parseAddress } from './address.js';
import { KEY_HEADER, listHeaders, NAMES_HEADER, withoutHeader } from './headers.js';
import { jarOf } from './http-user.js';
import { buildBody } from './request-params.js';

/** @import { FilledRequest, TlsOptions } from '../../script.d.ts' */
/** @import { HttpScope } from './connection/connections.js' */
/** @import { RequestOptions } from './request.d.ts' */

/**
 * Turns filled-in `requestParams` into the options of a request.
 * @param {HttpScope} scope
 */
export function createOptionsBuilder({ config, services }) {
  const origin = originOf(config);
  const { companionKey } = services.tokenPlaces;
  const ofCompanion = {
    ...(companionKey && { [KEY_HEADER]: companionKey }),
    ...(services.onRequest && { [NAMES_HEADER]: services.asks ?? '1' }),
  };
  const endpoints = createEndpoints(services.recorder, origin, config.loadflame?.endpoints);

  /**
   * @param {FilledRequest} request
   * @returns {RequestOptions}
   * @throws like got, for a request that can't be sent
   */
  const build = request => {
    const address = parseAddress(addQuery(request));
    const body = buildBody(request);
    const isForTarget = address.origin === origin;
    const own = request.headers;
    const headers = isForTarget ? { ...own, ...ofCompanion } : own;
    const bringsOwn =
      request.headers.authorization !== undefined ||
      Boolean(request.username || request.password || address.authorization);
    return {
      method: request.method,
      address,
      path: address.path,
      headers: listHeaders(headers, {
        decompress: request.decompress,
        contentType: body?.contentType ?? null,
        authorization:
          request.username || request.password
            ? basicAuthorization(request.username ?? '', request.password ?? '')
            : address.authorization,
      }),
      body: body?.bytes ?? null,
      form: body?.form ?? null,
      follow: request.followRedirect ?? 'host',
      timeoutMs: request.timeout * 1000,
      decompress: request.decompress,
      usesJar: request.cookie !== undefined,
      mayTakeToken: !bringsOwn && isForTarget,
      tls: differs(request.https, config.tls) ? (request.https ?? null) : null,
      ...endpoints.of(request.method, address, request.name),
      encoded: null,
    };
  };
  return { build, endpoints };
}

/**
 * `qs` replaces the query of the address, as in got.
 * @param {FilledRequest} request
 */
function addQuery({ url, searchParams }) {
  if (searchParams === undefined) return url;
  const query = new URLSearchParams(searchParams).toString();
  const bare = url.replace(/[?#].*$/s, '');
  return query === '' ? bare : `${bare}?${query}`;
}

/** @param {TlsOptions | undefined} own @param {TlsOptions} shared */
function differs(own, shared = {}) {
  if (own === undefined) return false;
  return Object.entries(own).some(([name, value]) => shared[name] !== value);
}

// -- Headers that differ from one request to the next: cookies, access token, trace.

/** Cookies of a response replace those of a header with the same names. @param {string} own @param {string} cookie */
function addCookies(own, cookie) {
  const nameOf = (/** @type {string} */ pair) => pair.split('=', 1)[0]?.trim();
  const names = new Set(cookie.split(';').map(nameOf));
  const kept = own.split(/;\s*/).filter(pair => pair && !names.has(nameOf(pair)));
  return [...kept, cookie].join('; ');
}

/**
 * @param {RequestOptions} options
 * @param {any} context
 * @param {string | null} traceparent
 * @param {HttpScope} scope
 * @returns {RequestOptions} the same object if none are needed
 */
export function addLateHeaders(options, context, traceparent, { config, services }) {
  const token = options.mayTakeToken ? services.tokens.pick(context, config) : null;
  const cookie =
    context._enableCookieJar || options.usesJar
      ? jarOf(context).getCookieStringSync(options.address.href)
      : '';
  if (token === null && cookie === '' && traceparent === null) return options;
  let { headers } = options;
  if (cookie !== '') {
    const own = headers.find((_, index) => headers[index - 1] === 'cookie' && index % 2 === 1);
    headers = withoutHeader(headers, 'cookie').concat('cookie', addCookies(own ?? '', cookie));
  }
  if (token !== null) headers = headers.concat('authorization', `Bearer ${token}`);
  if (traceparent !== null) {
    headers = withoutHeader(headers, 'traceparent').concat('traceparent', traceparent);
  }
  return { ...options, headers, encoded: null };
}
