/** Parses responses of HTTP/1.1 (RFC 9112): refuses, with Node's codes, whatever is ambiguous. */
import { failToParse, refuse } from './failures.js';
import {
  CHUNKED,
  CR,
  findHead,
  LF,
  parseFields,
  skipNewlines,
  TOO_LONG,
  UNTIL_CLOSE,
} from './parse-head.js';

/** @import { RawHeaders } from '../raw-headers.js' */

/** Node's limit of a line with the size of a chunk and its extensions. */
const MOST_CHUNK_LINE_BYTES = 16_384;
const SEMICOLON = 59;
const HEX = Int8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? -1 : value;
});
/** As in llhttp, which allows a quoted string to begin after a token. */
const CHUNK_EXTENSIONS =
  /^(?:;(?! |$)[\w!#$%&'*+.^`|~-]*(?:=[\w!#$%&'*+.^`|~-]*(?:"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*")?)?)*$/;

/**
 * Receives the parts of a response.
 * @typedef {object} ResponseHandler
 * @property {(status: number, headers: RawHeaders, statusText: string, nowMs: number) => void} onHeaders
 * @property {(chunk: Buffer) => void} onData a view of bytes that the next read overwrites
 */

/** The parts of a response, in order; between two responses there is none. */
const [NONE, HEAD, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILERS] = [0, 1, 2, 3, 4, 5, 6];

/** Reads responses from the bytes of a connection. */
export class ResponseParser {
  /** @type {ResponseHandler} */
  #handler = /** @type {any} */ (null);
  #isHead = false;
  #part = NONE;
  /** Remaining bytes of the body or the chunk. */
  #missing = 0;
  #nowMs = 0;
  /** Bytes of an incomplete part. @type {Buffer | null} */
  #kept = null;
  /** Whether the connection can be reused. */
  keepsAlive = false;
  /** @type {number | null} */
  keepAliveMs = null;

  /** A request is being sent. @param {ResponseHandler} handler @param {boolean} isHead its method is HEAD */
  expect(handler, isHead) {
    this.#handler = handler;
    this.#isHead = isHead;
    this.#part = HEAD;
    this.keepsAlive = false;
  }

  /** Further bytes belong to no request. */
  stop() {
    this.#part = NONE;
    this.#kept = null;
    this.#forget();
  }

  #forget() {
    this.#handler = /** @type {any} */ (null);
  }

  /** Whether the headers of the response have arrived. */
  get hasBegun() {
    return this.#part > HEAD;
  }

  /**
   * @param {Buffer} bytes
   * @param {number} end number of new bytes
   * @param {number} nowMs when they arrived
   * @returns {boolean} whether the response is complete; the connection can be reused if `keepsAlive`
   * @throws {Error & {code: string}} HPE_… like Node's client
   */
  execute(bytes, end, nowMs) {
    this.#nowMs = nowMs;
    if (this.#kept !== null) {
      bytes = Buffer.concat([this.#kept, bytes.subarray(0, end)]);
      end = bytes.length;
      this.#kept = null;
    }
    let at = 0;
    while (at < end && this.#part !== NONE) {
      const next = this.#read(bytes, at, end);
      if (next < 0) {
        this.#kept = Buffer.from(bytes.subarray(at, end));
        return false;
      }
      at = next;
    }
    if (this.#part !== NONE) return false;
    this.#forget();
    // Unrequested bytes must not be taken for the next response.
    if (skipNewlines(bytes, at, end) < end) this.keepsAlive = false;
    return true;
  }

  /** The server has closed the connection. @returns {boolean} whether that completes its response */
  finish() {
    const isEnd = this.#part === BODY && this.#missing === Number.POSITIVE_INFINITY;
    if (isEnd) this.#part = NONE;
    return isEnd;
  }

  /**
   * Reads the next part, or the available bytes of a body.
   * @param {Buffer} bytes @param {number} at @param {number} end
   * @returns {number} offset after it; −1: it is incomplete
   */
  #read(bytes, at, end) {
    switch (this.#part) {
      case HEAD:
        return this.#readHead(bytes, at, end);
      case CHUNK_SIZE: {
        const line = parseChunkSize(bytes, at, end);
        if (line === null) return -1;
        this.#missing = line.size;
        this.#part = line.size === 0 ? TRAILERS : CHUNK;
        return line.end;
      }
      case CHUNK_END:
        if (bytes[at] === LF) throw failToParse('HPE_CR_EXPECTED');
        if (bytes[at] !== CR || (at + 1 < end && bytes[at + 1] !== LF))
          throw failToParse('HPE_STRICT');
        if (at + 1 === end) return -1;
        this.#part = CHUNK_SIZE;
        return at + 2;
      case TRAILERS: {
        const trailers = parseFields(bytes, at, end, true);
        if (trailers === null) return -1;
        this.#part = NONE;
        return trailers.end;
      }
      default: {
        const length = Math.min(this.#missing, end - at);
        this.#missing -= length;
        if (this.#missing === 0) this.#part = this.#part === CHUNK ? CHUNK_END : NONE;
        this.#handler.onData(bytes.subarray(at, at + length));
        return at + length;
      }
    }
  }

  /** @param {Buffer} bytes @param {number} at @param {number} end */
  #readHead(bytes, at, end) {
    const head = findHead(bytes, at, end);
    if (head === null) return -1;
    const { status, length } = head;
    // Unrequested: no request has `Expect` or `Upgrade`.
    if (status === 100 || status === 101) throw refuse('socket hang up', 'ECONNRESET');
    if (status >= 200) {
      const hasBody = !this.#isHead && status !== 204 && status !== 304;
      this.keepsAlive = head.keepsAlive && (length !== UNTIL_CLOSE || !hasBody);
      this.keepAliveMs = head.keepAliveMs;
      this.#missing = length === UNTIL_CLOSE ? Number.POSITIVE_INFINITY : length;
      this.#part = !hasBody || length === 0 ? NONE : length === CHUNKED ? CHUNK_SIZE : BODY;
      this.#handler.onHeaders(status, head.headers, head.statusText, this.#nowMs);
    }
    return at + head.size;
  }
}

/**
 * @param {Buffer} bytes @param {number} from @param {number} end
 * @returns {{size: number, end: number} | null} null: incomplete
 */
function parseChunkSize(bytes, from, end) {
  let at = from;
  let size = 0;
  for (let digit = 0; at < end; at++) {
    digit = Number(HEX[Number(bytes[at])]);
    if (digit < 0) break;
    size = size * 16 + digit;
    if (size >= TOO_LONG) throw failToParse('HPE_INVALID_CHUNK_SIZE');
  }
  const extensions = at;
  if (at < end && (at === from || (bytes[at] !== CR && bytes[at] !== SEMICOLON))) {
    if (at > from && bytes[at] === LF) throw failToParse('HPE_CR_EXPECTED');
    throw failToParse('HPE_INVALID_CHUNK_SIZE');
  }
  while (at < end && bytes[at] !== CR && bytes[at] !== LF) at += 1;
  if (at - from > MOST_CHUNK_LINE_BYTES) throw failToParse('HPE_CHUNK_EXTENSIONS_OVERFLOW');
  if (at >= end) return null;
  if (!CHUNK_EXTENSIONS.test(bytes.toString('latin1', extensions, at)))
    throw failToParse('HPE_STRICT');
  if (bytes[at] === LF) throw failToParse('HPE_CR_EXPECTED');
  if (at + 1 >= end) return null;
  if (bytes[at + 1] !== LF) throw failToParse('HPE_STRICT');
  return { size, end: at + 2 };
}
