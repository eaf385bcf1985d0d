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
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
};

/** What llhttp says → its code, which undici 7 does not tell. @type {[RegExp, string][]} */
const PARSER_CODES = [
  [/chunk size overflow|character in chunk size/i, 'HPE_INVALID_CHUNK_SIZE'],
  [/chunk extension/i, 'HPE_STRICT'],
  [/expected CR after/i, 'HPE_CR_EXPECTED'],
  [/expected LF after/i, 'HPE_LF_EXPECTED'],
  [/content-length already|duplicate content-length/i, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  [/content-length can't be present/i, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  [/content-length/i, 'HPE_INVALID_CONTENT_LENGTH'],
  [/transfer-encoding/i, 'HPE_INVALID_TRANSFER_ENCODING'],
  [/header (token|field char|value char)|whitespace after header/i, 'HPE_INVALID_HEADER_TOKEN'],
  [/unexpected space after start line/i, 'HPE_UNEXPECTED_SPACE'],
  [/status code|response status/i, 'HPE_INVALID_STATUS'],
  [/version|expected dot/i, 'HPE_INVALID_VERSION'],
  [/invalid EOF/i, 'HPE_INVALID_EOF_STATE'],
  [/after `connection: close`/i, 'HPE_CLOSED_CONNECTION'],
  [/expected HTTP\//i, 'HPE_INVALID_CONSTANT'],
];

/** What undici says of a request that it refuses → Node's code. @type {[RegExp, string][]} */
const REFUSALS = [
  [/invalid header key|request method/i, 'ERR_INVALID_HTTP_TOKEN'],
  [/request path/i, 'ERR_UNESCAPED_CHARACTERS'],
  [/./, 'ERR_INVALID_CHAR'],
];

/**
 * @param {any} error of undici, a socket or TLS
 * @param {{headersMs: number}} exchange
 * @returns {Error & {code?: string}}
 */
export function nameFailure(error, { headersMs }) {
  const code = findCode(error, headersMs > 0);
  if (code === undefined) return error;
  const text =
    code === 'ECONNRESET' ? (headersMs > 0 ? 'aborted' : 'socket hang up') : error.message;
  return Object.assign(new Error(text, { cause: error }), { code });
}

/** @param {any} error @param {boolean} hasBegun the answer */
function findCode(error, hasBegun) {
  const first = (/** @type {[RegExp, string][]} */ rules) =>
    rules.find(([says]) => says.test(error.message))?.[1];
  if (error?.name === 'HTTPParserError') return first(PARSER_CODES) ?? 'HPE_INVALID_CONSTANT';
  if (error?.code === 'UND_ERR_INVALID_ARG') return first(REFUSALS);
  // Before the end of the headers nothing can be too short: there was a second length.
  if (error?.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !hasBegun) {
    return 'HPE_UNEXPECTED_CONTENT_LENGTH';
  }
  return CODES[error?.code];
}

/**
 * Did a connection fail before a request was written on it, for what came after the answer before?
 * @param {any} error
 */
export function isOfFormerAnswer(error) {
  return error?.name === 'HTTPParserError' || error?.message === 'bad response';
}

/**
 * A 204 or 304 may tell the length of what it leaves out, which undici 7 expects to come.
 * @param {any} error
 * @param {{status: number, bytes: number}} exchange
 */
export function isOfAnswerWithoutBody(error, { status, bytes }) {
  const isWithout = status === 204 || status === 304;
  return isWithout && bytes === 0 && error?.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}

/**
 * What got refuses to send is counted by Artillery under got's name for it.
 * @param {string} message
 * @param {string} [code]
 */
export function refuse(message, code = 'ERR_GOT_REQUEST_ERROR') {
  return Object.assign(new Error(message), { code });
}
