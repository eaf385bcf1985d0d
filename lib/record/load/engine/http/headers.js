/** Headers on their way in and out. */

/** Node's rule: of these only the first counts; others are joined with a comma. */
const ONLY_FIRST =
  /^(?:age|authorization|content-length|content-type|etag|expires|from|host|if-modified-since|if-unmodified-since|last-modified|location|max-forwards|proxy-authorization|referer|retry-after|server|user-agent)$/;

/**
 * Headers of an answer as Node's `http` gives them.
 * @param {Buffer[]} raw name, value, name, value …
 * @returns {Record<string, any>}
 */
export function readHeaders(raw) {
  /** @type {Record<string, any>} */
  const headers = {};
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = /** @type {Buffer} */ (raw[index]).toString('latin1').toLowerCase();
    const value = /** @type {Buffer} */ (raw[index + 1]).toString('latin1');
    if (name === 'set-cookie') {
      headers[name] ??= [];
      headers[name].push(value);
    } else if (headers[name] === undefined) headers[name] = value;
    else if (!ONLY_FIRST.test(name)) headers[name] += `${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}

/**
 * The first of this name. Looks at lengths and first letters first: most answers are asked in vain.
 * @param {Buffer[]} raw
 * @param {string} name lower-case
 * @returns {string | null}
 */
export function findHeader(raw, name) {
  const letter = name.charCodeAt(0);
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const found = /** @type {Buffer} */ (raw[index]);
    if (found.length !== name.length || (Number(found[0]) | 0x20) !== letter) continue;
    if (found.toString('latin1').toLowerCase() === name) {
      return /** @type {Buffer} */ (raw[index + 1]).toString('latin1');
    }
  }
  return null;
}

/**
 * @param {Record<string, any> | undefined} headers
 * @returns {Record<string, any>}
 */
export function lowerCaseNames(headers) {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/**
 * @param {string[]} list
 * @param {string} name
 * @returns {string[]} without the header of that name
 */
export function withoutHeader(list, name) {
  if (!list.includes(name)) return list;
  return list.filter((_, index) => list[index - (index % 2)] !== name);
}
