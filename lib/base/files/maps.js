/** Maps and lists that are filled entry by entry. */

/**
 * An entry, created when it is first requested.
 * @template K, V
 * @param {{get: (key: K) => V | undefined, set: (key: K, entry: V) => unknown}} map
 * @param {K} key
 * @param {() => V} create
 * @returns {V}
 */
export function entryOf(map, key, create) {
  const known = map.get(key);
  if (known !== undefined) return known;
  const entry = create();
  map.set(key, entry);
  return entry;
}

/**
 * The same keys with other values.
 * @template V, W
 * @param {Record<string, V>} object
 * @param {(value: V) => W} map
 * @returns {Record<string, W>}
 */
export function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

/**
 * @template K
 * @param {Map<K, number>} sums
 * @param {K} key
 * @param {number} amount
 */
export function addTo(sums, key, amount) {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

/** The key with the largest number, the first of equal ones. @template K @param {Map<K, number>} map @returns {K | undefined} */
export function heaviestOf(map) {
  let best;
  for (const entry of map) if (!best || entry[1] > best[1]) best = entry;
  return best?.[0];
}

/**
 * A list, some of whose items depend on a condition: `listPresent(always, isMuch && sometimes)`.
 * @template T
 * @param {...(T | null | undefined | false)} items
 * @returns {T[]} without null, undefined and false
 */
export function listPresent(...items) {
  const isThere = (/** @type {unknown} */ item) =>
    item !== null && item !== undefined && item !== false;
  return /** @type {T[]} */ (items.filter(isThere));
}
