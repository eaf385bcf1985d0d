/** Ties samples to endpoints, in the most trusted way that the recording allows. */
import { createNativeTest } from '../native-threads.js';
import { attributeByRoute } from './attribute-by-route.js';
import { attributeByView, attributeToOne } from './attribute-by-view.js';
import { tieByRoute } from './tie-by-route.js';

/** @typedef {import('./attribution.d.ts').Attribution} Attribution */
/** @typedef {import('../../load/load-rates.d.ts').LoadRates} LoadRates */

/** Part of the samples that must tell a route; much of a server's work is outside of requests. */
const LEAST_TOLD = 0.1;

/**
 * @param {object} input
 * @param {import('../../../profile/profile.d.ts').Profile} input.profile
 * @param {import('../../../facts/rules.d.ts').Classification} input.classes
 * @param {import('../profile-base.js').ProfileBase} input.base
 * @param {import('../table/merge-tree.js').MergedTree} input.tree
 * @param {Int32Array} input.viewOf per merged node
 * @param {{function: string, file: string}[]} input.functions
 * @param {LoadRates | null} input.load
 * @param {import('./tie-by-route.js').ViewRoute[]} input.viewRoutes as the source of views has them
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
 * A companion that only some workers had, or for a moment, says too little of the others.
 * @param {import('../../../profile/profile.d.ts').Profile} profile
 * @param {import('../profile-base.js').ProfileBase} base
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
