/** HTTP/1.1 over Node's sockets: connections to an origin, with one request at a time on each. */
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import { nameHandshakeFailure } from './connector.js';
import { encodeRequest } from './encode-request.js';
import { refuse } from './failures.js';
import { ResponseParser } from './response-parser.js';

/** @import { Readable } from 'node:stream' */
/** @import { Socket } from 'node:net' */
/** @import { Encoded, RequestOptions } from '../request.d.ts' */
/** @import { ConnectTimes, Connector, Opened } from './connector.js' */
/** @import { TimeLimits, Watched } from './time-limits.js' */
/** @import { ResponseHandler } from './response-parser.js' */

/** How long an idle connection stays open, as in Artillery's agent. */
const IDLE_MS = 4000;
/** With `Keep-Alive: timeout=5`, the last second is not used. */
const SERVER_IDLE_MARGIN_MS = 1000;
/** Handling a response may take this long; anything longer is a stall. */
const FRESH_MS = 1;

/**
 * Callbacks of a request: `onError` or `onComplete` comes last, and once. Times are those of `performance.now()`.
 * @typedef {ResponseHandler & {
 *   onConnect(abort: (error?: Error) => void, nowMs: number, opening: ConnectTimes | null): void,
 *   onRequestSent(): void,
 *   onComplete(nowMs: number): void,
 *   onError(error: Error): void,
 * }} RequestHandler
 */

/** @typedef {Pick<RequestOptions, 'method' | 'path' | 'headers' | 'body' | 'address' | 'encoded'>} Sendable */
/** @typedef {{encoded: Encoded, isHead: boolean, handler: RequestHandler}} Waiting */

/**
 * @typedef {object} LinkOptions
 * @property {Connector} connector
 * @property {TimeLimits} limits
 * @property {number} timeoutMs for connecting
 */

/** Each new user asks for the same one. */
let newest = { origin: '', isSecure: false, host: '', port: 80 };

