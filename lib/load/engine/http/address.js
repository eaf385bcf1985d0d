/** Parses addresses of requests, and finds the endpoints that they count for. */
import { fitsPath, groupEndpoint, nameEndpoint } from '../../../base/config/endpoint-names.js';
import { refuse } from './connection/failures.js';

/** @import { ScriptConfig } from '../../script.d.ts' */
/** @import { EndpointHandle } from '../../metrics/second.d.ts' */
/** @import { Recorder } from '../engine.d.ts' */
/** @import { RequestOptions } from './request.d.ts' */

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

/** Most ids in paths have this form; they are replaced before the name is looked up. A digit may be a version. */
const IDS = /\/(?:\d{2,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?=\/|$)/gi;
const MAX_KNOWN = 2000;

/**
 * @typedef {object} Endpoint
 * @property {string} endpointName
 * @property {EndpointHandle} endpoint
 * @property {boolean} isNamed the script gave the name
 */

/**
 * Finds the endpoint of an address; computes the name only once per shape of an address.
 * @param {Pick<Recorder, 'endpoint' | 'rename'>} recorder
 * @param {string} origin of the target; names of other endpoints contain their host
 * @param {readonly string[]} [groups] paths with parameters
 */
export function createEndpoints(recorder, origin, groups = []) {
  /** @type {Map<string, Endpoint>} */
  const known = new Map();
  /** @param {string} name @param {boolean} isNamed @returns {Endpoint} */
  const make = (name, isNamed) => ({
    endpointName: name,
    endpoint: recorder.endpoint(name),
    isNamed,
  });

  return { of, ofRoute };

  /**
   * @param {string} method
   * @param {Address} address
   * @param {unknown} [name] given by the script
   * @returns {Endpoint}
   */
  function of(method, address, name) {
    if (typeof name === 'string' && name !== '') {
      return remember(name, () => make(nameEndpoint({ name }, ''), true));
    }
    const url = readShape(address);
    return remember(`${method} ${url}`, () =>
      make(nameEndpoint({ method, url }, origin, groups), false),
    );
  }

  /**
   * The endpoint of a request whose response names the route, and from then on of others of its path. Names of the
   * script and those of ENDPOINTS stay.
   * @param {RequestOptions} options @param {string} route `/posts/:id`
   * @returns {{name: string, options: RequestOptions}} the name of the route, and the options with their endpoint
   */
  function ofRoute(options, route) {
    const { method, address, endpointName, endpoint, isNamed } = options;
    const name = groupEndpoint(`${method} ${route}`, groups);
    const path = endpointName.slice(method.length + 1);
    const stays = isNamed || groups.includes(path) || !fitsPath(route, path);
    if (stays || !recorder.rename(endpoint, name)) return { name, options };
    const own = make(name, false);
    known.set(`${method} ${readShape(address)}`, own);
    return { name, options: { ...options, ...own } };
  }

  /** @param {Address} address without its query, and with most ids replaced */
  function readShape({ origin: own, path }) {
    const query = path.indexOf('?');
    return own + (query < 0 ? path : path.slice(0, query)).replace(IDS, '/10');
  }

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
