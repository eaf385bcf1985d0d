/** Parses heads of responses (RFC 9112), byte by byte: as strict as llhttp 9, the parser of Node and undici. */
import { RawHeaders } from '../raw-headers.js';
import { failToParse } from './failures.js';

/** Limit of names and values of a head or of trailers; Node's default. */
const MOST_HEADER_BYTES = 16_384;
/** The first number that a 64-bit length can't represent. */
export const TOO_LONG = 2 ** 64;

export const LF = 10;
export const CR = 13;
const [TAB, SPACE, ZERO, NINE, COLON] = [9, 32, 48, 57, 58];

/** @param {RegExp} allowed @returns {Uint8Array} per byte: 1 if it is allowed */
const createTable = allowed =>
  Uint8Array.from({ length: 256 }, (_, byte) => Number(allowed.test(String.fromCharCode(byte))));

const TOKEN = createTable(/[\w!#$%&'*+.^`|~-]/);
const VALUE = createTable(/[\t\x20-\x7e\x80-\xff]/);
/** `0`: any digit. */
const STATUS_LINE = Buffer.from('HTTP/0.0 000');
const VERSIONS = new Set(['0.9', '1.0', '1.1', '2.0']);

/** Special values for the length of a body. */
export const CHUNKED = -1;
export const UNTIL_CLOSE = -2;

/**
 * @typedef {object} Head
 * @property {number} status
 * @property {string} statusText
 * @property {RawHeaders} headers
 * @property {number} length of the body; CHUNKED, UNTIL_CLOSE
 * @property {boolean} keepsAlive
 * @property {number | null} keepAliveMs how long the server promises to wait
 * @property {number} size bytes
 */

/** The last heads of a thread: many responses begin with exactly the same bytes as an earlier one. */
const known = {
  /** @type {(Head | undefined)[]} */
  heads: Array.from({ length: 64 }),
  bytes: Buffer.allocUnsafeSlow(64 * 1024),
};
const KNOWN_BYTES = 1024;

/**
 * Returns a known head, or parses it. Responses of an endpoint often have the same length, so their heads recur.
 * @param {Buffer} bytes @param {number} at @param {number} end
 */
export function findHead(bytes, at, end) {
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
 * @returns {Head | null} null: incomplete
 */
function parseHead(bytes, from, end) {
  const start = skipNewlines(bytes, from, end);
  for (let index = 0; index < STATUS_LINE.length; index++) {
    if (start + index >= end) return null;
    const byte = Number(bytes[start + index]);
    const wanted = STATUS_LINE[index];
    if (wanted === ZERO ? byte < ZERO || byte > NINE : byte !== wanted) throw failAt(index);
    if (index === 7 && !VERSIONS.has(bytes.toString('latin1', start + 5, start + 8)))
      throw failToParse('HPE_INVALID_VERSION');
  }
  let at = start + STATUS_LINE.length;
  if (at < end && bytes[at] !== SPACE && bytes[at] !== CR) throw failToParse('HPE_INVALID_STATUS');
  while (at < end && bytes[at] !== CR && bytes[at] !== LF) at += 1;
  if (bytes[at] === LF && at < end) throw failToParse('HPE_CR_EXPECTED');
  if (at - start > MOST_HEADER_BYTES) throw failToParse('HPE_HEADER_OVERFLOW');
  if (at + 1 >= end) return null;
  if (bytes[at + 1] !== LF) throw failToParse('HPE_STRICT');
  const firstHeader = at + 2;
  if (firstHeader < end && bytes[firstHeader] === SPACE) throw failToParse('HPE_UNEXPECTED_SPACE');
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
 * Parses headers, or the trailers of chunks, up to the empty line.
 * @param {Buffer} bytes @param {number} from @param {number} end
 * @param {boolean} hasEncoding there was a `Transfer-Encoding` before
 */
export function parseFields(bytes, from, end, hasEncoding) {
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
    if (size + at - name >= MOST_HEADER_BYTES) throw failToParse('HPE_HEADER_OVERFLOW');
    if (at >= end) return null;
    if (bytes[at] !== COLON || at === name) throw failToParse('HPE_INVALID_HEADER_TOKEN');
    const kind = findKind(bytes, name, at);
    if (kind === 'transfer-encoding') {
      if (hasLength) throw failToParse('HPE_INVALID_TRANSFER_ENCODING');
      hasEncoding = true;
    } else if (kind === 'content-length') {
      if (hasEncoding) throw failToParse('HPE_INVALID_CONTENT_LENGTH');
      if (hasLength) throw failToParse('HPE_UNEXPECTED_CONTENT_LENGTH');
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
      if (length >= TOO_LONG) throw failToParse('HPE_INVALID_CONTENT_LENGTH');
      isEmpty = at === value;
      while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at += 1;
      if (at < end && bytes[at] !== CR && bytes[at] !== LF)
        throw failToParse('HPE_INVALID_CONTENT_LENGTH');
    } else while (at < end && VALUE[Number(bytes[at])] === 1) at += 1;
    if (size + at - value >= MOST_HEADER_BYTES) throw failToParse('HPE_HEADER_OVERFLOW');
    if (at >= end) return null;
    if (bytes[at] === LF) throw failToParse('HPE_CR_EXPECTED');
    if (bytes[at] !== CR) throw failToParse('HPE_INVALID_HEADER_TOKEN');
    size += at - value;
    if (kind !== null && kind !== 'content-length')
      noteField(fields, kind, bytes.toString('latin1', value, at).trim().toLowerCase());
    if (at + 1 >= end) return null;
    if (bytes[at + 1] !== LF) throw failToParse('HPE_LF_EXPECTED');
    at += 2;
    if (at < end && (bytes[at] === SPACE || bytes[at] === TAB))
      throw failToParse('HPE_INVALID_HEADER_TOKEN');
    if (at < end && isEmpty) throw failToParse('HPE_INVALID_CONTENT_LENGTH');
  }
  if (at + 1 >= end) return null;
  if (bytes[at + 1] !== LF) throw failToParse('HPE_STRICT');
  fields.end = at + 2;
  return fields;
}

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
    if (value === '') throw failToParse('HPE_INVALID_TRANSFER_ENCODING');
    // The last encoding counts; only `chunked` marks the end of a body.
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

/** @param {Buffer} bytes @param {number} at @param {number} end */
export function skipNewlines(bytes, at, end) {
  while (at < end && (bytes[at] === CR || bytes[at] === LF)) at += 1;
  return at;
}

/** @param {number} index in the status line */
function failAt(index) {
  if (index < 5) return failToParse('HPE_INVALID_CONSTANT');
  return failToParse(index < 9 ? 'HPE_INVALID_VERSION' : 'HPE_INVALID_STATUS');
}
