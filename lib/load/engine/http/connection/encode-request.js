/** Encodes a request as bytes. Refuses, with Node's codes, what a server would read as a different request. */
import { refuse } from './failures.js';

/** @import { Encoded, RequestOptions } from '../request.d.ts' */

/** Methods whose requests have a length even without a body. */
const EXPECT_BODY = new Set(['PUT', 'POST', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH']);
/** Larger bodies are not copied into one buffer with their head. */
const COPIED_BYTES = 65_536;

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const OUTSIDE_PATH = /[^\x21-\xff]/;
const OUTSIDE_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Valid names. @type {Set<string>} */
const names = new Set();
const MOST_NAMES = 2000;

/**
 * @param {Pick<RequestOptions, 'method' | 'path' | 'headers' | 'body' | 'address'>} options
 * @returns {Encoded}
 * @throws {Error & {code: string}} ERR_INVALID_HTTP_TOKEN, ERR_UNESCAPED_CHARACTERS, ERR_INVALID_CHAR
 */
export function encodeRequest({ method, path, headers, body, address }) {
  checkName(method, 'Method');
  if (OUTSIDE_PATH.test(path))
    throw refuse('Request path contains unescaped characters', 'ERR_UNESCAPED_CHARACTERS');
  let host = address.origin.slice(address.origin.indexOf('/') + 2);
  let closes = false;
  let lines = '';
  // That of a stream is in a header.
  let length = typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : 0;
  for (let index = 0; index < headers.length; index += 2) {
    const name = /** @type {string} */ (headers[index]);
    const value = headers[index + 1];
    checkName(name, 'Header name');
    for (const one of Array.isArray(value) ? value : [/** @type {string} */ (value)]) {
      if (OUTSIDE_VALUE.test(one))
        throw refuse(`Invalid character in header content ["${name}"]`, 'ERR_INVALID_CHAR');
      if (name === 'host') host = one;
      else if (name === 'connection') closes = true;
      else if (name === 'content-length') length = Number(one);
      else lines += `${name}: ${one}\r\n`;
    }
  }
  if (length > 0 || EXPECT_BODY.has(method)) lines += `content-length: ${length}\r\n`;
  const connection = closes ? 'close' : 'keep-alive';
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n${lines}\r\n`;
  const rest = typeof body === 'string' ? Buffer.from(body) : body;
  if (!Buffer.isBuffer(rest) || length > COPIED_BYTES) return { start: head, rest, length, closes };
  return { start: Buffer.concat([Buffer.from(head, 'latin1'), rest]), rest: null, length, closes };
}

/** For a request that is sent many times. @type {typeof encodeRequest} */
export function encodeOnce(options) {
  const encoded = encodeRequest(options);
  const { start } = encoded;
  return typeof start === 'string' ? { ...encoded, start: Buffer.from(start, 'latin1') } : encoded;
}

/** @param {string} name @param {string} what */
function checkName(name, what) {
  if (names.has(name)) return;
  if (!TOKEN.test(name))
    throw refuse(`${what} must be a valid HTTP token ["${name}"]`, 'ERR_INVALID_HTTP_TOKEN');
  if (names.size < MOST_NAMES) names.add(name);
}
