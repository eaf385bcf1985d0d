/** JSON Pointers (RFC 6901), as ajv says where in a file a mistake is. */

/**
 * @param {string} pointer `/services/0/name`; parts may be escaped
 * @param {unknown} data that it points into: indexes of its lists become numbers
 * @returns {(string | number)[]}
 */
export function splitPointer(pointer, data) {
  /** @type {any} */
  let at = data;
  return pointer
    .split('/')
    .slice(1)
    .map(part => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(at) ? Number(key) : key;
      at = at?.[step];
      return step;
    });
}
