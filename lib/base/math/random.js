/** Random numbers that a seed makes reproducible. */

/**
 * A generator of numbers in 0…1, reproducible by its seed (mulberry32, public domain).
 * @param {number} seed
 */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Fisher–Yates, in place.
 * @template {{[index: number]: any, length: number}} T
 * @param {T} items
 * @param {() => number} random
 * @param {number} [from] the first index that may change @param {number} [to] the first one after it that may not
 */
export function shuffle(items, random, from = 0, to = items.length) {
  for (let last = to - 1; last > from; last--) {
    const other = from + Math.floor(random() * (last - from + 1));
    [items[last], items[other]] = [items[other], items[last]];
  }
  return items;
}
