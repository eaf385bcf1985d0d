/** Ties samples to endpoints, in the most trusted way that the recording allows. */
import { createNativeTest } from '../profile/native-threads.js';
import { attributeByRoute } from './attribute-by-route.js';
import { attributeByView } from './attribute-by-view.js';
import { tieViews } from './tie-views.js';

/** @typedef {import('./attribution.d.ts').Attribution} Attribution */
/** @typedef {import('./attribution.d.ts').LoadRates} LoadRates */

/** What is around the application, and not of any request's own. */
const AROUND = new Set(['server', 'unknown', 'import', 'startup', 'dev-tools']);

/** Part of the samples that must tell a route; much of a server's work is outside of requests. */
const LEAST_TOLD = 0.1;

/**
 * @param {object} input
 * @param {import('../../profile/profile.d.ts').Profile} input.profile
 * @param {import('../../hotpath/rules.d.ts').Classification} input.classes
 * @param {import('../profile/profile-base.js').ProfileBase} input.base
 * @param {import('../table/create-pieces.js').VisitPieces} input.pieces
 * @param {import('../table/merge-tree.js').MergedTree} input.tree
 * @param {Int32Array} input.viewOf per merged node; what turns out to be no view is taken out of it
 * @param {{function: string, file: string}[]} input.functions
 * @param {LoadRates | null} input.load
 * @param {number} input.windowCount
 * @param {import('./tie-by-route.js').ViewRoute[]} input.viewRoutes as the source of views has them
 * @returns {Attribution}
 */
export function attributeSamples(input) {
  const { profile, classes, base, tree, viewOf, functions, load } = input;
  const categoryOf = (/** @type {number} */ node) =>
    classes.categories[classes.category[tree.origin[node] ?? 0] ?? -1]?.id ?? 'unknown';
  const isServer = (/** @type {number} */ node) => categoryOf(node) === 'server';
  if (hasRoutes(profile, base)) return attributeByRoute(profile, load, isServer);
  const found = countViews(input);
  const tiesOfAll = tieViews(found, load?.endpoints ?? [], input.viewRoutes);
  const helpers = dropHelpers({
    tree,
    viewOf,
    isOwn: node =>
      classes.identities[profile.nodes.frame[tree.origin[node] ?? -1] ?? -1]?.origin === 'user',
    views: found,
    ties: tiesOfAll,
    load,
  });
  const views = found.filter(({ id }) => !helpers.has(id));
  const ties = tiesOfAll.filter((_, index) => !helpers.has(found[index]?.id ?? -1));
  return attributeByView({
    tree,
    viewOf,
    isOutside: node => AROUND.has(categoryOf(node)),
    isServer,
    views: views.map(({ id }) => ({ id, ...(functions[id] ?? { function: '', file: '' }) })),
    ties,
    load,
  });
}

/**
 * A companion that only some workers had, or for a moment, says too little of the others.
 * @param {import('../../profile/profile.d.ts').Profile} profile
 * @param {import('../profile/profile-base.js').ProfileBase} base
 */
function hasRoutes(profile, base) {
  if (profile.routes.length === 0) return false;
  const isNative = createNativeTest(profile);
  let [told, python] = [0, 0];
  for (const [index, row] of base.rows.entries()) {
    const weight = isNative(row) ? 0 : (base.rowWeights[index] ?? 0);
    python += weight;
    if ((profile.rows.route[row] ?? -1) >= 0) told += weight;
  }
  return told > 0 && told >= LEAST_TOLD * python;
}

/**
 * Functions that are views, with their samples over time.
 * @param {Parameters<typeof attributeSamples>[0]} input
 * @returns {(import('./tie-views.js').View & {id: number})[]} most samples first
 */
function countViews({ profile, base, pieces, tree, viewOf, functions, windowCount }) {
  /** @type {Map<number, import('./tie-views.js').View & {id: number}>} */
  const views = new Map();
  pieces((index, window, weight) => {
    const leaf = profile.rows.node[base.rows[index] ?? 0] ?? -1;
    const view = leaf < 0 ? -1 : (viewOf[tree.place[leaf] ?? 0] ?? -1);
    if (view < 0) return;
    const id = tree.function[view] ?? 0;
    let own = views.get(id);
    if (!own) {
      const of = functions[id] ?? { function: '', file: '' };
      own = { id, ...of, samples: 0, perWindow: new Float64Array(windowCount) };
      views.set(id, own);
    }
    own.samples += weight;
    own.perWindow[window] = (own.perWindow[window] ?? 0) + weight;
  });
  return [...views.values()].sort((a, b) => b.samples - a.samples);
}

// What a decorator of the application calls besides the view.

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
function dropHelpers({ tree, viewOf, isOwn, views, ties, load }) {
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
