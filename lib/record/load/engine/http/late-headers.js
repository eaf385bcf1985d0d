/** Headers that differ from one request to the next: cookies, access token, trace. */
import { randomBytes } from 'node:crypto';
import { withoutHeader } from './request-headers.js';

/** Artillery's, so that its requests can be found in a server's log. */
const DEFAULT_PREFIX = 'a9';

/**
 * @param {import('./wire.js').Wire} wire
 * @param {any} context
 * @param {string | null} traceparent
 * @param {import('./transport.js').HttpScope} scope
 * @returns {import('./wire.js').Wire} the same one if it needs none of them
 */
export function addLateHeaders(wire, context, traceparent, { config, services }) {
  const token = wire.mayTakeToken ? services.tokens.pick(context, config) : null;
  const cookie =
    context._enableCookieJar || wire.usesJar
      ? context._jar.getCookieStringSync(wire.address.href)
      : '';
  if (token === null && cookie === '' && traceparent === null) return wire;
  let headers = cookie === '' ? wire.headers : withoutHeader(wire.headers, 'cookie');
  if (cookie !== '') headers = headers.concat('cookie', cookie);
  if (token !== null) headers = headers.concat('authorization', `Bearer ${token}`);
  if (traceparent !== null) {
    headers = withoutHeader(headers, 'traceparent').concat('traceparent', traceparent);
  }
  return wire.with({ headers });
}

/**
 * `http.distributedTracing`: a header of W3C Trace Context for each request.
 * @param {Record<string, any>} config
 * @returns {(() => string) | null}
 */
export function createTraceparents({ http }) {
  const tracing = http.distributedTracing;
  if (!tracing || tracing.enabled === false) return null;
  const { sampled = true, traceIdPrefix = DEFAULT_PREFIX } = tracing === true ? {} : tracing;
  const hex = String(traceIdPrefix)
    .toLowerCase()
    .replace(/[^0-9a-f]/g, '')
    .slice(0, 8);
  const prefix = hex || DEFAULT_PREFIX;
  return () => {
    const random = randomBytes(24).toString('hex');
    const traceId = (prefix + random).slice(0, 32);
    return `00-${traceId}-${random.slice(32)}-${sampled ? '01' : '00'}`;
  };
}
