/** Ties views to endpoints by what both are called. */
import { countSharedSegments, wordsOfEndpoint, wordsOfView } from './name-words.js';

/** @typedef {import('./name-words.js').Words} Words */

/** A fit must be this good, and this much better than the next one. */
const LEAST = 0.5;
const MARGIN = 0.1;
/** A word of the module counts less than one of the function or class. */
const NEAR = 0.6;

/**
 * A view and an endpoint belong together when each fits the other best, and no third one nearly as well.
 * What is tied is out of the way of the others, so this goes on until nothing more can be said.
 * @param {{function: string, file: string}[]} views
 * @param {string[]} endpoints names, `GET /api/v1/services/`
 * @param {ReadonlyMap<number, number>} [known] ties that are out of the way from the start
 * @returns {Map<number, number>} index of a view → index of its endpoint, `known` among them
 */
export function tieByName(views, endpoints, known = new Map()) {
  const prefix = endpoints.length > 1 ? countSharedSegments(endpoints) : 0;
  const ofEndpoints = endpoints.map(name => wordsOfEndpoint(name, prefix));
  const fits = views.map(view => {
    const words = wordsOfView(view);
    return ofEndpoints.map(endpoint => measureFit(words, endpoint));
  });
  const ties = new Map(known);
  const taken = new Set(known.values());
  for (let before = -1; before !== ties.size; ) {
    before = ties.size;
    const freeViews = views.map((_, view) => view).filter(view => !ties.has(view));
    const freeEndpoints = endpoints.map((_, index) => index).filter(index => !taken.has(index));
    for (const view of freeViews) {
      const best = findBest(freeEndpoints, endpoint => fits[view]?.[endpoint] ?? 0);
      if (best === null || taken.has(best)) continue;
      const back = findBest(freeViews, other => fits[other]?.[best] ?? 0);
      if (back !== view) continue;
      ties.set(view, best);
      taken.add(best);
    }
  }
  return ties;
}

/** The one that fits clearly best. @param {number[]} candidates @param {(candidate: number) => number} fitOf */
function findBest(candidates, fitOf) {
  let [best, most, second] = [-1, 0, 0];
  for (const candidate of candidates) {
    const fit = fitOf(candidate);
    if (fit > most) [best, most, second] = [candidate, fit, most];
    else if (fit > second) second = fit;
  }
  return most >= LEAST && most - second >= MARGIN ? best : null;
}

/**
 * How much of the endpoint's words the view has, less what the view has beyond.
 * @param {Words} view @param {Words} endpoint
 * @returns {number} at most 1; 0 where methods contradict
 */
function measureFit(view, endpoint) {
  if (view.method && endpoint.method && view.method !== endpoint.method) {
    const both = new Set([view.method, endpoint.method]);
    const isChange = [...both].every(method => ['PUT', 'PATCH', 'POST'].includes(method));
    // `update_…` may be a PUT or a PATCH or a POST; `put` is a PUT
    if (view.isExact || !isChange) return 0;
  }
  if (endpoint.words.length === 0) return view.words.length === 0 ? LEAST : 0;
  let found = 0;
  for (const word of endpoint.words)
    found += view.words.includes(word) ? 1 : view.near.includes(word) ? NEAR : 0;
  if (found === 0) return 0;
  const beyond = view.words.filter(word => !endpoint.words.includes(word)).length;
  const extra = view.words.length > 0 ? (0.5 * beyond) / view.words.length : 0;
  const number =
    view.isOne === null || endpoint.isOne === null
      ? 0
      : view.isOne === endpoint.isOne
        ? 0.15
        : -0.15;
  const method = view.method === endpoint.method ? 0.1 : 0;
  return found / endpoint.words.length - extra + number + method;
}
