/**
 * The headers and cookies that a user sends when connecting and reconnecting, always the newest. Cookies of the
 * response go to the user's jar, so that a router's sticky cookie is sent with the following polls.
 */
import { originOf } from '../http/address.js';
import { jarOf } from '../http/http-user.js';

/** @import { HeaderFields } from '../../script.d.ts' */
/** @import { Scope } from '../engine.d.ts' */

export class Handshake {
  #context;
  #url;
  #cookies;
  #token;
  #tokenCookie;

  /**
   * @param {any} context of the user; its cookies are in `context._jar`
   * @param {object} options
   * @param {string} options.address of the connection; may be relative to the target
   * @param {HeaderFields} options.extraHeaders
   * @param {Pick<Scope, 'config' | 'services'>} scope its token may go into a cookie, only for the target's origin
   */
  constructor(context, { address, extraHeaders }, { config, services }) {
    const { tokens, tokenPlaces } = services;
    const own = Object.entries(extraHeaders);
    const isCookie = (/** @type {string} */ name) => name.toLowerCase() === 'cookie';
    this.#context = context;
    // For the cookie jar.
    this.#url = new URL(address, config.target).href.replace(/^ws/, 'http');
    const { origin } = new URL(this.#url);
    const isTarget = originOf(config).replace(/^ws/, 'http') === origin;
    this.#token = () => (isTarget && tokenPlaces.cookie ? tokens.pick(context, config) : null);
    this.#tokenCookie = String(tokenPlaces.cookie);
    /** Without cookies, for a transport that gets those itself. */
    this.plainHeaders = Object.fromEntries(own.filter(([name]) => !isCookie(name)));
    this.#cookies = own.filter(([name]) => isCookie(name)).map(([, value]) => String(value));
  }

  /** Headers of a WebSocket handshake. @returns {HeaderFields} */
  headers() {
    const cookie = this.cookie();
    return cookie === '' ? this.plainHeaders : { ...this.plainHeaders, cookie };
  }

  /** The user's cookies. Those in the script override them, and the token's cookie overrides both. */
  cookie() {
    const jar = this.#context._jar;
    const token = this.#token();
    if (!jar && !token && this.#cookies.length === 0) return '';
    /** @type {Map<string, string>} */
    const all = new Map();
    for (const { key, value } of jar?.getCookiesSync(this.#url) ?? []) all.set(key, value);
    for (const pair of this.#cookies.flatMap(text => text.split(/;\s*/)).filter(Boolean)) {
      const [name = '', ...value] = pair.split('=');
      all.set(name.trim(), value.join('='));
    }
    if (token) all.set(this.#tokenCookie, token);
    return [...all].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  // -- The methods of a cookie jar of engine.io's long polling.

  /** @param {unknown} setCookie header(s) of a response, in any form */
  parseCookies(setCookie) {
    for (const text of [setCookie ?? []].flat()) {
      jarOf(this.#context).setCookieSync(String(text), this.#url, { ignoreError: true });
    }
  }

  /** @param {any} xhr */
  addCookies(xhr) {
    const cookie = this.cookie();
    if (cookie === '') return;
    xhr.setDisableHeaderCheck(true);
    xhr.setRequestHeader('cookie', cookie);
  }
}
