/** Headers of a request: defaults, those of the request, and what got adds. */
import zlib from 'node:zlib';
import { refuse } from './failures.js';
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

/**
 * @param {string[]} list
 * @param {string} name
 * @returns {string[]} without the header of that name
 */
export function withoutHeader(list, name) {
  if (!list.includes(name)) return list;
  return list.filter((_, index) => list[index - (index % 2)] !== name);
}
