/**
 * Ties views to the endpoints that they answer: by the routes in their source, else by name, else by how
 * their CPU follows the endpoints' rates.
 */
import { estimateNonNegative } from '../../math/least-squares.js';
import { tieByName } from './tie-by-name.js';
import { tieByRoute } from './tie-by-route.js';

/** Too few windows or samples to tell one rate from another. */
const MIN_WINDOWS = 8;
const MIN_SAMPLES = 100;
/** Part of a view's samples that an endpoint must have to be worth naming. */
const MIN_PART = 0.02;
/** Up to this part, what may be nothing at all is taken for nothing. */
const SMALL_PART = 0.15;
/** A cost whose interval is wider than this on either side says nothing. */
const MAX_DOUBT = 0.5;

/**
 * @typedef {object} View
 * @property {string} function
 * @property {string} file
 * @property {number} samples
 * @property {Float64Array} perWindow
 *
 * @typedef {object} Tie of a view to an endpoint
 * @property {number} endpoint index
 * @property {'source' | 'name' | 'least-squares'} basis
 * @property {number} perRequest samples per request; 1 where the whole view is the endpoint's
 * @property {number} doubt how far the 95 % interval goes to either side, relative to `perRequest`; 0 by route and name
 */

/**
 * @param {View[]} views
 * @param {{name: string, perWindow: ArrayLike<number>, requests: number}[]} endpoints
 * @param {import('./tie-by-route.js').ViewRoute[]} [routes] as far as the source of views could be read
 * @returns {Tie[][]} per view; none where nothing fits
 */
export function tieViews(views, endpoints, routes = []) {
  const names = endpoints.map(({ name }) => name);
  const bySource = tieByRoute(views, names, routes);
  const tied = tieByName(views, names, bySource);
  const taken = new Set(tied.values());
  const free = endpoints.flatMap((endpoint, index) =>
    taken.has(index) || endpoint.requests === 0 ? [] : [{ ...endpoint, index }],
  );
  return views.map((view, index) => {
    const endpoint = tied.get(index);
    if (endpoint === undefined) return tieByRate(view, free);
    const basis = bySource.has(index) ? 'source' : 'name';
    return [{ endpoint, basis, perRequest: 1, doubt: 0 }];
  });
}

/**
 * @param {View} view
 * @param {{index: number, perWindow: ArrayLike<number>, requests: number}[]} endpoints
 * @returns {Tie[]} none where it can't be told
 */
function tieByRate({ samples, perWindow }, endpoints) {
  if (endpoints.length === 0 || perWindow.length < MIN_WINDOWS || samples < MIN_SAMPLES) return [];
  const estimates = estimateNonNegative(
    perWindow,
    endpoints.map(endpoint => endpoint.perWindow),
  );
  let isSure = true;
  const ties = estimates.flatMap(({ value, low, high }, at) => {
    const endpoint = endpoints[at];
    if (!endpoint) return [];
    const part = (value * endpoint.requests) / samples;
    if (part < (low > 0 ? MIN_PART : SMALL_PART)) return [];
    const doubt = Math.max(value - low, high - value) / value;
    if (part >= SMALL_PART && doubt > MAX_DOUBT) isSure = false;
    const basis = /** @type {const} */ ('least-squares');
    return [{ endpoint: endpoint.index, basis, perRequest: value, doubt }];
  });
  return isSure ? ties : [];
}
