/** The cookies of one login. All its requests go to one origin, so only names and paths matter. */
import { getSetCookies } from 'undici';

/**
 * `Secure` is not heeded: it keeps cookies off plain HTTP, which `check-issuer.js` has already
 * judged, and Keycloak sets it on loopback as well.
 */
export function createCookieJar() {
  /** @type {Map<string, {name: string, value: string, path: string}>} */
  const cookies = new Map();
  return {
    /** @param {Headers} headers of an answer @param {URL} url that gave it */
    store(headers, url) {
      for (const cookie of getSetCookies(/** @type {any} */ (headers))) {
        const path = cookie.path?.startsWith('/') ? cookie.path : defaultPath(url);
        const key = `${cookie.name};${path}`;
        const isOver =
          (cookie.maxAge !== undefined && cookie.maxAge <= 0) ||
          (cookie.expires !== undefined && Number(new Date(cookie.expires)) <= Date.now());
        if (isOver) cookies.delete(key);
        else cookies.set(key, { name: cookie.name, value: cookie.value, path });
      }
    },
    /** @param {URL} url @returns {string} value of the Cookie header; '' when there is none */
    read(url) {
      return [...cookies.values()]
        .filter(({ path }) => isBelow(url.pathname, path))
        .sort((a, b) => b.path.length - a.path.length)
        .map(({ name, value }) => `${name}=${value}`)
        .join('; ');
    },
  };
}

/** RFC 6265 section 5.1.4. @param {URL} url */
function defaultPath({ pathname }) {
  return pathname.slice(0, pathname.lastIndexOf('/')) || '/';
}

/** RFC 6265 section 5.1.4. @param {string} path @param {string} cookiePath */
function isBelow(path, cookiePath) {
  return (
    path === cookiePath ||
    (path.startsWith(cookiePath) && (cookiePath.endsWith('/') || path[cookiePath.length] === '/'))
  );
}
