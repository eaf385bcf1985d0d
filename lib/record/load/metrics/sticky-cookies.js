/** Which instance of the API served a request, by the cookie with which a router keeps users there. */
import { createHash } from 'node:crypto';

/**
 * Cookies whose value is the same for all users of an instance. Those that are another for every user
 * or answer tell nothing, and are missing on purpose: AWSALB and AWSELB, GCLB, ingress-nginx since 0.25
 * (`1700000000.12.34.567|…`).
 * @type {{router: string, name: RegExp, value: RegExp}[]}
 */
const RULES = [
  { router: 'OpenShift', name: /^[0-9a-f]{32}$/, value: /^[0-9a-f]{32}$/ },
  { router: 'ingress-nginx', name: /^(?:INGRESSCOOKIE|route)$/, value: /^[0-9a-f]{32,40}$/ },
  { router: 'HAProxy', name: /^(?:SERVERID|SRV)$/, value: /./ },
  { router: 'Traefik', name: /^_[0-9a-f]{5}$/, value: /^(?:[0-9a-f]{16}|https?:.*)$/ },
  { router: 'Azure', name: /^ARRAffinity(?:SameSite)?$/, value: /^[0-9a-f]{32,}$/ },
  { router: 'BIG-IP', name: /^BIGipServer/, value: /^\d+\.\d+\.\d+$/ },
];
/** A router has few instances; a value of each user's own would have no end. */
const MAX_BACKENDS = 100;
const PAIR = /^\s*([^=;\s]+)=([^;]*)/;

/**
 * @param {string | null} [ownName] of the cookie, where none of the rules knows it
 */
export function createStickyCookies(ownName = null) {
  const rules = ownName
    ? [{ router: '', name: { test: (/** @type {string} */ name) => name === ownName }, value: /./ }]
    : RULES;
  /** @type {string | null} the first that was set; a router behind a router has another */
  let name = null;
  /** @type {Map<string, string>} value → id */
  const ids = new Map();

  /** @param {string} value */
  const idOf = value => {
    let id = ids.get(value);
    if (id === undefined) {
      if (ids.size >= MAX_BACKENDS) return '(others)';
      id = createHash('sha256').update(value).digest('hex').slice(0, 8);
      ids.set(value, id);
    }
    return id;
  };

  return {
    /**
     * The backend that an answer is from: its router says so in the first one to a user, and users say
     * it in every request from then on.
     * @param {readonly string[] | null} setCookies of the answer
     * @param {() => string} readCookie of the request
     * @returns {string | null} 8 hex digits, null where nobody says
     */
    backendOf(setCookies, readCookie) {
      for (const text of setCookies ?? []) {
        const [, found = '', value = ''] = PAIR.exec(text) ?? [];
        const fits = rules.some(rule => rule.name.test(found) && rule.value.test(value));
        if (!fits || (name !== null && name !== found)) continue;
        name = found;
        return idOf(value);
      }
      if (name === null) return null;
      for (const text of readCookie().split(';')) {
        const [, found, value = ''] = PAIR.exec(text) ?? [];
        if (found === name) return idOf(value);
      }
      return null;
    },
    /** Has any answer set one yet? Until then no request needs to be looked at. */
    get isKnown() {
      return name !== null;
    },
  };
}
