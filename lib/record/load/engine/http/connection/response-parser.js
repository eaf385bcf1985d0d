/**
 * Responses of HTTP/1.1 (RFC 9112), byte by byte: as strict as llhttp 9, which Node and undici parse with, and in
 * its words. What could be read in two ways is refused.
 */
import { RawHeaders } from '../raw-headers.js';
import { refuse } from './failures.js';

/** Of names and values of a head or of trailers; Node's default. */
const MOST_HEADER_BYTES = 16_384;
/** Of a line with the size of a chunk and its extensions; Node's. */
const MOST_CHUNK_LINE_BYTES = 16_384;
/** What a length of 64 bits can't hold. */
const TOO_LONG = 2 ** 64;

const [TAB, LF, CR, SPACE, ZERO, NINE, COLON, SEMICOLON] = [9, 10, 13, 32, 48, 57, 58, 59];

/** @param {RegExp} allowed @returns {Uint8Array} per byte: 1 if it is allowed */
const createTable = allowed =>
  Uint8Array.from({ length: 256 }, (_, byte) => Number(allowed.test(String.fromCharCode(byte))));

const TOKEN = createTable(/[\w!#$%&'*+.^`|~-]/);
const VALUE = createTable(/[\t\x20-\x7e\x80-\xff]/);
const HEX = Int8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? -1 : value;
});
/** As llhttp, which lets a quoted string begin behind a token. */
const CHUNK_EXTENSIONS =
  /^(?:;(?! )[\w!#$%&'*+.^`|~-]*(?:=[\w!#$%&'*+.^`|~-]*(?:"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*")?)?)*$/;

/** `0`: any digit. */
const STATUS_LINE = Buffer.from('HTTP/0.0 000');
const VERSIONS = new Set(['0.9', '1.0', '1.1', '2.0']);

/** Lengths of bodies that are none. */
const CHUNKED = -1;
const UNTIL_CLOSE = -2;

/**
 * @typedef {object} Head
 * @property {number} status
 * @property {string} statusText
 * @property {RawHeaders} headers
 * @property {number} length of the body; CHUNKED, UNTIL_CLOSE
 * @property {boolean} keepsAlive
 * @property {number | null} keepAliveMs what the server promises to wait
 * @property {number} size bytes
 */

/** Heads of a thread that came last: many a response begins like the one before it, in all of its bytes. */
const known = {
  /** @type {(Head | undefined)[]} */
  heads: Array.from({ length: 64 }),
  bytes: Buffer.allocUnsafeSlow(64 * 1024),
};
const KNOWN_BYTES = 1024;

/**
 * Who gets what a response consists of.
 * @typedef {object} ResponseHandler
 * @property {(status: number, headers: RawHeaders, statusText: string, nowMs: number) => void} onHeaders
 * @property {(chunk: Buffer) => void} onData a view of bytes that the next read overwrites
 */

/** The parts of a response, in the order in which they come; between two responses there is none. */
const [NONE, HEAD, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILERS] = [0, 1, 2, 3, 4, 5, 6];

/** Reads one response after the other from the bytes of a connection. */
export class ResponseParser {
  /** @type {ResponseHandler} */
  #handler = /** @type {any} */ (null);
  #isHead = false;
  #part = NONE;
  /** Of the body or the chunk. */
  #missing = 0;
  #nowMs = 0;
  /** Bytes of a part that is not complete. @type {Buffer | null} */
  #kept = null;
  /** May the connection be used again? */
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

  /** Whatever comes is of no request. */
  stop() {
    this.#part = NONE;
    this.#kept = null;
  }

  /** The headers of the response are there. */
  get hasBegun() {
    return this.#part > HEAD;
  }

  /**
   * @param {Buffer} bytes
   * @param {number} end of them are new
   * @param {number} nowMs when they came
   * @returns {boolean} the response is complete; the connection can be used again if `keepsAlive`
   * @throws {Error & {code: string}} HPE_… as Node's client
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
    // Whatever comes uninvited must not be taken for the next response.
    if (skipNewlines(bytes, at, end) < end) this.keepsAlive = false;
    return true;
  }

  /** The server has closed the connection. @returns {boolean} that is how its response ends */
  finish() {
    const isEnd = this.#part === BODY && this.#missing === Number.POSITIVE_INFINITY;
    if (isEnd) this.#part = NONE;
    return isEnd;
  }

  /**
   * Reads the next part, or what there is of a body.
   * @param {Buffer} bytes @param {number} at @param {number} end
   * @returns {number} offset behind it; −1: it is not complete
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
        if (bytes[at] === LF) throw fail('HPE_CR_EXPECTED', 'Missing expected CR after chunk data');
        if (bytes[at] !== CR || (at + 1 < end && bytes[at + 1] !== LF))
          throw fail('HPE_STRICT', 'Expected LF after chunk data');
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
    // Neither was asked for: no request has `Expect` or `Upgrade`.
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
 * One that is known, or parsed. Responses of an endpoint are often of one length, so that their heads meet again.
 * @param {Buffer} bytes @param {number} at @param {number} end
 */
function findHead(bytes, at, end) {
  const place = (end - at) % known.heads.length;
  const from = place * KNOWN_BYTES;
  const last = known.heads[place];
  if (last && last.size <= end - at) {
    const isSame = bytes.compare(known.bytes, from, from + last.size, at, at + last.size) === 0;
    if (isSame) {
      last.headers.share();
      return last;
    }
  }
  const head = parseHead(bytes, at, end);
  if (head !== null && head.size <= KNOWN_BYTES) {
    bytes.copy(known.bytes, from, at, at + head.size);
    known.heads[place] = head;
  }
  return head;
}

/**
 * @param {Buffer} bytes @param {number} from @param {number} end
 * @returns {Head | null} null: there is more to come
 */
function parseHead(bytes, from, end) {
  const start = skipNewlines(bytes, from, end);
  for (let index = 0; index < STATUS_LINE.length; index++) {
    if (start + index >= end) return null;
    const byte = Number(bytes[start + index]);
    const wanted = STATUS_LINE[index];
    if (wanted === ZERO ? byte < ZERO || byte > NINE : byte !== wanted) throw failAt(index);
    if (index === 7 && !VERSIONS.has(bytes.toString('latin1', start + 5, start + 8)))
      throw fail('HPE_INVALID_VERSION', 'Invalid HTTP version');
  }
  let at = start + STATUS_LINE.length;
  if (at < end && bytes[at] !== SPACE && bytes[at] !== CR)
    throw fail('HPE_INVALID_STATUS', 'Invalid response status');
  while (at < end && bytes[at] !== CR && bytes[at] !== LF) at += 1;
  if (bytes[at] === LF && at < end)
    throw fail('HPE_CR_EXPECTED', 'Missing expected CR after response line');
  if (at - start > MOST_HEADER_BYTES) throw overflow();
  if (at + 1 >= end) return null;
  if (bytes[at + 1] !== LF) throw fail('HPE_STRICT', 'Expected LF after CR');
  const firstHeader = at + 2;
  if (firstHeader < end && bytes[firstHeader] === SPACE)
    throw fail('HPE_UNEXPECTED_SPACE', 'Unexpected space after start line');
  const fields = parseFields(bytes, firstHeader, end, false);
  if (fields === null) return null;
  const text = bytes.toString('latin1', start, fields.end - 2);
  const isNew = text.startsWith('1.1', 5);
  return {
    status: Number(text.slice(9, 12)),
    statusText: text.slice(13, at - start),
    headers: new RawHeaders(text.slice(firstHeader - start)),
    length: fields.length,
    keepsAlive: isNew ? !fields.closes : fields.keepsAlive,
    keepAliveMs: fields.keepAliveMs,
    size: fields.end - from,
  };
}

/**
 * Headers, or the trailers of chunks, up to the empty line.
 * @param {Buffer} bytes @param {number} from @param {number} end
 * @param {boolean} hasEncoding a `Transfer-Encoding` was there before
 */
function parseFields(bytes, from, end, hasEncoding) {
  const fields = {
    length: UNTIL_CLOSE,
    closes: false,
    keepsAlive: false,
    keepAliveMs: /** @type {number | null} */ (null),
    end: 0,
  };
  let hasLength = false;
  let size = 0;
  let at = from;
  for (;;) {
    if (at >= end) return null;
    if (bytes[at] === CR) break;
    const name = at;
    while (at < end && TOKEN[Number(bytes[at])] === 1) at += 1;
    if (size + at - name >= MOST_HEADER_BYTES) throw overflow();
    if (at >= end) return null;
    if (bytes[at] !== COLON || at === name)
      throw fail('HPE_INVALID_HEADER_TOKEN', 'Invalid header token');
    const kind = findKind(bytes, name, at);
    if (kind === 'transfer-encoding') {
      if (hasLength) throw fail('HPE_INVALID_TRANSFER_ENCODING', LENGTH_AND_ENCODING);
      hasEncoding = true;
    } else if (kind === 'content-length') {
      if (hasEncoding) throw fail('HPE_INVALID_CONTENT_LENGTH', ENCODING_AND_LENGTH);
      if (hasLength) throw fail('HPE_UNEXPECTED_CONTENT_LENGTH', 'Duplicate Content-Length');
      hasLength = true;
    }
    size += at - name;
    at += 1;
    while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at += 1;
    const value = at;
    let isEmpty = false;
    if (kind === 'content-length') {
      let length = 0;
      for (; at < end; at++) {
        const digit = Number(bytes[at]) - ZERO;
        if (!(digit >= 0 && digit <= 9)) break;
        length = length * 10 + digit;
      }
      fields.length = length;
      if (length >= TOO_LONG) throw fail('HPE_INVALID_CONTENT_LENGTH', 'Content-Length overflow');
      isEmpty = at === value;
      while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at += 1;
      if (at < end && bytes[at] !== CR && bytes[at] !== LF)
        throw fail('HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length');
    } else while (at < end && VALUE[Number(bytes[at])] === 1) at += 1;
    if (size + at - value >= MOST_HEADER_BYTES) throw overflow();
    if (at >= end) return null;
    if (bytes[at] === LF) throw fail('HPE_CR_EXPECTED', 'Missing expected CR after header value');
    if (bytes[at] !== CR) throw fail('HPE_INVALID_HEADER_TOKEN', 'Invalid header value char');
    size += at - value;
    if (kind !== null && kind !== 'content-length')
      noteField(fields, kind, bytes.toString('latin1', value, at).trim().toLowerCase());
    if (at + 1 >= end) return null;
    if (bytes[at + 1] !== LF)
      throw fail('HPE_LF_EXPECTED', 'Missing expected LF after header value');
    at += 2;
    if (at < end && (bytes[at] === SPACE || bytes[at] === TAB))
      throw fail('HPE_INVALID_HEADER_TOKEN', 'Unexpected whitespace after header value');
    if (at < end && isEmpty) throw fail('HPE_INVALID_CONTENT_LENGTH', 'Empty Content-Length');
  }
  if (at + 1 >= end) return null;
  if (bytes[at + 1] !== LF) throw fail('HPE_STRICT', 'Expected LF after headers');
  fields.end = at + 2;
  return fields;
}

const LENGTH_AND_ENCODING = "Transfer-Encoding can't be present with Content-Length";
const ENCODING_AND_LENGTH = "Content-Length can't be present with Transfer-Encoding";

/** Headers that matter here. */
const KINDS = ['connection', 'keep-alive', 'content-length', 'transfer-encoding'];

/** @param {Buffer} bytes @param {number} from @param {number} to of a name @returns {string | null} */
function findKind(bytes, from, to) {
  for (const kind of KINDS) {
    if (kind.length !== to - from) continue;
    let index = 0;
    while (index < kind.length && (Number(bytes[from + index]) | 0x20) === kind.charCodeAt(index))
      index += 1;
    if (index === kind.length) return kind;
  }
  return null;
}

/** @param {NonNullable<ReturnType<typeof parseFields>>} fields @param {string} kind @param {string} value */
function noteField(fields, kind, value) {
  if (kind === 'transfer-encoding') {
    if (value === '') throw fail('HPE_INVALID_TRANSFER_ENCODING', 'Empty Transfer-Encoding');
    // The last encoding of all counts; others than `chunked` have no end of their own.
    fields.length = /(?:^|,)\s*chunked$/.test(value) ? CHUNKED : UNTIL_CLOSE;
  } else if (kind === 'keep-alive') {
    const [, seconds] = /timeout=(\d+)/.exec(value) ?? [];
    if (seconds !== undefined) fields.keepAliveMs = Number(seconds) * 1000;
  } else {
    const options = value.split(/[ \t]*,[ \t]*/);
    fields.closes ||= options.includes('close');
    fields.keepsAlive ||= options.includes('keep-alive');
  }
}

/**
 * @param {Buffer} bytes @param {number} from @param {number} end
 * @returns {{size: number, end: number} | null} null: there is more to come
 */
function parseChunkSize(bytes, from, end) {
  let at = from;
  let size = 0;
  for (let digit = 0; at < end; at++) {
    digit = Number(HEX[Number(bytes[at])]);
    if (digit < 0) break;
    size = size * 16 + digit;
    if (size >= TOO_LONG) throw fail('HPE_INVALID_CHUNK_SIZE', 'Chunk size overflow');
  }
  const extensions = at;
  if (at < end && (at === from || (bytes[at] !== CR && bytes[at] !== SEMICOLON))) {
    if (at > from && bytes[at] === LF)
      throw fail('HPE_CR_EXPECTED', 'Missing expected CR after chunk size');
    throw fail('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size');
  }
  while (at < end && bytes[at] !== CR && bytes[at] !== LF) at += 1;
  if (at - from > MOST_CHUNK_LINE_BYTES)
    throw fail('HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Chunk extensions overflow');
  if (at >= end) return null;
  if (at > extensions) checkExtensions(bytes.toString('latin1', extensions, at));
  if (bytes[at] === LF)
    throw fail('HPE_CR_EXPECTED', 'Missing expected CR after chunk extension name');
  if (at + 1 >= end) return null;
  if (bytes[at + 1] !== LF) throw fail('HPE_STRICT', 'Expected LF after chunk size');
  return { size, end: at + 2 };
}

/** @param {string} text from the first semicolon */
function checkExtensions(text) {
  if (!CHUNK_EXTENSIONS.test(text) || text.endsWith(';'))
    throw fail('HPE_STRICT', 'Invalid character in chunk extensions');
}

/** @param {Buffer} bytes @param {number} at @param {number} end */
function skipNewlines(bytes, at, end) {
  while (at < end && (bytes[at] === CR || bytes[at] === LF)) at += 1;
  return at;
}

/** @param {number} index in the status line */
function failAt(index) {
  if (index < 5) return fail('HPE_INVALID_CONSTANT', 'Expected HTTP/, RTSP/ or ICE/');
  if (index === 5) return fail('HPE_INVALID_VERSION', 'Invalid major version');
  if (index === 6) return fail('HPE_INVALID_VERSION', 'Expected dot');
  if (index === 7) return fail('HPE_INVALID_VERSION', 'Invalid minor version');
  if (index === 8) return fail('HPE_INVALID_VERSION', 'Expected space after version');
  return fail('HPE_INVALID_STATUS', 'Invalid status code');
}

function overflow() {
  return fail('HPE_HEADER_OVERFLOW', 'Headers overflow');
}

/** @param {string} code @param {string} reason llhttp's */
function fail(code, reason) {
  return refuse(`Parse Error: ${reason}`, code);
}
