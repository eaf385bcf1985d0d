/** Paths of values in JSON: `$.results[*].href`, `$[*]`, `$.pages[0].names[*]`. */

/** `*`: each entry of a list; `.name`: a key; a number: an index. @typedef {(string | number)[]} JsonPath */

/**
 * @param {string} text
 * @returns {JsonPath | null} null if it is no such path
 */
export function parseJsonPath(text) {
  if (!/^\$(\.[\w-]+|\[(\d+|\*)\])*$/.test(text)) return null;
  return [...text.matchAll(/\.([\w-]+)|\[(\d+|\*)\]/g)].map(([, key, index]) =>
    key !== undefined ? `.${key}` : index === '*' ? '*' : Number(index),
  );
}

/**
 * @param {unknown} value JSON
 * @param {JsonPath} path
 * @returns {unknown[]} the values at the path; empty if it does not exist
 */
export function findItems(value, path) {
  let found = [value];
  for (const step of path) {
    found = found.flatMap(at => {
      if (step === '*') return Array.isArray(at) ? at : [];
      const key = typeof step === 'string' ? step.slice(1) : step;
      const isThere = at !== null && typeof at === 'object' && Object.hasOwn(at, key);
      return isThere ? [/** @type {any} */ (at)[key]] : [];
    });
  }
  return found;
}
