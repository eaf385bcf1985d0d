/** Assigns samples to endpoints, in the most reliable way that the recording allows. */

import { entryOf } from '../../../base/files/maps.js';
import { sum } from '../../../base/math/summary.js';
import { markBelow } from '../../stacks/node-table.js';
import { createNativeTest } from '../native-threads.js';
import { nameFunction } from '../path-tables.js';
import { createDealer, splitParts } from '../table/deal-out.js';

/** @import { Attribution, Owner } from './attribution.d.ts' */
/** @typedef {import('../../load/load-rates.d.ts').LoadRates} LoadRates */

/** Least part of the samples with a route; much of a server's work is outside of requests. */
const LEAST_ROUTED = 0.1;

/**
 * @param {object} input
 * @param {import('../../stacks/profile.d.ts').Profile} input.profile
 * @param {import('../../../run/facts/rules.d.ts').Classification} input.classes
 * @param {import('../profile-base.js').ProfileBase} input.base
 * @param {import('../table/merge-tree.js').MergedTree} input.tree
 * @param {Int32Array} input.viewOf per merged node
 * @param {{function: string, file: string}[]} input.functions
 * @param {LoadRates | null} input.load
 * @param {ViewRoute[]} input.viewRoutes from the source of the views
 * @returns {Attribution}
 */
export function attributeSamples(input) {
  const { profile, classes, base, tree, viewOf, functions, load } = input;
  const categoryOf = (/** @type {number} */ node) =>
    classes.categories[classes.category[tree.origin[node] ?? 0] ?? -1]?.id ?? 'unknown';
  const isServer = (/** @type {number} */ node) => categoryOf(node) === 'server';
  if (hasRoutes(profile, base)) return attributeByRoute(profile, load, isServer);
  const asked = load?.endpoints ?? [];
  const [only, ...others] = asked.filter(({ requests }) => requests > 0);
  if (only && others.length === 0)
    return attributeToOne(tree, isServer, only.name, asked.indexOf(only));
  const views = listViews(tree, viewOf, functions);
  const names = asked.map(({ name }) => name);
  const ties = tieByRoute(views, names, input.viewRoutes);
  return attributeByView({ tree, viewOf, views, ties, load });
}

/**
 * A companion that only some workers had, or only for a moment, says too little about the others.
 * @param {import('../../stacks/profile.d.ts').Profile} profile
 * @param {import('../profile-base.js').ProfileBase} base
 */
function hasRoutes(profile, base) {
  if (profile.routes.length === 0) return false;
  const isNative = createNativeTest(profile);
  let [routed, python] = [0, 0];
  for (const [index, row] of base.rows.entries()) {
    const weight = isNative(row) ? 0 : (base.rowWeights[index] ?? 0);
    python += weight;
    if ((profile.rows.route[row] ?? -1) >= 0) routed += weight;
  }
  return routed > 0 && routed >= LEAST_ROUTED * python;
}

/**
 * Functions that are views.
 * @param {import('../table/merge-tree.js').MergedTree} tree
 * @param {Int32Array} viewOf
 * @param {{function: string, file: string}[]} functions
 */
function listViews(tree, viewOf, functions) {
  const ids = new Set(
    [...viewOf].flatMap((view, node) => (view === node ? [tree.function[node] ?? 0] : [])),
  );
  return [...ids].map(id => ({ id, ...(functions[id] ?? { function: '', file: '' }) }));
}

// Assigns views to endpoints by the routes that the source of the views names.

/** @typedef {{function: string, file: string, path: string, methods: string[]}} ViewRoute of a view, from its source */

/** A segment that stands for any other: `<int:id>`, `{id}`, `:id`. */
const ANY = /^(?:<.*>|\{.*\}|:.*)$/;

/**
 * A route is the end of an endpoint's path: a blueprint or a router adds what precedes it. The longest route with the
 * fewest variable parts gets the endpoint; if two views have that route, neither does.
 * @param {{function: string, file: string}[]} views
 * @param {string[]} endpoints names, `GET /api/v1/services/:id`
 * @param {ViewRoute[]} routes
 * @returns {Map<number, number>} index of a view → index of its one endpoint
 */
export function tieByRoute(views, endpoints, routes) {
  const routesOf = views.map(view =>
    routes.filter(route => route.function === view.function && route.file === view.file),
  );
  /** @type {Map<number, number[]>} view → endpoints */
  const found = new Map();
  for (const [endpoint, name] of endpoints.entries()) {
    const fits = routesOf.map(own => Math.max(...own.map(route => measureFit(route, name)), 0));
    const most = Math.max(...fits, 0);
    const view = fits.indexOf(most);
    if (most > 0 && fits.lastIndexOf(most) === view)
      found.set(view, [...(found.get(view) ?? []), endpoint]);
  }
  return new Map(
    [...found].flatMap(([view, [endpoint, ...others]]) =>
      endpoint !== undefined && others.length === 0 ? [[view, endpoint]] : [],
    ),
  );
}

/**
 * @param {ViewRoute} route @param {string} endpoint
 * @returns {number} 0 where the route does not match the endpoint
 */
