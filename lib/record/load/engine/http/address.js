/** Addresses: parsed as a browser does, but not for every request anew. */

/** Nothing in it that the WHATWG's parser would write in another way. */
const CLEAN = /^\/[\w\-.~!$&()*+,;=:@/%?]*$/;

/**
 * @typedef {object} Address
 * @property {string} href
 * @property {string} origin
 * @property {string} path with query
 * @property {string} authorization `Basic …` of an address with a password, else empty
 */

/**
 * @param {string} target `config.target`
 * @returns {(href: string) => Address} throws as `new URL` does, `code` `ERR_INVALID_URL`
 */
export function createAddressParser(target) {
  const base = URL.canParse(target) ? new URL(target) : null;
  const written = base ? target.slice(target.indexOf('//') + 2).replace(/^[^/?#]*/, '') : '';
  const isSimple = base && !base.username && (written === '' || isClean(written));
  return href => {
    if (isSimple && href.startsWith(target)) {
      const rest = href.slice(target.length);
      if (isClean(rest)) {
        return { href, origin: base.origin, path: written + rest, authorization: '' };
      }
    }
    return parseAddress(href);
  };
}

/** @param {string} href @param {string} [base] @returns {Address} */
export function parseAddress(href, base) {
  const url = new URL(href, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw Object.assign(new Error(`Unsupported protocol: ${url.protocol}`), {
      code: 'ERR_UNSUPPORTED_PROTOCOL',
    });
  }
  const { username, password } = url;
  return {
    href: url.href,
    origin: url.origin,
    path: url.pathname + url.search,
    authorization:
      username || password
        ? basicAuthorization(decodeURIComponent(username), decodeURIComponent(password))
        : '',
  };
}

/** @param {string} user @param {string} password */
export function basicAuthorization(user, password) {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Dot segments are resolved by the parser. @param {string} path */
function isClean(path) {
  return CLEAN.test(path) && !path.includes('/.') && !path.includes('/%2');
}

// -- Where users send to: to the one target, or to one of several, which they take in turn.

/**
 * @param {Record<string, any>} config of the script
 * @param {{vars: Record<string, any>}} context of the user
 * @returns {string} the address that paths are below
 */
export function targetOf({ target, loadflame }, { vars }) {
  return loadflame?.targets ? vars.$target : target;
}

/**
 * Origins whose answers tell of the target, and which get the token of the run.
 * @param {Record<string, any>} config
 * @returns {Set<string>}
 */
export function originsOf({ target, loadflame }) {
  const all = [target ?? '', ...(loadflame?.targets ?? [])].filter(one => URL.canParse(one));
  return new Set(all.map(one => new URL(one).origin));
}
