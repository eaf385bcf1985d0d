/** Failures under the names that Node's own client has for them, which Artillery counts. */

/** @type {Record<string, string>} undici's code → Node's */
const CODES = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'ECONNRESET',
  UND_ERR_INFO: 'ECONNRESET',
  UND_ERR_ABORTED: 'ECONNRESET',
  UND_ERR_DESTROYED: 'ECONNRESET',
  UND_ERR_CLOSED: 'ECONNRESET',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_INVALID_ARG: 'ERR_INVALID_CHAR',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
};

/**
 * @param {any} error of undici, a socket or TLS
 * @param {{headersMs: number}} exchange
 * @returns {Error & {code?: string}}
 */
export function nameFailure(error, { headersMs }) {
  const code = CODES[error?.code];
  if (code === undefined) return error;
  const text =
    code === 'ECONNRESET' ? (headersMs > 0 ? 'aborted' : 'socket hang up') : error.message;
  return Object.assign(new Error(text, { cause: error }), { code });
}

/**
 * What got refuses to send is counted by Artillery under got's name for it.
 * @param {string} message
 */
export function refuse(message) {
  return Object.assign(new Error(message), { code: 'ERR_GOT_REQUEST_ERROR' });
}
