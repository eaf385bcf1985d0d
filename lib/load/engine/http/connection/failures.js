/**
 * An error with the code of Node's own client, or got: Artillery counts by it. The default is got's code for a request
 * that it refuses to send.
 * @param {string} message
 * @param {string} [code]
 */
export function refuse(message, code = 'ERR_GOT_REQUEST_ERROR') {
  return Object.assign(new Error(message), { code });
}

/** The error of a response that violates HTTP. @param {string} code of Node */
export function failToParse(code) {
  return refuse(`Parse Error: ${code}`, code);
}
