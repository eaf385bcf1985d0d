/** What a decorator of the application calls besides the view. */

/**
 * A decorator's helper looks like a view: a function of the application, called by the frame that views
 * are called by. Where every endpoint that was asked for has a view already, functions that are only ever
 * called by such decorators and fit no endpoint are helpers; their time is the decorator's.
 * @param {object} input
 * @param {import('../table/merge-tree.js').MergedTree} input.tree
 * @param {Int32Array} input.viewOf per merged node; changed in place
 * @param {(node: number) => boolean} input.isOwn whether a merged node is a function of the application
 * @param {{id: number}[]} input.views functions
 * @param {import('./tie-views.js').Tie[][]} input.ties per view
 * @param {import('./attribution.d.ts').LoadRates | null} input.load
 * @returns {Set<number>} ids of the functions that are no views
 */
export function dropHelpers({ tree, viewOf, isOwn, views, ties, load }) {
  /** @type {Set<number>} */
  const helpers = new Set();
  const tied = new Set(ties.flat().map(({ endpoint }) => endpoint));
  const asked = load?.endpoints ?? [];
  if (tied.size === 0 || asked.some(({ requests }, index) => requests > 0 && !tied.has(index)))
    return helpers;
  for (const [index, { id }] of views.entries()) if (ties[index]?.length === 0) helpers.add(id);
  for (let node = 1; node < viewOf.length; node++)
    if (viewOf[node] === node && !isOwn(tree.parent[node] ?? 0))
      helpers.delete(tree.function[node] ?? -1);
  for (let node = 1; node < viewOf.length; node++) {
    const view = viewOf[node] ?? -1;
    if (view >= 0 && helpers.has(tree.function[view] ?? -1)) viewOf[node] = -1;
  }
  return helpers;
}
