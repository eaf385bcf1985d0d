/** Ties samples to endpoints, in the most trusted way that the recording allows. */
import { attributeByRoute } from './attribute-by-route.js';
import { attributeByView } from './attribute-by-view.js';
import { dropHelpers } from './drop-helpers.js';
import { tieViews } from './tie-views.js';

/** @typedef {import('./attribution.d.ts').Attribution} Attribution */
/** @typedef {import('./attribution.d.ts').LoadRates} LoadRates */

/** What is around the application, and not of any request's own. */
const AROUND = new Set(['server', 'unknown', 'import', 'dev-tools']);

/** Part of the samples that must tell a route; much of a server's work is outside of requests. */
const LEAST_TOLD = 0.1;

/**
 * @param {object} input
 * @param {import('../../profile/profile.d.ts').Profile} input.profile
 * @param {import('../../hotpath/rules.d.ts').Classification} input.classes
 * @param {import('../profile-base.js').ProfileBase} input.base
 * @param {import('../table/create-pieces.js').VisitPieces} input.pieces
 * @param {import('../table/merge-tree.js').MergedTree} input.tree
 * @param {Int32Array} input.viewOf per merged node; what turns out to be no view is taken out of it
 * @param {{function: string, file: string}[]} input.functions
 * @param {LoadRates | null} input.load
 * @param {number} input.windowCount
 * @returns {Attribution}
 */
export function attributeSamples(input) {
  const { profile, classes, base, tree, viewOf, functions, load } = input;
  if (hasRoutes(profile, base)) return attributeByRoute(profile, load);
  const found = countViews(input);
  const tiesOfAll = tieViews(found, load?.endpoints ?? []);
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
  const isServer = (/** @type {number} */ node) => {
    const category = classes.categories[classes.category[tree.origin[node] ?? 0] ?? -1];
    return AROUND.has(category?.id ?? 'unknown');
  };
  return attributeByView({
    tree,
    viewOf,
    isServer,
    views: views.map(({ id }) => ({ id, ...(functions[id] ?? { function: '', file: '' }) })),
    ties,
    load,
  });
}

/**
 * A companion that only some workers had, or for a moment, says too little of the others.
 * @param {import('../../profile/profile.d.ts').Profile} profile
 * @param {import('../profile-base.js').ProfileBase} base
 */
function hasRoutes({ routes, rows }, base) {
  if (routes.length === 0) return false;
  let told = 0;
  for (let index = 0; index < base.rows.length; index++)
    if ((rows.route[base.rows[index] ?? 0] ?? -1) >= 0) told += base.rowWeights[index] ?? 0;
  return told >= LEAST_TOLD * base.total;
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
