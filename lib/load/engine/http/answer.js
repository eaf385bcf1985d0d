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
 * @param {{times: ConnectTimes, ip: string} | null} link its connection
 * @param {string[]} visited addresses that redirected to it, the first one first
 * @returns {Record<string, any>} without `body`
 */
export function createAnswer(exchange, link, visited) {
  const { options, status, rawHeaders } = exchange;
  const headers = rawHeaders.read();
  const { href } = options.address;
  const [requestUrl = href, ...hops] = [...visited, href];
  const { method, path } = options;
  const { protocol, host } = new URL(href);
  const pairs = options.headers.flatMap((name, i, all) => (i % 2 ? [] : [[name, all[i + 1]]]));
  const request = { method, path, protocol, host, headers: Object.fromEntries(pairs) };
  // A request is sent once, and nothing is cached.
  const sent = { requestUrl, redirectUrls: hops.map(hop => new URL(hop)), retryCount: 0 };
  return {
    statusCode: status,
    statusMessage: exchange.statusText,
    httpVersion: '1.1',
    headers,
    rawHeaders: rawHeaders.list(),
    url: href,
    ...sent,
    isFromCache: false,
    ip: link?.ip,
    ok: status >= 200 && status < 300,
    complete: true,
    timings: readTimings(exchange, link?.times ?? {}),
    req: request,
    request: { ...request, ...sent, options: { ...request, url: new URL(href) } },
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
