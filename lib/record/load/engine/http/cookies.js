/** The cookie jar of a user: on from the first cookie that it gets or is given. */

/**
 * `cookie` of a request and `defaults.cookie`.
 * @param {any} context
 * @param {Record<string, any> | undefined} cookie of the request
 * @param {string} href
 * @param {import('../engine.d.ts').Helpers} helpers
 */
export function addOwnCookies(context, cookie, href, helpers) {
  for (const [name, value] of Object.entries({ ...context._defaultCookie, ...cookie })) {
    context._jar.setCookieSync(`${name}=${helpers.template(value, context)}`, href);
  }
}

/**
 * Of an answer; one that can't be read is counted and left out.
 * @param {any} context
 * @param {string[]} cookies as they came
 * @param {string} href
 * @param {import('../engine.d.ts').Emitter} ee
 */
export function storeCookies(context, cookies, href, ee) {
  context._enableCookieJar = true;
  for (const cookie of cookies) {
    try {
      context._jar.setCookieSync(cookie, href);
    } catch {
      ee.emit('error', 'cookie_parse_error_invalid_cookie');
    }
  }
}
