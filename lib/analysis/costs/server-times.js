/** What answers said of themselves: the companion's `Server-Timing`, summed up per endpoint by the load generator. */

/**
 * @typedef {object} ServerTimes sums
 * @property {number} count answers that told
 * @property {number} totalMs
 * @property {number | null} cpuMs thread CPU; null where the worker can't tell
 */

/**
 * @param {Record<string, any>[]} records `second` records
 * @returns {Map<string, ServerTimes>} by name of the endpoint
 */
export function sumServerTimes(records) {
  /** @type {Map<string, ServerTimes>} */
  const sums = new Map();
  for (const { kind, endpoints } of records) {
    if (kind !== 'second') continue;
    for (const [name, { server }] of Object.entries(endpoints ?? {})) {
      if (!server) continue;
      const sum = sums.get(name) ?? { count: 0, totalMs: 0, cpuMs: 0 };
      sums.set(name, sum);
      sum.count += server.count;
      sum.totalMs += server.totalMs;
      // one answer without it, and the mean would be of others
      sum.cpuMs = sum.cpuMs === null || server.cpuMs === null ? null : sum.cpuMs + server.cpuMs;
    }
  }
  return sums;
}

/**
 * Where requests that the script gave a name went: answers per route.
 * @param {Record<string, any>[]} records `second` records
 * @returns {Map<string, Record<string, number>>} by name of the endpoint
 */
export function sumRoutes(records) {
  /** @type {Map<string, Record<string, number>>} */
  const sums = new Map();
  for (const { kind, endpoints } of records) {
    if (kind !== 'second') continue;
    for (const [name, { routes }] of Object.entries(endpoints ?? {})) {
      if (!routes) continue;
      const sum = sums.get(name) ?? {};
      sums.set(name, sum);
      for (const [route, answers] of Object.entries(routes)) {
        sum[route] = (sum[route] ?? 0) + Number(answers);
      }
    }
  }
  return sums;
}
