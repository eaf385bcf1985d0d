/** Gives endpoints that are single paths the name of their route, once a response names it. */

/** @import { EndpointHandle, EndpointSecond, Second } from './second.d.ts' */
/** @import { Names, OpenSeconds } from './second-recorder.js' */

/**
 * @param {OpenSeconds} seconds
 * @param {Names} names
 * @param {number} most that records name
 */
export function createRenaming({ current }, names, most) {
  let renamed = 0;
  /**
   * Counts an endpoint under another name, also what is not written yet; records name the others.
   * @param {EndpointHandle} handle @param {string} name
   * @returns {boolean} false where it keeps its own: another route, or there are too many
   */
  return (handle, name) => {
    const known = names.endpoint(name);
    known.isRouted ||= known === handle;
    if (handle.key === known.key) return known !== handle;
    const second = current();
    const entry = second.endpoints.get(handle.key);
    const isUnwritten = handle.firstMs === second.fromMs && entry?.statuses.size === 0;
    if (handle.isRouted || (!isUnwritten && renamed >= most) || !names.forget(handle)) return false;
    const into = names.endpoint(name);
    if (entry && isUnwritten) {
      second.endpoints.delete(handle.key);
      addCounts(second, into.key, entry);
    } else {
      renamed += 1;
      second.renamed[handle.key] = into.key;
    }
    into.isRouted = true;
    // Requests that are under way have this handle.
    Object.assign(handle, { key: into.key, second: null, entry: null });
    return true;
  };
}

/**
 * @param {Second} second
 * @param {string} key
 * @param {EndpointSecond} counted without responses
 */
function addCounts({ endpoints }, key, counted) {
  const entry = endpoints.get(key);
  endpoints.set(key, entry ?? counted);
  if (!entry) return;
  entry.requests += counted.requests;
  entry.errors += counted.errors;
  for (const [name, count] of Object.entries(counted.empty ?? {})) {
    entry.empty ??= {};
    entry.empty[name] = (entry.empty[name] ?? 0) + count;
  }
}
