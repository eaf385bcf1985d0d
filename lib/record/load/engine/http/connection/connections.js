import { Link } from './client.js';
import { createConnector, readProxies, readTlsOptions } from './connector.js';
import { refuse } from './failures.js';

/** @import { EngineConfig, TlsOptions } from '../../../script.d.ts' */
/** @import { Scope, Services } from '../../engine.d.ts' */
/** @import { Connector } from './connector.js' */

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
    this.links = new Map();
  }

  /**
   * @param {string} origin
   * @param {TlsOptions | null} [tls] options of a single request
   * @param {string} [servername] of TLS, where it is not the host
   */
  to(origin, tls = null, servername) {
    const key = tls || servername ? `${origin} ${servername} ${JSON.stringify(tls)}` : origin;
    let link = this.links.get(key);
    if (!link) {
      link = new Link(origin, this.connectorFor(tls), this.perOrigin, servername);
      this.links.set(key, link);
    }
    return link;
  }

  /** Requests that are under way may end. */
  close() {
    for (const link of this.links.values()) link.close();
    this.links.clear();
  }
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
