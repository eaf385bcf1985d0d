/** Finds what the parts of a report have of one endpoint of the load. */

/**
 * @template {{loadEndpoint: string | null}} Cost
 * @param {{costs?: {endpoints: Cost[]} | null}} report
 * @param {string | null} endpoint
 */
export function findCostOf({ costs }, endpoint) {
  return costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === endpoint);
}

/**
 * @template {{name: string}} Calls
 * @param {{calls?: {endpoints: Calls[]} | null}} report
 * @param {string | null} endpoint
 */
export function findCallsOf({ calls }, endpoint) {
  return calls?.endpoints.find(({ name }) => name === endpoint);
}
