/** @import { HeaderFields } from '../../script.d.ts' */

/** Node's rule: only the first of these counts; others are joined with a comma. */
const ONLY_FIRST =
  /^(?:age|authorization|content-length|content-type|etag|expires|from|host|if-modified-since|if-unmodified-since|last-modified|location|max-forwards|proxy-authorization|referer|retry-after|server|user-agent)$/;
const COLON = 58;

/** Headers of a response, unparsed: few are ever read. */
export class RawHeaders {
  #text;
  /** Results of `find`, if several responses share these headers. @type {Map<string, string | null> | null} */
  #found = null;

  /** @param {string} text each line ended by CRLF */
  constructor(text) {
    this.#text = text;
  }

  /** Another response has the same headers. */
  share() {
    this.#found ??= new Map();
  }

  /**
   * The first header with this name.
   * @param {string} name lower-case
   * @returns {string | null}
   */
  find(name) {
    const known = this.#found?.get(name);
    if (known !== undefined) return known;
    const value = this.#search(name);
    this.#found?.set(name, value);
    return value;
  }

  /** Compares length and first letter first: most searches find nothing. @param {string} name */
  #search(name) {
    const text = this.#text;
    const letter = name.charCodeAt(0);
    for (let at = 0; at < text.length; at = text.indexOf('\r\n', at) + 2) {
      const colon = at + name.length;
      if (text.charCodeAt(colon) !== COLON || (text.charCodeAt(at) | 0x20) !== letter) continue;
      if (text.slice(at, colon).toLowerCase() === name)
        return text.slice(colon + 1, text.indexOf('\r\n', colon)).trim();
    }
    return null;
  }

  /** @returns {string[]} name, value, name, value … */
  list() {
    return this.#text.split('\r\n').flatMap(line => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
  }

  /** The format of Node's `http`. @returns {HeaderFields} */
  read() {
    /** @type {HeaderFields} */
    const headers = {};
    const list = this.list();
    for (let index = 0; index < list.length; index += 2) {
      const name = String(list[index]).toLowerCase();
      const value = list[index + 1];
      if (name === 'set-cookie') {
        headers[name] ??= [];
        headers[name].push(value);
      } else if (headers[name] === undefined) headers[name] = value;
      else if (!ONLY_FIRST.test(name))
        headers[name] += `${name === 'cookie' ? '; ' : ', '}${value}`;
    }
    return headers;
  }
}
