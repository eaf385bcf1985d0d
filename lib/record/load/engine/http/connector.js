/** Opens sockets for undici, and measures what that takes. */
import net from 'node:net';
import tls from 'node:tls';
import { openTunnel } from './proxy-tunnel.js';

/** First TCP keep-alive probe, as undici and Node's agents. */
const PROBE_AFTER_MS = 60_000;

/** @typedef {import('undici').buildConnector.connector} Connect */
/** @typedef {{connectInto(times: import('./connections.js').ConnectTimes, sockets: Set<net.Socket>): Connect}} Connector */

/**
 * @param {object} options
 * @param {{options: tls.ConnectionOptions, servername: string | undefined}} options.tls
 * @param {import('./proxy-tunnel.js').Proxies} options.proxies
 * @param {number} options.timeoutMs for all of it
 * @param {Pick<import('../engine.d.ts').Services, 'recorder' | 'sockets'>} options.services
 * @returns {Connector}
 */
export function createConnector({ tls: tlsOptions, proxies, timeoutMs, services }) {
  const { recorder, sockets: open } = services;

  return {
    connectInto(times, sockets) {
      /** Sessions are kept for the reconnects of a user, never given to another one. */
      let session = /** @type {Buffer | undefined} */ (undefined);
      return ({ hostname, protocol, port, servername }, callback) => {
        const secure = protocol === 'https:';
        const startedMs = performance.now();
        let lookedUpMs = startedMs;
        let connectedMs = startedMs;
        /** @type {net.Socket | null} */
        let socket = null;
        const finish = (/** @type {Error | null} */ error) => {
          clearTimeout(timer);
          if (error || !socket) callback(error ?? new Error('no socket'), null);
          else callback(null, socket);
        };
        const timer = setTimeout(() => {
          const error = Object.assign(new Error(`Timeout awaiting 'connect' for ${timeoutMs}ms`), {
            code: 'ETIMEDOUT',
          });
          if (socket) socket.destroy(error);
          else finish(error);
        }, timeoutMs);

        const use = (/** @type {net.Socket} */ plain) => {
          socket = secure ? startTls(plain) : plain;
          open.open += 1;
          sockets.add(socket);
          const own = socket;
          const ready = () => {
            const nowMs = performance.now();
            times.dns = lookedUpMs - startedMs;
            times.tcp = (secure ? connectedMs : nowMs) - lookedUpMs;
            times.tls = secure ? nowMs - connectedMs : undefined;
            recorder.measure('http.dns', times.dns);
            recorder.measure('http.tcp', times.tcp);
            if (times.tls !== undefined) recorder.measure('http.tls', times.tls);
            own.off('error', finish);
            finish(null);
          };
          own.once('error', finish).once('close', () => {
            open.open -= 1;
            sockets.delete(own);
          });
          if (secure) own.once('secureConnect', ready);
          else if (plain.connecting) own.once('connect', ready);
          else ready();
        };
        const startTls = (/** @type {net.Socket} */ plain) =>
          tls
            .connect({
              ALPNProtocols: ['http/1.1'],
              ...tlsOptions.options,
              servername:
                tlsOptions.servername ?? servername ?? (net.isIP(hostname) ? '' : hostname),
              host: hostname,
              session,
              socket: plain,
            })
            .on('session', newest => {
              session = newest;
            });

        const proxy = secure ? proxies.https : proxies.http;
        const portNumber = Number(port) || (secure ? 443 : 80);
        if (proxy) {
          openTunnel(proxy, hostname, portNumber, (error, tunnel) => {
            connectedMs = performance.now();
            lookedUpMs = startedMs;
            if (error || !tunnel) return finish(error);
            return use(tunnel);
          });
          return undefined;
        }
        const plain = net.connect({
          host: hostname,
          port: portNumber,
          noDelay: true,
          keepAlive: true,
          keepAliveInitialDelay: PROBE_AFTER_MS,
        });
        plain.once('lookup', () => {
          lookedUpMs = performance.now();
        });
        if (secure) {
          plain.once('connect', () => {
            connectedMs = performance.now();
          });
        }
        use(plain);
        return undefined;
      };
    },
  };
}
