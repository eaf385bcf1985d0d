import { basicAuthorization, createAddressParser, createEndpoints, originsOf } from './address.js';
import { listHeaders, withoutHeader } from './headers.js';
import { buildBody } from './request-params.js';

/** @import { EndpointHandle } from '../../metrics/second.d.ts' */
/** @import { Address } from './address.js' */
/** @import { HttpScope } from './connection/connections.js' */
/** @import { RequestParams } from './request-params.js' */
/** @import { Readable } from 'node:stream' */

/** A request as it goes on the wire; undici takes it as it is. */
export class RequestOptions {
  /**
   * @param {object} request
   * @param {string} request.method
   * @param {Address} request.address
   * @param {string[]} request.headers name, value, name, value …; without cookies and tokens
   * @param {Buffer | string | Readable | null} [request.body]
   * @param {(() => import('form-data')) | null} [request.form]
   * @param {Follow} [request.follow]
   * @param {number} request.timeoutMs
   * @param {boolean} [request.decompress]
   * @param {boolean} [request.usesJar]
   * @param {boolean} [request.mayTakeToken]
   * @param {Record<string, any> | null} [request.tls] options for this request alone
   * @param {string} request.endpointName
   * @param {EndpointHandle} request.endpoint
   * @param {boolean} [request.isNamed] the script gave the endpoint its name
   */
  constructor(request) {
    this.method = request.method;
    this.address = request.address;
    this.path = request.address.path;
    this.headers = request.headers;
    this.body = request.body ?? null;
    this.form = request.form ?? null;
    this.follow = request.follow ?? 'host';
    this.timeoutMs = request.timeoutMs;
    this.decompress = request.decompress ?? true;
    this.usesJar = request.usesJar ?? false;
    this.mayTakeToken = request.mayTakeToken ?? false;
    this.tls = request.tls ?? null;
    this.endpointName = request.endpointName;
    this.endpoint = request.endpoint;
    this.isNamed = request.isNamed ?? false;
    /** of undici: neither HEAD nor a body where none is expected ends the connection */
    this.reset = false;
  }

  /** The same with other parts. @param {Partial<RequestOptions>} parts @returns {RequestOptions} */
  with(parts) {
    return new RequestOptions({ ...this, ...parts });
  }
}

/**
 * Which redirects are followed: those to the same host, all, none, or as a hook decides.
 * @typedef {'host' | boolean | ((response: any) => boolean)} Follow
 */

/**
 * From `requestParams` that are filled in to what is sent.
 * @param {HttpScope} scope
 */
export function createOptionsBuilder({ config, services }) {
  const target = String(config.target ?? '');
  const parse = createAddressParser(target);
  const origins = originsOf(config);
  const endpointOf = createEndpoints(services.recorder, origins, config.loadflame?.endpoints);

  /**
   * @param {RequestParams} request
   * @returns {RequestOptions}
   * @throws for what can't be sent, as got does
   */
  const build = request => {
    const address = parse(addQuery(request));
    const body = buildBody(request);
    const bringsOwn =
      request.headers.authorization !== undefined ||
      Boolean(request.username || request.password || address.authorization);
    return new RequestOptions({
      method: request.method,
      address,
      headers: listHeaders(request.headers, {
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
      mayTakeToken: !bringsOwn && origins.has(address.origin),
      tls: differs(request.https, config.tls) ? request.https : null,
      ...endpointOf(request.method, address, request.name),
    });
  };
  return { build, endpointOf };
}

/**
 * `qs` takes the place of a query that the address has, as in got.
 * @param {RequestParams} request
 */
function addQuery({ url, searchParams }) {
  if (searchParams === undefined) return url;
  const query = new URLSearchParams(searchParams).toString();
  const bare = url.replace(/[?#].*$/s, '');
  return query === '' ? bare : `${bare}?${query}`;
}

/** @param {Record<string, any> | undefined} own @param {Record<string, any>} shared */
function differs(own, shared = {}) {
  if (own === undefined) return false;
  return Object.entries(own).some(([name, value]) => shared[name] !== value);
}

// -- Headers that differ from one request to the next: cookies, access token, trace.

/**
 * @param {RequestOptions} options
 * @param {any} context
 * @param {string | null} traceparent
 * @param {HttpScope} scope
 * @returns {RequestOptions} the same one if it needs none of them
 */
export function addLateHeaders(options, context, traceparent, { config, services }) {
  const token = options.mayTakeToken ? services.tokens.pick(context, config) : null;
  const cookie =
    context._enableCookieJar || options.usesJar
      ? context._jar.getCookieStringSync(options.address.href)
      : '';
  if (token === null && cookie === '' && traceparent === null) return options;
  let headers = cookie === '' ? options.headers : withoutHeader(options.headers, 'cookie');
  if (cookie !== '') headers = headers.concat('cookie', cookie);
  if (token !== null) headers = headers.concat('authorization', `Bearer ${token}`);
  if (traceparent !== null) {
    headers = withoutHeader(headers, 'traceparent').concat('traceparent', traceparent);
  }
  return options.with({ headers });
}
