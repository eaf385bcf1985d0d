import { addServer } from '../../run/server-sums.js';

/** @import { EndpointHandle, EndpointSecond } from './second.d.ts' */

/** Of one endpoint: a recorded session may have a step for each page of a list. */
const MAX_QUERIES = 10;
const LONGEST_QUERY = 100;

/**
 * Sums up responses by the query of their step, once their endpoint has a second one.
 * @param {EndpointHandle} handle @param {EndpointSecond} entry @param {string | null} query
 * @param {(text: string) => string} redact @param {(number | null)[]} amounts statements and CPU time; null: not known
 */
export function addQuery(handle, entry, query, redact, amounts) {
  if (query === null) return;
  handle.queries ??= new Map();
  const { queries } = handle;
  if (!queries.has(query) && queries.size < MAX_QUERIES)
    queries.set(query, redact(query).slice(0, LONGEST_QUERY));
  const key = queries.get(query);
  if (key === undefined || queries.size === 1) return;
  const [statements, cpuMs] = amounts.map((amount = null) => {
    const known = amount ?? 0;
    return { count: Number(amount !== null), sum: known, squares: known ** 2 };
  });
  addServer(entry, { queries: { [key]: { statements, cpuMs } } });
}
