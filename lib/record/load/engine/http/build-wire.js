import { basicAuthorization, createAddressParser } from './address.js';
import { buildBody } from './body.js';
import { createEndpoints } from './endpoints.js';
import { listHeaders } from './request-headers.js';
import { Wire } from './wire.js';

/**
 * From `requestParams` that are filled in to what is sent.
 * @param {import('./transport.js').HttpScope} scope
 */
export function createWireBuilder({ config, services }) {
  const target = String(config.target ?? '');
  const parse = createAddressParser(target);
  const endpointOf = createEndpoints(services.recorder, target);
  const targetOrigin = URL.canParse(target) ? new URL(target).origin : null;

  /**
   * @param {import('./request-params.js').RequestParams} request
   * @returns {Wire}
   * @throws for what can't be sent, as got does
   */
  const build = request => {
    const address = parse(addQuery(request));
    const body = buildBody(request);
    const bringsOwn =
      request.headers.authorization !== undefined ||
      Boolean(request.username || request.password || address.authorization);
    return new Wire({
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
      mayTakeToken: !bringsOwn && address.origin === targetOrigin,
      tls: differs(request.https, config.tls) ? request.https : null,
      ...endpointOf(request.method, address, request.name),
    });
  };
  return { build, endpointOf };
}

/**
 * `qs` takes the place of a query that the address has, as in got.
 * @param {import('./request-params.js').RequestParams} request
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
