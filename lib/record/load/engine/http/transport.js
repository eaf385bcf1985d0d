/** What all users of a thread send with: how connections are opened and kept, and time limits. */
import { Connections } from './connections.js';
import { createConnector } from './connector.js';
import { readProxies } from './proxy-tunnel.js';
import { createTimeLimits } from './time-limits.js';
import { readTlsOptions } from './tls-options.js';

const DEFAULT_TIMEOUT_SEC = 10;

/**
 * @typedef {object} Transport
 * @property {(tls?: Record<string, any>) => import('./connector.js').Connector} connectorFor
 * @property {() => Connections} openConnections of a user
 * @property {(connections: Connections) => void} closeConnections
 * @property {ReturnType<typeof createTimeLimits>} limits
 * @property {number} timeoutSec
 */

/** @typedef {import('../engine.d.ts').Scope & {transport: Transport}} HttpScope */

/**
 * @param {Record<string, any>} config of the script
 * @param {import('../engine.d.ts').Services} services
 * @returns {Transport}
 */
export function createTransport(config, services) {
  const timeoutSec = Number(config.timeout || config.http.timeout) || DEFAULT_TIMEOUT_SEC;
  const proxies = readProxies(process.env);
  const connectorFor = (/** @type {Record<string, any>} */ tls = config.tls ?? {}) =>
    createConnector({
      tls: readTlsOptions(tls),
      proxies,
      timeoutMs: timeoutSec * 1000,
      services,
    });
  const connector = connectorFor();
  const { pool, maxSockets } = config.http;
  // As Artillery: with `http.pool` all users of a thread share connections, without it each user
  // has one to each origin (`http.maxSockets`: several).
  const shared =
    pool === undefined
      ? null
      : new Connections(connector, Number(pool) || Number.POSITIVE_INFINITY);
  return {
    connectorFor,
    openConnections: () => shared ?? new Connections(connector, Number(maxSockets) || 1),
    closeConnections(connections) {
      if (connections !== shared) connections.close();
    },
    limits: createTimeLimits(),
    timeoutSec,
  };
}
