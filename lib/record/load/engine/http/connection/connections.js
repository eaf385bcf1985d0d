import { Client, Pool } from 'undici';
import { createConnector, readProxies, readTlsOptions } from './connector.js';
import { refuse } from './failures.js';

/** @import { EngineConfig, TlsOptions } from '../../../script.d.ts' */
/** @import { Scope, Services } from '../../engine.d.ts' */
/** @import { Connector, Link } from './connector.js' */

/** Why a socket without work was closed: undici would make an error with a stack for each. */
const CLOSED = new Error('its user has ended');

/** How long a connection without work stays open: that of Artillery's agent. */
const IDLE_MS = 4000;
/** A server that says `Keep-Alive: timeout=5` is not asked in the last second. */
const SERVER_IDLE_MARGIN_MS = 1000;
/** undici's own time limits are off: `createTimeLimits` keeps ours. */
const NONE = 0;
/** Clients kept for users to come: as many as end and start at about the same time. */
const MOST_SPARES = 100;

/** Connections of one user, or of all, to each origin; opened when they are needed. */
export class Connections {
  /**
   * @param {(tls: TlsOptions | null) => Connector} connectorFor
   * @param {number} perOrigin
   */
  constructor(connectorFor, perOrigin) {
    this.connectorFor = connectorFor;
    this.perOrigin = perOrigin;
    /** @type {Map<string, Link>} */
    this.origins = new Map();
  }

  /** @param {string} origin @param {TlsOptions | null} [tls] options of a single request */
  to(origin, tls = null) {
    const key = tls ? `${origin} ${JSON.stringify(tls)}` : origin;
    let entry = this.origins.get(key);
    if (!entry) {
      entry = this.open(origin, this.connectorFor(tls));
      this.origins.set(key, entry);
    }
    return entry;
  }

  /** @param {string} origin @param {Connector} connector @returns {Link} */
  open(origin, connector) {
    const spares = this.perOrigin === 1 ? connector.spares : [];
    const spare = spares.findLastIndex(one => one.origin === origin);
    if (spare >= 0) return /** @type {Link} */ (spares.splice(spare, 1)[0]);
    const fresh = { times: {}, session: undefined, sockets: new Set() };
    const link = /** @type {Link} */ ({ origin, spares, ...fresh });
    const options = {
      connect: connector.connectInto(link),
      pipelining: 1,
      headersTimeout: NONE,
      bodyTimeout: NONE,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: SERVER_IDLE_MARGIN_MS,
    };
    link.dispatcher =
      this.perOrigin === 1
        ? new Client(origin, options)
        : new Pool(origin, {
            ...options,
            connections: Number.isFinite(this.perOrigin) ? this.perOrigin : null,
          });
    return link;
  }

  /** Requests that are under way may end. */
  close() {
    for (const link of this.origins.values()) {
      // Without work the sockets are all that there is to close; `close()` of undici would make
      // two errors with their stacks of it, a tenth of what a user with one request costs.
      if (link.dispatcher.stats.size > 0) link.dispatcher.close().catch(() => {});
      else
        for (const socket of link.sockets) socket.destroy(CLOSED).once('close', () => keep(link));
    }
    this.origins.clear();
  }
}

/**
 * Keeps the client of a user that has ended for the next user. Without a socket it is as good as new, and a new one
 * is a thirtieth of the cost of a user with one request.
 * @param {Link} link
 */
function keep(link) {
  if (link.sockets.size > 0 || link.spares.length >= MOST_SPARES) return;
  link.spares.push(Object.assign(link, { times: {}, session: undefined }));
}

// -- What all users of a thread send with: how connections are opened and kept, and time limits.

const DEFAULT_TIMEOUT_SEC = 10;

/**
 * @typedef {object} Transport
 * @property {() => Connections} openConnections of a user
 * @property {() => Connections} openOwn for a request that keeps its connection, whatever others share
 * @property {(connections: Connections) => void} closeConnections
 * @property {ReturnType<typeof createTimeLimits>} limits
 * @property {number} timeoutSec
 */

/** @typedef {Scope & {transport: Transport}} HttpScope */

/**
 * @param {EngineConfig} config of the script
 * @param {Services} services
 * @returns {Transport}
 */
