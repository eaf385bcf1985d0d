/** Sums of the figures of a server in its responses. */

/** Of these, the most counts. */
const MOST = new Set(['longestMs', 'longestUs', 'objects']);

/**
 * Adds amounts to those with the same names, at any depth. What one of both does not know (null) stays unknown: a sum
 * would be of other responses. The first text stays.
 * @template {object} T
 * @param {Partial<T>} sums @param {T} own
 * @returns {T} `sums`
 */
export function addServer(sums, own) {
  const into = /** @type {Record<string, any>} */ (sums);
  for (const [name, amount] of Object.entries(own)) {
    if (name === '__proto__') continue;
    const known = Object.hasOwn(into, name) ? into[name] : undefined;
    if (amount && typeof amount === 'object') into[name] = addServer(known ?? {}, amount);
    else if (known === undefined || amount === null) into[name] = amount;
    else if (typeof amount === 'number' && known !== null)
      into[name] = MOST.has(name) ? Math.max(known, amount) : known + amount;
  }
  return /** @type {T} */ (sums);
}
