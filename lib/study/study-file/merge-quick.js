import { isPlain } from '../../record/load/script/merge-script.js';

/** @typedef {Record<string, any>} Data */

/**
 * A study with its `quick:` part over the rest: maps merge, lists and single values replace, and an
 * empty value (null) takes the key out. The values of a factor replace, too, whether they are a list
 * or a map; labels in a list pick from a map.
 * @param {Data} base is not changed
 * @param {Data} over
 * @returns {Data}
 */
export function mergeQuick(base, over) {
  const { factors, ...rest } = over;
  const merged = merge(base, rest, mergeValue);
  if (!isPlain(factors)) return factors === undefined ? merged : { ...merged, factors };
  return { ...merged, factors: merge(base.factors ?? {}, factors, mergeFactor) };
}

/** @param {Data} base @param {Data} over @param {(before: any, value: any) => unknown} mergeEntry */
function merge(base, over, mergeEntry) {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    if (value === null) delete merged[key];
    else merged[key] = mergeEntry(before, value);
  }
  return merged;
}

/** @param {unknown} before @param {unknown} value */
function mergeValue(before, value) {
  return isPlain(before) && isPlain(value) ? merge(before, value, mergeValue) : value;
}

/** @param {unknown} before @param {unknown} values */
function mergeFactor(before, values) {
  if (!isPlain(before) || !Array.isArray(values)) return values;
  const isPick = values.length > 0 && values.every(label => Object.hasOwn(before, String(label)));
  if (!isPick) return values;
  return Object.fromEntries(values.map(label => [String(label), before[String(label)]]));
}