export function createTransport(config, services) {
  const timeoutSec = Number(config.timeout || config.http.timeout) || DEFAULT_TIMEOUT_SEC;
  const proxies = readProxies(process.env);
  const createFor = (/** @type {TlsOptions} */ tls) =>
    createConnector({ tls: readTlsOptions(tls), proxies, timeoutMs: timeoutSec * 1000, services });
  const connector = createFor(config.tls ?? {});
  const connectorFor = (/** @type {TlsOptions | null} */ tls) => (tls ? createFor(tls) : connector);
  const { pool, maxSockets } = config.http;
  // As Artillery: with `http.pool` all users of a thread share connections, without it each user
  // has one to each origin (`http.maxSockets`: several).
  const shared =
    pool === undefined
      ? null
      : new Connections(connectorFor, Number(pool) || Number.POSITIVE_INFINITY);
  return {
    openConnections: () => shared ?? new Connections(connectorFor, Number(maxSockets) || 1),
    openOwn: () => new Connections(connectorFor, 1),
    closeConnections(connections) {
      if (connections !== shared) connections.close();
    },
    limits: createTimeLimits(),
    timeoutSec,
  };
}

// -- Time limits of all requests of a thread, checked by one timer.

/** Time limits of all requests of a thread, looked after by one timer. */

/**
 * A request on the wire; times by `performance.now()`, 0 is not yet.
 * @typedef {object} Watched
 * @property {number} watchedAt place among those that are watched; −1: nowhere
 * @property {((error?: Error) => void) | null} abort
 * @property {number} timeoutMs
 * @property {number} connectedMs
 * @property {number} sentMs
 * @property {number} headersMs
 * @property {boolean} gotData since the last look
 * @property {number} lastDataMs
 */

/** How exact they are. */
const RESOLUTION_MS = 100;
/** Artillery's agent waits at least so long for the rest of a body. */
const MIN_PAUSE_MS = 8000;
/** A body that never ends, however steadily it comes. */
const MIN_BODY_MS = 60_000;

export function createTimeLimits() {
  /**
   * Not a Set: its outgrown tables lead from one to the next, and one that is old keeps all of them, with
   * what they held, from the collector of the young generation: a quarter of a request's cost.
   * @type {Watched[]}
   */
  const watched = [];
  /** @type {NodeJS.Timeout | null} */
  let timer = null;

  const check = () => {
    const nowMs = performance.now();
    for (const exchange of [...watched]) {
      const error = findExceeded(exchange, nowMs);
      if (error) exchange.abort?.(error);
    }
    if (watched.length > 0 || !timer) return;
    clearInterval(timer);
    timer = null;
  };
  return {
    /** @param {Watched} exchange */
    watch(exchange) {
      exchange.watchedAt = watched.push(exchange) - 1;
      timer ??= setInterval(check, RESOLUTION_MS);
    },
    /** The last one takes its place. @param {Watched} exchange */
    forget(exchange) {
      const at = exchange.watchedAt;
      if (at < 0) return;
      const last = /** @type {Watched} */ (watched.pop());
      exchange.watchedAt = -1;
      if (last === exchange) return;
      watched[at] = last;
      last.watchedAt = at;
    },
  };
}

/**
 * Waiting for a free connection is not limited (nor in Artillery), connecting is by the connector.
 * @param {Omit<Watched, 'watchedAt' | 'abort'>} exchange
 * @param {number} nowMs on the clock of `performance.now()`
 */
export function findExceeded(exchange, nowMs) {
  const { timeoutMs, connectedMs, sentMs, headersMs } = exchange;
  if (headersMs > 0) {
    if (exchange.gotData) {
      exchange.gotData = false;
      exchange.lastDataMs = nowMs;
    }
    if (nowMs - Math.max(headersMs, exchange.lastDataMs) > Math.max(MIN_PAUSE_MS, timeoutMs)) {
      return refuse('Socket timeout', 'ERR_SOCKET_TIMEOUT');
    }
    const bodyMs = Math.max(MIN_BODY_MS, timeoutMs);
    if (nowMs - headersMs <= bodyMs) return null;
    return refuse(`Timeout awaiting the end of the body for ${bodyMs}ms`, 'ETIMEDOUT');
  }
  const waitedMs = sentMs > 0 ? nowMs - sentMs : 0;
  if (waitedMs > timeoutMs) {
    return refuse(`Timeout awaiting 'response' for ${timeoutMs}ms`, 'ETIMEDOUT');
  }
  const sendingMs = sentMs === 0 && connectedMs > 0 ? nowMs - connectedMs : 0;
  if (sendingMs <= Math.max(MIN_BODY_MS, timeoutMs)) return null;
  return refuse('Timeout while sending', 'ETIMEDOUT');
}
