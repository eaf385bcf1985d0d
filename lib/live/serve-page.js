/**
 * Serves the page of a run under way, to this machine alone: on a loopback address, behind a random key in the path,
 * and only to pages of its own. What is new goes to each of them by server-sent events.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { finished } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const HOST = '127.0.0.1';
const KEY_BYTES = 32;
/** Nobody looks at more pages of one run. */
const MOST_CONNECTIONS = 50;
/** A reader that has not taken the last message by then gets no more. */
const LAST_WORDS_MS = 5000;
/** Of a page behind a name that an attacker made point here, the name is another one. A forwarded port may be any. */
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
 * @property {(type: string, data: string) => void} send a message to all pages; those that connect later get the newest
 *   of each type
 * @property {() => Promise<void>} close when each page has the last message, or has had time for it
 */

/**
 * @param {string} html the page; it asks for `events`, beside it
 * @returns {Promise<LiveServer>}
 */
export async function serveLivePage(html) {
  const key = randomBytes(KEY_BYTES).toString('base64url');
  /** @type {Map<string, string>} */
  const kept = new Map();
  /** @type {Set<ReturnType<typeof makeReader>>} */
  const readers = new Set();
  const server = createServer((request, response) => {
    const status = judgeRequest(request, key);
    const place = request.url?.slice(key.length + 2);
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
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(0, HOST);
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://${HOST}:${port}/${key}/`,
    send(type, data) {
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

/** @param {IncomingMessage} request @param {string} key @returns {number | null} the status that refuses it */
function judgeRequest({ method, url = '', headers }, key) {
  const { host = '', origin } = headers;
  if (!OWN_HOST.test(host) || (origin !== undefined && origin !== `http://${host}`)) return 403;
  if (method !== 'GET') return 405;
  const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(url.split('/')[1] ?? ''), digest(key)) ? null : 404;
}

/**
 * One page. While it has not taken what was sent, the newest message of each type waits, and none before it.
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
    /** @returns {Promise<unknown>} when all is on its way, or the page is gone */
    end() {
      isEnding = true;
      pump();
      return new Promise(resolve => finished(response, resolve));
    },
  };
}
