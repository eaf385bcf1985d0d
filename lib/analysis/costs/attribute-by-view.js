/**
 * Without the companion: samples below a view are of the endpoint that the view answers. What requests
 * go through before and after their view (the framework, a decorator) stands on no view's stack; it is
 * shared out evenly to the requests that go through it, as is what the server does around the application.
 */
import { nameFunction } from '../profile/functions-of.js';
import { createSharingGroups, NOBODY } from './sharing-groups.js';

/** @typedef {import('./attribution.d.ts').Attribution} Attribution */
/** @typedef {import('./attribution.d.ts').LoadRates} LoadRates */
/** @typedef {import('./attribution.d.ts').Owner} Owner */
/** @typedef {import('./tie-views.js').Tie} Tie */

/** Ways in which views are tied, the least trusted first. */
const TRUST = /** @type {const} */ (['view', 'least-squares', 'name', 'source']);
/** What `ownerOf` says of a node of a group. */
const SEVERAL = -2;

/**
 * @param {object} input
 * @param {import('../table/merge-tree.js').MergedTree} input.tree
 * @param {Int32Array} input.viewOf per merged node: the node of its view, -1 for none
 * @param {(node: number) => boolean} input.isOutside whether a merged node is outside of the application
 * @param {(node: number) => boolean} input.isServer whether it is of the server
 * @param {{id: number, function: string, file: string}[]} input.views functions that are views; `id` as in the tree
 * @param {Tie[][]} input.ties per view
 * @param {LoadRates | null} input.load
 * @returns {Attribution}
 */
export function attributeByView({ tree, viewOf, isOutside, isServer, views, ties, load }) {
  const { owners, ownerOfEndpoint } = listOwners(views, ties, load);
  const groups = createSharingGroups(owners, load);
  const viewIndex = new Map(views.map(({ id }, index) => [id, index]));
  const codeOfView = views.map((view, index) => {
    const own = ties[index] ?? [];
    const owner = owners.findIndex(
      ({ endpoint, views: ids }) => endpoint < 0 && ids[0] === view.id,
    );
    if (own.length === 0) return owner;
    if (own.length === 1) return ownerOfEndpoint.get(own[0]?.endpoint ?? -1) ?? NOBODY;
    return groups.add(
      new Map(own.map(tie => [ownerOfEndpoint.get(tie.endpoint) ?? 0, tie.perRequest])),
      'own',
    );
  });
  const codes = codeNodes(
    { tree, viewOf, isOutside, isServer, owners, groups },
    node => codeOfView[viewIndex.get(tree.function[node] ?? -1) ?? -1] ?? NOBODY,
  );
  return {
    basis: TRUST.find(one => owners.some(({ basis }) => basis === one)) ?? 'name',
    owners,
    isShared: node => groups.isShared(codes[node] ?? NOBODY),
    ownerOf: (_row, node) => Math.max(SEVERAL, codes[node] ?? NOBODY),
    split(_row, node, window, path, weight, visit) {
      groups.deal(codes[node] ?? NOBODY, window, path, weight, visit);
    },
  };
}

/**
 * Endpoints that views answer; where every view is tied, those whose views were never seen, too. Then
 * views that fit no endpoint.
 * @param {{id: number, function: string, file: string}[]} views
 * @param {Tie[][]} ties
 * @param {LoadRates | null} load
 */
function listOwners(views, ties, load) {
  /** @type {Owner[]} */
  const owners = [];
  /** @type {Map<number, number>} */
  const ownerOfEndpoint = new Map();
  const isTied = (/** @type {unknown} */ _, /** @type {number} */ index) =>
    (ties[index] ?? []).length > 0;
  const all = load && views.length > 0 && views.every(isTied);
  for (const [endpoint, { name, requests }] of load?.endpoints.entries() ?? []) {
    const own = views.flatMap((view, index) =>
      (ties[index] ?? []).filter(tie => tie.endpoint === endpoint).map(tie => ({ view, tie })),
    );
    if (requests === 0 || (own.length === 0 && !all)) continue;
    const rates = own.filter(({ tie }) => tie.basis === 'least-squares');
    ownerOfEndpoint.set(endpoint, owners.length);
    owners.push({
      name,
      basis: TRUST.find(one => own.some(({ tie }) => tie.basis === one)) ?? 'name',
      endpoint,
      doubt: Math.max(0, ...rates.map(({ tie }) => tie.doubt)),
      views: own.map(({ view }) => view.id),
    });
  }
  for (const [index, view] of views.entries())
    if ((ties[index] ?? []).every(tie => !ownerOfEndpoint.has(tie.endpoint)))
      owners.push({
        name: nameFunction(view),
        basis: 'view',
        endpoint: -1,
        doubt: 0,
        views: [view.id],
      });
  return { owners, ownerOfEndpoint };
}

/**
 * @param {Pick<Parameters<typeof attributeByView>[0], 'tree' | 'viewOf' | 'isOutside' | 'isServer'> & {
 *   owners: Owner[], groups: ReturnType<typeof createSharingGroups>}} context
 * @param {(viewNode: number) => number} codeOf
 * @returns {Int32Array} per merged node
 */
function codeNodes({ tree, viewOf, isOutside, isServer, owners, groups }, codeOf) {
  const { parent } = tree;
  const codes = new Int32Array(parent.length).fill(NOBODY);
  /** @type {Map<number, Set<number>>} node above views → owners that are reached through it */
  const below = new Map();
  for (let node = parent.length - 1; node > 0; node--) {
    const above = parent[node] ?? 0;
    const own = viewOf[node] === node ? groups.ownersOf(codeOf(node)) : below.get(node);
    if (!own || (viewOf[above] ?? -1) >= 0) continue;
    const set = below.get(above) ?? new Set();
    below.set(above, set);
    for (const owner of own) set.add(owner);
  }
  const reached = new Set(below.get(0));
  const inside = new Uint8Array(parent.length);
  const everybody = groups.everybody();
  for (let node = 1; node < parent.length; node++) {
    const above = parent[node] ?? 0;
    const view = viewOf[node] ?? -1;
    if (view >= 0) {
      codes[node] = view === node ? codeOf(node) : (codes[above] ?? NOBODY);
      continue;
    }
    const own = below.get(node);
    inside[node] = inside[above] || (own && !isOutside(node)) ? 1 : 0;
    if (!inside[node]) codes[node] = isServer(node) ? everybody : NOBODY;
    else if (!own) codes[node] = codes[above] ?? NOBODY;
    else {
      const endpoints = [...own].filter(owner => (owners[owner]?.endpoint ?? -1) >= 0);
      codes[node] =
        endpoints.length === 0
          ? NOBODY
          : groups.add(
              new Map(endpoints.map(owner => [owner, 1])),
              own.size === reached.size ? 'everybody' : 'some',
            );
    }
  }
  return codes;
}
