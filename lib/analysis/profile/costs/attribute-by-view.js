/**
 * Without the companion: samples below a view are of the endpoint whose route the source of the view states. What
 * requests go through before and after their view stands on no view's stack, and is of no endpoint.
 */
import { nameFunction } from '../path-tables.js';

/** @typedef {import('./attribution.d.ts').Attribution} Attribution */
/** @typedef {import('../../load/load-rates.d.ts').LoadRates} LoadRates */
/** @typedef {import('./attribution.d.ts').Owner} Owner */

/**
 * @param {object} input
 * @param {import('../table/merge-tree.js').MergedTree} input.tree
 * @param {Int32Array} input.viewOf per merged node: the node of its view, -1 for none
 * @param {{id: number, function: string, file: string}[]} input.views functions that are views; `id` as in the tree
 * @param {ReadonlyMap<number, number>} input.ties index of a view → index of its endpoint
 * @param {LoadRates | null} input.load
 * @returns {Attribution}
 */
export function attributeByView({ tree, viewOf, views, ties, load }) {
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
 * A load of one endpoint: all that the server does is for its requests; threads beside it are not.
 * @param {import('../table/merge-tree.js').MergedTree} tree
 * @param {(node: number) => boolean} isServer whether a merged node is of the server
 * @param {string} name @param {number} endpoint
 * @returns {Attribution}
 */
export function attributeToOne({ parent }, isServer, name, endpoint) {
  const isBelow = new Uint8Array(parent.length);
  for (let node = 1; node < parent.length; node++)
    isBelow[node] = isBelow[parent[node] ?? 0] || isServer(node) ? 1 : 0;
  const owner = { name, basis: /** @type {const} */ ('only'), endpoint, views: [] };
  return attributeNodes('only', [owner], node => (isBelow[node] ? 0 : -1));
}

/** @param {Attribution['basis']} basis @param {Owner[]} owners @param {(node: number) => number} ownerOf @returns {Attribution} */
const attributeNodes = (basis, owners, ownerOf) => ({
  basis,
  owners,
  isShared: () => false,
  ownerOf: (_row, node) => ownerOf(node),
  split: (_row, node, _window, _path, weight, visit) => visit(ownerOf(node), weight),
});
