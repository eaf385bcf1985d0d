/** Headers of a request: defaults, those of the request, and what got adds. */

import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import { refuse } from './connection/failures.js';
import { lowerCaseNames } from './headers.js';

const USER_AGENT = 'Artillery (https://artillery.io)';
/** What got says when it would decompress. */
const ENCODINGS = `gzip, deflate, br${'zstdDecompress' in zlib ? ', zstd' : ''}`;
/** Written by the client itself, or of a connection that it does not have. */
const NOT_SENT = new Set([
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'expect',
]);

/**
 * Default headers; the name of the client stays in them, whichever others are set.
 * @param {Record<string, any>} config
 * @returns {Record<string, any>}
 */
export function readDefaultHeaders({ http, defaults }) {
  return {
    'user-agent': USER_AGENT,
    ...lowerCaseNames(http.defaults.headers || defaults.headers),
  };
}

/**
 * @param {Record<string, any>} headers filled in, lower-case
 * @param {object} request
 * @param {boolean} request.decompress
 * @param {string | null} request.contentType of its body
 * @param {string} request.authorization of its `auth` or address; empty: none
 * @returns {string[]} name, value, name, value …
 */
export function listHeaders(headers, { decompress, contentType, authorization }) {
  const all = { ...headers };
  if (decompress) all['accept-encoding'] ??= ENCODINGS;
  if (contentType !== null) all['content-type'] ??= contentType;
  if (authorization !== '') all.authorization = authorization;
  /** @type {any[]} */
  const list = [];
  for (const [name, value] of Object.entries(all)) {
    if (value === undefined || NOT_SENT.has(name)) continue;
    if (value === null) {
      throw refuse(`Use \`undefined\` instead of \`null\` to delete the \`${name}\` header`);
    }
    if (name === 'connection' && !/^close$/i.test(String(value))) continue;
    list.push(name, Array.isArray(value) ? value.map(String) : String(value));
  }
  return list;
}

/** Artillery's, so that its requests can be found in a server's log. */
const DEFAULT_PREFIX = 'a9';

/**
 * `http.distributedTracing`: a header of W3C Trace Context for each request.
 * @param {Record<string, any>} config
 * @returns {(() => string) | null}
 */
export function createTraceparents({ http }) {
  const tracing = http.distributedTracing;
  if (!tracing || tracing.enabled === false) return null;
  const { sampled = true, traceIdPrefix = DEFAULT_PREFIX } = tracing === true ? {} : tracing;
  const hex = String(traceIdPrefix)
    .toLowerCase()
    .replace(/[^0-9a-f]/g, '')
    .slice(0, 8);
  const prefix = hex || DEFAULT_PREFIX;
  return () => {
    const random = randomBytes(24).toString('hex');
    const traceId = (prefix + random).slice(0, 32);
    return `00-${traceId}-${random.slice(32)}-${sampled ? '01' : '00'}`;
  };
}
