/** Parses addresses of requests, and finds the endpoints that they count for. */
import { nameEndpoint } from '../../../../run/endpoint-names.js';
import { refuse } from './connection/failures.js';

/** @import { ScriptConfig } from '../../script.d.ts' */
/** @import { EndpointHandle } from '../../metrics/second.d.ts' */
/** @import { Recorder } from '../engine.d.ts' */

/**
 * @typedef {object} Address
 * @property {string} href
 * @property {string} origin
 * @property {string} path with query
 * @property {string} authorization `Basic …` of an address with a password, else empty
 */

/**
 * @param {string} href @param {string} [base]
 * @returns {Address}
 * @throws like `new URL`, with `code` `ERR_INVALID_URL`
 */
export function parseAddress(href, base) {
  const url = new URL(href, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse(`Unsupported protocol: ${url.protocol}`, 'ERR_UNSUPPORTED_PROTOCOL');
  }
  const { username, password } = url;
  return {
    href: url.href,
    origin: url.origin,
    path: url.pathname + url.search,
    authorization:
      username || password
        ? basicAuthorization(decodeURIComponent(username), decodeURIComponent(password))
        : '',
  };
}

/** @param {string} user @param {string} password */
export function basicAuthorization(user, password) {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/**
 * The origin of the target: only its responses describe the target, and only it gets the run's token.
 * @param {ScriptConfig} config
 * @returns {string} empty if the target is no address
 */
export function originOf({ target = '' }) {
  return URL.parse(target)?.origin ?? '';
}

// -- Endpoints: the rows of the report.

/** Most ids in paths have this form; they are replaced before the name is looked up. */
const IDS = /\/(?:\d+|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?=\/|$)/gi;
const MAX_KNOWN = 2000;

/**
 * @typedef {object} Endpoint
 * @property {string} endpointName
 * @property {EndpointHandle} endpoint
 * @property {boolean} isNamed the script gave the name
 */

/**
 * Finds the endpoint of an address; computes the name only once per shape of an address.
 * @param {Pick<Recorder, 'endpoint'>} recorder
 * @param {string} origin of the target; names of other endpoints contain their host
 * @param {readonly string[]} [groups] paths with parameters
 */
export function createEndpoints(recorder, origin, groups) {
  /** @type {Map<string, Endpoint>} */
  const known = new Map();
  /** @param {string} name @param {boolean} isNamed @returns {Endpoint} */
  const make = (name, isNamed) => ({
    endpointName: name,
    endpoint: recorder.endpoint(name),
    isNamed,
  });

  /**
   * @param {string} method
   * @param {Address} address
   * @param {unknown} [name] given by the script
   * @returns {Endpoint}
   */
  return (method, address, name) => {
    const { path } = address;
    if (typeof name === 'string' && name !== '') {
      return remember(name, () => make(nameEndpoint({ name }, ''), true));
    }
    const query = path.indexOf('?');
    const shape = (query < 0 ? path : path.slice(0, query)).replace(IDS, '/0');
    return remember(`${method} ${address.origin}${shape}`, () =>
      make(nameEndpoint({ method, url: address.origin + shape }, origin, groups), false),
    );
  };

  /** @param {string} key @param {() => Endpoint} create */
  function remember(key, create) {
    let endpoint = known.get(key);
    if (!endpoint) {
      if (known.size >= MAX_KNOWN) known.clear();
      endpoint = create();
      known.set(key, endpoint);
    }
    return endpoint;
  }
}
