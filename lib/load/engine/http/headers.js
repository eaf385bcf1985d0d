import { randomFillSync } from 'node:crypto';
import { isIP } from 'node:net';
import { refuse } from './connection/failures.js';

/** @import { HeaderFields, EngineConfig } from '../../script.d.ts' */

/**
 * @param {HeaderFields | undefined} headers
 * @returns {HeaderFields}
 */
export function lowerCaseNames(headers) {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
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

/**
 * The server name (SNI) for a server with certificates of several hosts: that of a `host` header.
 * @param {{address: {origin: string}, headers: string[]}} options of a request
 * @returns {string | undefined} undefined: that of the address
 */
export function findServername({ address, headers }) {
  if (!address.origin.startsWith('https:')) return undefined;
  const at = headers.indexOf('host');
  const host = at < 0 ? undefined : headers[at + 1]?.replace(/:\d*$/, '');
  return host && isIP(host) === 0 ? host : undefined;
}

// -- Headers of a request: defaults, its own, and those that got adds.

/** Carries LOADFLAME, for the companion in the target only. */
export const KEY_HEADER = 'loadflame-key';
/** Asks the companion for the names of all calls, which it sends every two seconds otherwise; a list of functions: to compare their calls. */
export const NAMES_HEADER = 'loadflame-names';
const USER_AGENT = 'Artillery (https://artillery.io)';
/** got's header if it decompresses. */
const ENCODINGS = 'gzip, deflate, br, zstd';
/** The client writes these itself, or they belong to kinds of connections that it does not use. */
const NOT_SENT = new Set('content-length transfer-encoding keep-alive upgrade expect'.split(' '));

/**
 * Default headers; the client's name stays among them even if the script sets others.
 * @param {EngineConfig} config
 * @returns {HeaderFields}
 */
export function readDefaultHeaders({ http, defaults }) {
  const own = lowerCaseNames(http.defaults.headers || defaults.headers);
  return { 'user-agent': USER_AGENT, ...own };
}

/**
 * @param {HeaderFields} headers filled in, lower-case
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

/** Artillery's prefix, which makes its requests easy to find in a server's log. */
const DEFAULT_PREFIX = 'a9';
/** A trace id and a span id. */
const ID_BYTES = 24;
const IDS_AT_ONCE = 256;

/**
 * `http.distributedTracing`: a header of W3C Trace Context for each request; `sampled` may be a share of them.
 * @param {EngineConfig} config
 * @returns {(() => string) | null}
 */
export function createTraceparents({ http }) {
  const tracing = http.distributedTracing;
  if (!tracing || tracing.enabled === false) return null;
  const { sampled = true, traceIdPrefix = DEFAULT_PREFIX } = tracing === true ? {} : tracing;
  const hex = String(traceIdPrefix)
    .toLowerCase()
    .match(/[0-9a-f]/g);
  const prefix = hex?.slice(0, 8).join('') ?? DEFAULT_PREFIX;
  // A system call for each header would be half of its cost.
  const pool = Buffer.alloc(IDS_AT_ONCE * ID_BYTES);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    const random = pool.toString('hex', at, at + ID_BYTES);
    at += ID_BYTES;
    const traceId = (prefix + random).slice(0, 32);
    return `00-${traceId}-${random.slice(32)}-${Math.random() < Number(sampled) ? '01' : '00'}`;
  };
}
