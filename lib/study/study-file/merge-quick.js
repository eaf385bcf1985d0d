import { isPlain } from '../../record/load/script/merge-script.js';

/**
 * A study with its `quick:` part over the rest: maps merge, lists and single values replace, and an
 * empty value (null) takes the key out.
 * @param {Record<string, any>} base is not changed
 * @param {Record<string, any>} over
 * @returns {Record<string, any>}
 */
export function mergeQuick(base, over) {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    if (value === null) delete merged[key];
    else merged[key] = isPlain(before) && isPlain(value) ? mergeQuick(before, value) : value;
  }
  return merged;
}