function measureFit({ path, methods }, endpoint) {
  const [method = '', address = ''] = endpoint.split(' ');
  const own = segmentsOf(path);
  const asked = segmentsOf(address);
  const end = asked.slice(asked.length - own.length);
  if (!methods.includes(method) || own.length > asked.length) return 0;
  const plain = own.filter(segment => !ANY.test(segment));
  // A route with only variable parts is the end of every path.
  if (plain.length === 0 && own.length < asked.length) return 0;
  const isEnd = own.every((segment, index) => ANY.test(segment) || segment === end[index]);
  return isEnd ? 1 + own.length + plain.length : 0;
}

/** @param {string} path */
const segmentsOf = path => path.split('/').filter(Boolean);

// Without the companion, samples below a view belong to the endpoint whose route the view's source states. What
// requests pass through before and after their view is on no view's stack, and belongs to no endpoint.

/**
 * @param {object} input
 * @param {import('../table/merge-tree.js').MergedTree} input.tree
 * @param {Int32Array} input.viewOf per merged node: the node of its view, -1 for none
 * @param {{id: number, function: string, file: string}[]} input.views functions that are views; `id` as in the tree
 * @param {ReadonlyMap<number, number>} input.ties index of a view → index of its endpoint
 * @param {LoadRates | null} input.load
 * @returns {Attribution}
 */
function attributeByView({ tree, viewOf, views, ties, load }) {
  /** @type {Owner[]} */
  const owners = views.map((view, index) => {
    const endpoint = ties.get(index) ?? -1;
    const name = load?.endpoints[endpoint]?.name;
    return name === undefined
      ? { name: nameFunction(view), basis: 'view', endpoint: -1, views: [view.id] }
      : { name, basis: 'source', endpoint, views: [view.id] };
  });
  const ownerOfView = new Map(views.map(({ id }, owner) => [id, owner]));
  return attributeNodes(
    owners.some(({ basis }) => basis === 'view') ? 'view' : 'source',
    owners,
    node => ownerOfView.get(tree.function[viewOf[node] ?? -1] ?? -1) ?? -1,
  );
}

/**
 * Load on a single endpoint: everything that the server does is for its requests; threads beside the server are not.
 * @param {import('../table/merge-tree.js').MergedTree} tree
 * @param {(node: number) => boolean} isServer whether a merged node belongs to the server
 * @param {string} name @param {number} endpoint
 * @returns {Attribution}
 */
function attributeToOne(tree, isServer, name, endpoint) {
  const isBelow = markBelow(tree, node => node > 0 && isServer(node));
  const owner = { name, basis: /** @type {const} */ ('only'), endpoint, views: [] };
  return attributeNodes('only', [owner], node => (isBelow[node] ? 0 : -1));
}

/** Each node has at most one owner. @param {Attribution['basis']} basis @param {Owner[]} owners @param {(node: number) => number} ownerOf @returns {Attribution} */
export const attributeNodes = (basis, owners, ownerOf) => ({
  basis,
  owners,
  isShared: () => false,
  ownerOf: (_row, node) => ownerOf(node),
  split() {},
});

// With the companion, the route is on the stack, so each sample names its endpoint.

/**
 * A route belongs to the endpoint of the same name. Where the script gave its requests other names, their responses
 * show which routes they hit; several names for one route share its samples in proportion to their responses. The
 * server's work around the application is below no route: all requests share it evenly.
 * @param {import('../../stacks/profile.d.ts').Profile} profile
 * @param {LoadRates | null} load
 * @param {(node: number) => boolean} [isServer] whether a merged node belongs to the server
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
    // A worker names the first request to a route by its path.
    const known = owners.findIndex(({ name }) => name === route);
    const owner = known < 0 ? owners.push(makeOwner(route, -1)) - 1 : known;
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
export const makeOwner = (name, endpoint) => ({ name, basis: 'companion', endpoint, views: [] });

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
    const others = routes ? requests - sum(Object.values(routes)) : Math.max(1, requests);
    answers[owner] = routes?.[route] ?? (name === route ? Math.max(0, others) : 0);
  }
  return answers;
}

/**
 * Divides samples among all requests of their time: each endpoint gets them in proportion to its requests.
 * @param {Attribution['owners']} owners
 * @param {LoadRates['endpoints']} asked
 * @returns {(window: number, path: number, weight: number, visit: (owner: number, weight: number) => void) => void}
 */
function createEvenSplit(owners, asked) {
  /** @param {(endpoint: LoadRates['endpoints'][number] | undefined) => number} requestsOf */
  const weigh = requestsOf => splitParts(owners.map(({ endpoint }) => requestsOf(asked[endpoint])));
  const all = weigh(endpoint => endpoint?.requests ?? 0);
  /** @type {Map<number, import('../table/deal-out.js').Parts>} */
  const partsOf = new Map();
  /** @type {Map<number, ReturnType<typeof createDealer>>} one per path, so that no path goes to a few owners only */
  const dealers = new Map();
  return (window, path, weight, visit) => {
    const parts = entryOf(partsOf, window, () => {
      const own = weigh(endpoint => endpoint?.perWindow[window] ?? 0);
      return own.owners.length > 0 ? own : all;
    });
    if (parts.owners.length === 0) return visit(-1, weight);
    entryOf(dealers, path, () => createDealer(owners.length))(weight, parts, visit);
  };
}
