import { nameEndpoint } from '../../../../run/endpoint-names.js';

/** @import { EndpointHandle } from '../../metrics/second.d.ts' */
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
 * @param {ReadonlySet<string>} origins of the target; other hosts are named
 * @param {readonly string[]} [groups] paths with parameters
 */
export function createEndpoints(recorder, origins, groups) {
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
      return remember(name, () => make(nameEndpoint({ name }, ''), true));
    }
    const query = path.indexOf('?');
    const shape = (query < 0 ? path : path.slice(0, query)).replace(IDS, '/0');
    const own = origins.has(origin) ? origin : '';
    return remember(`${method} ${origin}${shape}`, () =>
      make(nameEndpoint({ method, url: origin + shape }, own, groups), false),
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
