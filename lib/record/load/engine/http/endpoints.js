/** @import { EndpointHandle } from '../../metrics/second-recorder.js' */
/** @import { Recorder } from '../engine.d.ts' */
/** @import { Address } from './address.js' */

/** Most ids of paths are these; they are folded before the name is looked up. */
const IDS = /\/(?:\d+|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?=\/|$)/gi;
const MAX_KNOWN = 2000;

/**
 * @typedef {object} Endpoint
 * @property {string} endpointName
 * @property {EndpointHandle} endpoint
 * @property {boolean} isNamed by the script
 */

/**
 * Endpoints by address; the name of an address is worked out once for each of its shapes.
 * @param {Pick<Recorder, 'endpoint'>} recorder
 * @param {string} target
 */
export function createEndpoints(recorder, target) {
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
    const { origin, path } = address;
    if (typeof name === 'string' && name !== '') {
      return remember(name, () => make(nameEndpoint({ name }, target), true));
    }
    const query = path.indexOf('?');
    const shape = (query < 0 ? path : path.slice(0, query)).replace(IDS, '/0');
    return remember(`${method} ${origin}${shape}`, () =>
      make(nameEndpoint({ method, url: origin + shape }, target), false),
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

// -- The name under which requests are summed up: method and path, with ids folded.

const NUMBER = /^\d+$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const LONG_HEX = /^(?=.*\d)[0-9a-f]{16,}$/i;
/** Tokens and hashes in other alphabets; words of a path are not that long and rarely hold digits. */
const LONG_MIXED = /^(?=(?:.*\d){2})(?=.*[A-Za-z])[\w-]{24,}$/;

/**
 * @param {{method?: string, url?: string, name?: unknown}} request
 * @param {string} target its address; other hosts are named
 */
export function nameEndpoint({ method = 'GET', url = '', name }, target) {
  if (typeof name === 'string' && name !== '') return name.slice(0, 200);
  if (!URL.canParse(url)) return `${method} (no address)`;
  const { origin, pathname } = new URL(url);
  const path = pathname.split('/').map(foldId).join('/').slice(0, 200);
  const own = URL.canParse(target) && new URL(target).origin === origin;
  return `${method} ${own ? '' : origin}${path}`;
}

/** @param {string} segment */
function foldId(segment) {
  return [NUMBER, UUID, LONG_HEX, LONG_MIXED].some(id => id.test(segment)) ? ':id' : segment;
}
