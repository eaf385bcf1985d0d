/**
 * Serves the page of a run in progress to this machine only: on a loopback address, with a random key in the path,
 * and only to its own pages. Updates reach every page through server-sent events.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { finished } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseOrNull } from '../../base/files/parse-json.js';
import { readBeginning } from '../../base/files/read-body.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */

const HOST = '127.0.0.1';
const KEY_BYTES = 32;
/** More pages of one run than anyone opens. */
const MOST_CONNECTIONS = 50;
/** A connection that has not sent the key by then is ended, as is the oldest of too many. */
const STRANGER_MS = 1000;
/** A page that has not received the last message by then is disconnected. */
const LAST_WORDS_MS = 5000;
/** A body from a page holds what to change and a number. */
const MOST_BYTES = 2000;
/**
 * Rejects other host names, because an attacker can point a name at this address (DNS rebinding). The port can differ
 * if it is forwarded.
 */
const OWN_HOST = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * @typedef {object} LiveServer
 * @property {string} url of the page
 * @property {(type: string, data: string) => void} send a message to all pages; pages that connect later get the newest
 *   of each type
 * @property {() => Promise<void>} close resolves once each page has the last message, or its time is up
 */

/**
 * @param {string} html the page, which requests `events` relative to its own address
 * @param {(request: unknown) => boolean} [onControl] gets what a page sends to `control`; false: it is refused
 * @returns {Promise<LiveServer>}
 */
export async function serveLivePage(html, onControl = () => false) {
  const key = randomBytes(KEY_BYTES).toString('base64url');
  /** @type {Map<string, string>} */
  const kept = new Map();
  /** @type {Set<ReturnType<typeof makeReader>>} */
  const readers = new Set();
  /** Connections that have not sent the key. @type {Set<Socket>} */
  const strangers = new Set();
  const end = (/** @type {Socket} */ socket) => strangers.delete(socket) && socket.destroy();
  const server = process.getBuiltinModule('http').createServer((request, response) => {
    const status = judgeRequest(request, key);
    const place = request.url?.slice(key.length + 2);
    if (status === null) strangers.delete(request.socket);
    if (status === null && request.method === 'POST')
      return void readJson(request).then(asked => {
        const answer = asked === null ? 400 : onControl(asked) ? 204 : 409;
        response.writeHead(answer, { ...HEADERS, Connection: 'close' }).end();
      });
    if (status === null && place === '')
      return response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/html' }).end(html);
    if (status === null && place === 'events') {
      const reader = makeReader(response);
      readers.add(reader);
      response.once('close', () => readers.delete(reader));
      for (const [type, data] of kept) reader.send(type, data);
      return;
    }
    response.writeHead(status ?? 404, { ...HEADERS, 'Content-Type': 'text/plain' }).end();
  });
  server.maxConnections = 2 * MOST_CONNECTIONS;
  server.on('connection', socket => {
    const [oldest = socket] = strangers.add(socket);
    if (strangers.size > MOST_CONNECTIONS) end(oldest);
    // What has arrived by then is read first.
    setTimeout(() => setImmediate(end, socket), STRANGER_MS).unref();
    socket.once('close', () => strangers.delete(socket));
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://${HOST}:${port}/${key}/`,
    send(type, data) {
      if (kept.get(type) === data) return;
      kept.delete(type);
      kept.set(type, data);
      for (const reader of readers) reader.send(type, data);
    },
    async close() {
      const patience = sleep(LAST_WORDS_MS, null, { ref: false });
      await Promise.race([Promise.all([...readers].map(reader => reader.end())), patience]);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @param {IncomingMessage} request @param {string} key @returns {number | null} status of the refusal; or null */
function judgeRequest({ method, url = '', headers }, key) {
  const { host = '', origin } = headers;
  if (!OWN_HOST.test(host) || (origin !== undefined && origin !== `http://${host}`)) return 403;
  const isControl = method === 'POST' && url.endsWith('/control');
  if (method !== 'GET' && !isControl) return 405;
  // A browser adds the origin to each POST of a page. Without one, the sender is not our page.
  if (isControl && origin === undefined) return 403;
  const [, given = '', ...place] = url.split('/');
  const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(digest(given), digest(key)) || (isControl && place.length > 1)) return 404;
  return !isControl || Number(headers['content-length']) <= MOST_BYTES ? null : 413;
}

/** @param {IncomingMessage} request @returns {Promise<unknown>} null: too slow, or not JSON */
async function readJson(request) {
  const body = await readBeginning(request, MOST_BYTES, STRANGER_MS).catch(() => null);
  return body?.isWhole ? parseOrNull(body.text) : null;
}

/**
 * One page. While it does not keep up, only the newest message of each type waits; older ones are dropped.
 * @param {ServerResponse} response
 */
function makeReader(response) {
  /** @type {Map<string, string>} */
  const waiting = new Map();
  let [isFull, isEnding] = [false, false];
  const pump = () => {
    for (const [type, data] of waiting) {
      if (isFull) return;
      waiting.delete(type);
      isFull = !response.write(`event: ${type}\ndata: ${data}\n\n`);
    }
    if (isEnding) response.end();
  };
  response.on('drain', () => {
    isFull = false;
    pump();
  });
  response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' });
  response.flushHeaders();
  return {
    /** @param {string} type @param {string} data without line breaks */
    send(type, data) {
      waiting.delete(type);
      waiting.set(type, data);
      pump();
    },
    /** @returns {Promise<unknown>} resolves once everything is sent, or the page is gone */
    end() {
      isEnding = true;
      pump();
      return new Promise(resolve => finished(response, resolve));
    },
  };
}
