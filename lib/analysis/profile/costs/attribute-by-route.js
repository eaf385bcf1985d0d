/** With the companion the route stands on the stack, so each sample says whose it is. */

import { createDealer, splitParts } from '../table/apportion.js';

/** @typedef {import('./attribution.d.ts').Attribution} Attribution */
/** @typedef {import('../../load/load-rates.d.ts').LoadRates} LoadRates */

/**
 * A route is the endpoint of its name. Where the script gave requests names of its own, their answers
 * tell which routes they go to; several names of one route share its samples by their answers. What the
 * server does around the application stands below no route: all requests share it evenly.
 * @param {import('../../../profile/profile.d.ts').Profile} profile
 * @param {LoadRates | null} load
 * @param {(node: number) => boolean} [isServer] whether a merged node is of the server
 * @returns {Attribution}
 */
export function attributeByRoute({ routes, rows }, load, isServer = () => false) {
  const asked = load?.endpoints ?? [];
  /** @type {Attribution['owners']} */
  const owners = asked.flatMap(({ name, requests }, endpoint) =>
    requests > 0 || routes.includes(name) ? [makeOwner(name, endpoint)] : [],
  );
  const ownerOf = new Map(owners.map(({ endpoint }, owner) => [endpoint, owner]));
  const partsOf = routes.map(route => {
    const parts = splitParts(countAnswers(route, asked, ownerOf));
    if (parts.owners.length > 0) return parts;
    const owner = owners.push(makeOwner(route, -1)) - 1;
    return { owners: Int32Array.of(owner), parts: Float64Array.of(1) };
  });
  const splitEvenly = createEvenSplit(owners, asked);
  const isAround = (/** @type {number} */ node, /** @type {number} */ row = -1) =>
    (rows.route[row] ?? -1) < 0 && isServer(node);
  const dealers = routes.map(() => createDealer(owners.length));
  return {
    basis: 'companion',
    isShared: isAround,
    owners,
    ownerOf(row, node) {
      if (isAround(node, row)) return -2;
      const parts = partsOf[rows.route[row] ?? -1];
      return parts === undefined ? -1 : parts.owners.length === 1 ? (parts.owners[0] ?? -1) : -2;
    },
    split(row, node, window, path, weight, visit) {
      if (isAround(node, row)) return splitEvenly(window, path, weight, visit);
      const route = rows.route[row] ?? -1;
      const parts = partsOf[route];
      if (parts) dealers[route]?.(weight, parts, visit);
    },
  };
}

/** @param {string} name @param {number} endpoint @returns {Attribution['owners'][number]} */
export const makeOwner = (name, endpoint) => ({
  name,
  basis: 'companion',
  endpoint,
  views: [],
});

/**
 * @param {string} route
 * @param {LoadRates['endpoints']} asked
 * @param {Map<number, number>} ownerOf endpoint → owner
 * @returns {Float64Array} per owner
 */
function countAnswers(route, asked, ownerOf) {
  const answers = new Float64Array(ownerOf.size);
  for (const [endpoint, { name, requests, routes }] of asked.entries()) {
    const owner = ownerOf.get(endpoint);
    if (owner === undefined) continue;
    answers[owner] = routes ? (routes[route] ?? 0) : name === route ? Math.max(1, requests) : 0;
  }
  return answers;
}

/**
 * Divides samples among all requests of their time: each endpoint has them by how many requests it had.
 * @param {Attribution['owners']} owners
 * @param {LoadRates['endpoints']} asked
 * @returns {(window: number, path: number, weight: number, visit: (owner: number, weight: number) => void) => void}
 */
function createEvenSplit(owners, asked) {
  /** @param {(endpoint: LoadRates['endpoints'][number] | undefined) => number} requestsOf */
  const weigh = requestsOf => splitParts(owners.map(({ endpoint }) => requestsOf(asked[endpoint])));
  const all = weigh(endpoint => endpoint?.requests ?? 0);
  /** @type {Map<number, import('../table/apportion.js').Parts>} */
  const partsOf = new Map();
  /** @type {Map<number, ReturnType<typeof createDealer>>} a path each, so that none goes to few owners only */
  const dealers = new Map();
  return (window, path, weight, visit) => {
    let parts = partsOf.get(window);
    if (!parts) {
      parts = weigh(endpoint => endpoint?.perWindow[window] ?? 0);
      partsOf.set(window, parts.owners.length > 0 ? parts : all);
    }
    if (parts.owners.length === 0) parts = all;
    if (parts.owners.length === 0) return visit(-1, weight);
    const deal = dealers.get(path) ?? createDealer(owners.length);
    dealers.set(path, deal);
    deal(weight, parts, visit);
  };
}
