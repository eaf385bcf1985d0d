/** Gives endpoints that are single paths the name of their route, once a response names it. */

import { addServer } from '../../run/server-sums.js';

/** @import { EndpointHandle } from './second.d.ts' */
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
      const { requests, errors, empty } = entry;
      second.endpoints.delete(handle.key);
      const known = second.endpoints.get(into.key);
      if (known) addServer(known, { requests, errors, ...(empty && { empty }) });
      else second.endpoints.set(into.key, entry);
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
