import { entryOf } from '../../../../base/files/maps.js';
import { readProxies } from '../../../../base/process/proxies.js';
import { Link } from './client.js';
import { createConnector, loadTls, readTlsOptions } from './connector.js';
import { createTimeLimits } from './time-limits.js';

/** @import { EngineConfig, TlsOptions } from '../../../script.d.ts' */
/** @import { Scope, Services } from '../../engine.d.ts' */
/** @import { LinkOptions } from './client.js' */

/** Connections of one user, or of all users, to each origin; opened on demand. */
export class Connections {
  /**
   * @param {(tls: TlsOptions | null) => LinkOptions} optionsFor
   * @param {number} perOrigin
   */
  constructor(optionsFor, perOrigin) {
    this.optionsFor = optionsFor;
    this.perOrigin = perOrigin;
    /** @type {Map<string, Link>} */
    this.links = new Map();
  }

  /**
   * @param {string} origin
   * @param {TlsOptions | null} [tls] options of a single request
   * @param {string} [servername] for TLS, if it is not the host
   */
  to(origin, tls = null, servername) {
    const key = tls || servername ? `${origin} ${servername} ${JSON.stringify(tls)}` : origin;
    const open = () => new Link(origin, this.perOrigin, this.optionsFor(tls), servername);
    return entryOf(this.links, key, open);
  }

  /** Running requests may end. */
  close() {
    for (const link of this.links.values()) link.close();
    this.links.clear();
  }
}

// -- Shared by all users of a thread: how connections are opened and kept, and time limits.

const DEFAULT_TIMEOUT_SEC = 10;

/**
 * @typedef {object} Transport
 * @property {() => Connections} openConnections of a user
 * @property {() => Connections} openOwn for a request that occupies its connection, even if others share
 * @property {(connections: Connections) => void} closeConnections
 * @property {LinkOptions['limits']} limits
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
  const limits = createTimeLimits();
  if (/^https:/.test(config.target ?? '')) loadTls();
  const createFor = (/** @type {TlsOptions} */ tls) => ({
    connector: createConnector({ tls: readTlsOptions(tls), proxies, services }),
    limits,
    timeoutMs: timeoutSec * 1000,
  });
  const usual = createFor(config.tls ?? {});
  const optionsFor = (/** @type {TlsOptions | null} */ tls) => (tls ? createFor(tls) : usual);
  const { pool, maxSockets } = config.http;
  // As in Artillery: with `http.pool` all users of a thread share connections; without it each user has one to each
  // origin (`http.maxSockets`: several).
  const shared =
    pool === undefined
      ? null
      : new Connections(optionsFor, Number(pool) || Number.POSITIVE_INFINITY);
  return {
    openConnections: () => shared ?? new Connections(optionsFor, Number(maxSockets) || 1),
    openOwn: () => new Connections(optionsFor, 1),
    closeConnections(connections) {
      if (connections !== shared) connections.close();
    },
    limits,
    timeoutSec,
  };
}