/** @param {string} origin such as `https://[::1]:8443` */
function readOrigin(origin) {
  if (newest.origin === origin) return newest;
  const [, protocol, host = '', port] =
    /^(https?):\/\/(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(origin) ?? [];
  const isSecure = protocol === 'https';
  newest = {
    origin,
    isSecure,
    host: host.startsWith('[') ? host.slice(1, -1) : host,
    port: Number(port ?? (isSecure ? 443 : 80)),
  };
  return newest;
}

/** The connections of one user, or of all users, to an origin. */
export class Link {
  /** Times of the newest connection. @type {ConnectTimes} */
  times = {};
  /** Of the newest connection's other end. */
  ip = '';
  /** TLS session, for reconnecting @type {Buffer | undefined} */
  session;
  /** Idle connections. @type {Connection[]} */
  #idle = [];
  /** @type {Waiting[]} */
  #waiting = [];
  #connecting = 0;
  #open = 0;
  #isClosed = false;

  /**
   * @param {string} origin
   * @param {number} mostConnections
   * @param {LinkOptions} options
   * @param {string} [servername] for TLS, if it is not the host
   */
  constructor(origin, mostConnections, options, servername) {
    const { isSecure, host, port } = readOrigin(origin);
    this.isSecure = isSecure;
    this.host = host;
    this.port = port;
    this.servername = servername ?? (isIP(host) ? '' : host);
    this.options = options;
    this.mostConnections = mostConnections;
  }

  /**
   * Sends a request as soon as there is a connection for it.
   * @param {Sendable} options
   * @param {RequestHandler} handler gets an error immediately if the request is invalid
   */
  dispatch(options, handler) {
    try {
      const encoded = options.encoded ?? encodeRequest(options);
      this.#waiting.push({ encoded, isHead: options.method === 'HEAD', handler });
    } catch (error) {
      handler.onError(/** @type {Error} */ (error));
      return;
    }
    this.serve();
  }

  /** No more requests follow; waiting and running ones may end. */
  close() {
    this.#isClosed = true;
    for (const connection of [...this.#idle]) connection.destroy();
  }

  /** Assigns waiting requests to idle connections, and opens missing connections. */
  serve() {
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop();
      if (!connection) break;
      const nowMs = performance.now();
      // Its response has just arrived: there was no time for a stall.
      if (nowMs - connection.idleSinceMs < FRESH_MS)
        connection.send(/** @type {Waiting} */ (this.#waiting.shift()), nowMs);
      else this.#check(connection);
    }
    while (this.#connecting < this.#waiting.length && this.#open < this.mostConnections) {
      this.#connecting += 1;
      this.#open += 1;
      new Connection(this).open();
    }
  }

  /**
   * After a stall the end of a connection may be waiting to be read: one turn of the event loop reveals it.
   * @param {Connection} connection
   */
  #check(connection) {
    this.#connecting += 1;
    setImmediate(() => {
      if (connection.isOpen) this.connected(connection, performance.now());
      else {
        this.#connecting -= 1;
        this.serve();
      }
    });
  }

  /** @param {Connection} connection @param {number} nowMs */
  connected(connection, nowMs) {
    this.#connecting -= 1;
    this.release(connection, nowMs);
    this.serve();
  }

  /**
   * One waiting request fails with it, or all of them if no other connection is open.
   * @param {Error} error
   */
  notConnected(error) {
    this.#connecting -= 1;
    const failed = this.#waiting.splice(0, this.#open > 0 ? 1 : this.#waiting.length);
    for (const { handler } of failed) handler.onError(error);
    this.serve();
  }

  /** @param {Connection} connection now idle @param {number} nowMs */
  release(connection, nowMs) {
    connection.idleSinceMs = nowMs;
    this.#idle.push(connection);
    if (this.#isClosed && this.#waiting.length === 0) connection.destroy();
  }

  /** @param {Connection} connection no longer usable */
  forget(connection) {
    this.#open -= 1;
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

/**
 * Methods that sockets and requests call are bound, not closures. In V8 (13.6, measured) a closure that is a property
 * of an object, as listeners are, keeps what it refers to until the old generation is collected.
 * @implements {Opened} @implements {Watched}
 */
class Connection {
  #parser = new ResponseParser();
  /** Of the current request. @type {RequestHandler | null} */
  #handler = null;
  /** The body that is being sent. @type {Readable | null} */
  #upload = null;
  #closes = false;
  /** @type {Socket | null} */
  #socket = null;
  /** @type {'opening' | 'open' | 'over'} */
  #state = 'opening';
  #idleMs = IDLE_MS;
  /** For its first request. @type {ConnectTimes | null} */
  #opening = null;
  watchedAt = -1;

  /** @param {Link} link */
  constructor(link) {
    this.link = link;
    /** Since when it has been idle. */
    this.idleSinceMs = performance.now();
  }

  get isOpen() {
    return this.#state === 'open';
  }

  open() {
    const { connector, limits } = this.link.options;
    limits.watch(this);
    connector.connect(this.link, this);
  }

  /** @param {Socket} socket */
  attach(socket) {
    socket
      .on('error', this.fail.bind(this))
      .on('end', this.#end.bind(this))
      .on('close', this.fail.bind(this, undefined));
    this.#socket = socket;
    return this.#state === 'opening';
  }

  #end() {
    if (this.#parser.finish()) this.#complete(performance.now());
    else this.fail();
  }

  ready() {
    if (this.#state !== 'opening') return;
    this.#state = 'open';
    this.link.ip = this.#socket?.remoteAddress ?? '';
    this.#opening = this.link.times;
    this.link.connected(this, performance.now());
  }

  /** Connecting for too long, or idle for too long. @param {number} nowMs */
  exceeds(nowMs) {
    if (this.#handler) return null;
    const ms = nowMs - this.idleSinceMs;
    if (this.isOpen) return ms > this.#idleMs ? refuse('idle') : null;
    const { timeoutMs } = this.link.options;
    if (ms <= timeoutMs) return null;
    return refuse(`Timeout awaiting 'connect' for ${timeoutMs}ms`, 'ETIMEDOUT');
  }

  /** @param {Error} [error] */
  abort(error) {
    this.fail(error);
  }

  /** @param {Waiting} request @param {number} nowMs */
  send({ encoded, isHead, handler }, nowMs) {
    const socket = /** @type {Socket} */ (this.#socket);
    this.#handler = handler;
    this.#closes = encoded.closes;
    this.#parser.expect(handler, isHead);
    const opening = this.#opening;
    this.#opening = null;
    handler.onConnect(this.#giveUp.bind(this, handler), nowMs, opening);
    if (this.#handler !== handler) return;
    const { start, rest } = encoded;
    if (rest === null) socket.write(start, 'latin1');
    else if (Buffer.isBuffer(rest)) {
      socket.cork();
      socket.write(start, 'latin1');
      socket.write(rest);
      socket.uncork();
    } else {
      socket.write(start, 'latin1');
      this.#pipe(rest, encoded.length);
      return;
    }
    handler.onRequestSent();
  }

  /** Does nothing if the request has ended. @param {RequestHandler} request @param {Error} [error] */
  #giveUp(request, error) {
    if (this.#handler === request) this.fail(error);
  }

  /** @param {Readable} body @param {number} length */
  #pipe(body, length) {
    let sent = 0;
    this.#upload = body;
    body
      .on('error', error => this.#upload === body && this.fail(error))
      .on('data', chunk => {
        sent += chunk.length;
        if (sent > length) this.fail(mismatch());
      })
      .on('end', () => {
        if (this.#upload !== body) return;
        this.#upload = null;
        if (sent < length) this.fail(mismatch());
        else this.#handler?.onRequestSent();
      })
      .pipe(/** @type {Socket} */ (this.#socket), { end: false });
  }

  /** @param {Buffer} bytes @param {number} end number of new bytes */
  take(bytes, end) {
    const nowMs = performance.now();
    try {
      if (!this.#parser.execute(bytes, end, nowMs)) return;
    } catch (error) {
      this.fail(/** @type {Error} */ (error));
      return;
    }
    if (this.#handler) this.#complete(nowMs);
    else if (!this.#parser.keepsAlive) this.destroy();
  }

  /** @param {number} nowMs */
  #complete(nowMs) {
    const handler = /** @type {RequestHandler} */ (this.#handler);
    const { keepsAlive, keepAliveMs } = this.#parser;
    this.#handler = null;
    this.#idleMs = Math.min((keepAliveMs ?? Infinity) - SERVER_IDLE_MARGIN_MS, IDLE_MS);
    if (!keepsAlive || this.#closes || this.#upload || this.#idleMs <= 0) this.destroy();
    else this.link.release(this, nowMs);
    handler.onComplete(nowMs);
    this.link.serve();
  }

  /** @param {Error} [error] */
  fail(error) {
    if (this.#state === 'over') return;
    const handler = this.#handler;
    const isOpening = this.#state === 'opening';
    const failure =
      error ?? refuse(this.#parser.hasBegun ? 'aborted' : 'socket hang up', 'ECONNRESET');
    this.#handler = null;
    this.#parser.stop();
    this.destroy();
    if (isOpening) this.link.notConnected(nameHandshakeFailure(failure));
    else {
      handler?.onError(failure);
      this.link.serve();
    }
  }

  /** Whether it has no request. */
  destroy() {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.link.options.limits.forget(this);
    this.#upload?.destroy();
    this.#upload = null;
    this.link.forget(this);
    this.#socket?.destroy();
  }
}

function mismatch() {
  return refuse('Body length differs from Content-Length', 'ERR_HTTP_CONTENT_LENGTH_MISMATCH');
}
