/** Creates a response as hooks know it from Artillery: Node's message, with got's times and the body. */
import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** @import { ConnectTimes } from './connection/connector.js' */
/** @import { Exchange } from './connection/exchange.js' */

/** Limit of a body, both as received and decompressed: a few hundred bytes may expand to gigabytes. */
export const MOST_BODY_BYTES = 64 * 2 ** 20;

/** @type {Record<string, (body: Buffer, options: {maxOutputLength: number}) => Promise<Buffer>>} by content-encoding */
const DECODERS = {
  gzip: promisify(zlib.unzip),
  deflate: promisify(zlib.unzip),
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
};

/**
 * @param {Exchange} exchange with a complete response
 * @param {ConnectTimes} connectTimes
 * @returns {Record<string, any>} without `body`
 */
export function createAnswer(exchange, connectTimes) {
  const { options, status, rawHeaders } = exchange;
  const headers = rawHeaders.read();
  const { href } = options.address;
  return {
    statusCode: status,
    statusMessage: exchange.statusText,
    httpVersion: '1.1',
    headers,
    rawHeaders: rawHeaders.list(),
    url: href,
    requestUrl: href,
    ok: status >= 200 && status < 300,
    complete: true,
    timings: readTimings(exchange, connectTimes),
    req: { method: options.method, path: options.path, protocol: new URL(href).protocol },
  };
}

/**
 * @param {Exchange} exchange
 * @param {string} [encoding] content-encoding, if the body should be decompressed
 * @returns {Promise<string>}
 * @throws what zlib throws for invalid data (ERR_BUFFER_TOO_LARGE: more than 64 MB)
 */
export async function readBody({ chunks, options, status }, encoding = '') {
  if (!chunks || chunks.length === 0) return '';
  const bytes = chunks.length === 1 ? /** @type {Buffer} */ (chunks[0]) : Buffer.concat(chunks);
  const decode = options.decompress ? DECODERS[encoding.toLowerCase()] : undefined;
  const isEmpty = options.method === 'HEAD' || status === 204 || status === 304;
  return (
    decode && !isEmpty ? await decode(bytes, { maxOutputLength: MOST_BODY_BYTES }) : bytes
  ).toString();
}

/**
 * Times in the format of got: timestamps in ms since 1970, and the length of each phase.
 * @param {Exchange} exchange
 * @param {ConnectTimes} connectTimes
 */
function readTimings(exchange, { dns = 0, tcp = 0, tls }) {
  const { queuedAtMs, connectedMs, sentMs, headersMs, endMs } = exchange;
  const at = (/** @type {number} */ ms) => performance.timeOrigin + ms;
  const uploadMs = sentMs || connectedMs;
  return {
    start: at(queuedAtMs),
    socket: at(connectedMs),
    lookup: at(connectedMs),
    connect: at(connectedMs),
    secureConnect: tls === undefined ? undefined : at(connectedMs),
    upload: at(uploadMs),
    response: at(headersMs),
    end: at(endMs),
    phases: {
      wait: connectedMs - queuedAtMs,
      dns,
      tcp,
      tls,
      request: uploadMs - connectedMs,
      firstByte: exchange.timeToFirstByteMs,
      download: endMs - headersMs,
      total: endMs - queuedAtMs,
    },
  };
}
