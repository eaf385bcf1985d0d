/**
 * A failure under the name that Node's own client, or got, has for it: Artillery counts by it. Without a code it is
 * that of a request that got refuses to send.
 * @param {string} message
 * @param {string} [code]
 */
export function refuse(message, code = 'ERR_GOT_REQUEST_ERROR') {
  return Object.assign(new Error(message), { code });
}

/** A response that breaks HTTP. @param {string} code Node's */
export function failToParse(code) {
  return refuse(`Parse Error: ${code}`, code);
}
