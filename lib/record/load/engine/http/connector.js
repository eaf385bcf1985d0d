/** Opens sockets for undici, and measures what that takes. */
import net from 'node:net';
import tls from 'node:tls';
import { openTunnel } from './proxy-tunnel.js';

/** @typedef {import('undici').buildConnector.connector} Connect */
/** @typedef {import('./connections.js').ConnectTimes} ConnectTimes */
/** @typedef {{connectInto(times: ConnectTimes, sockets: Set<net.Socket>): Connect}} Connector */

/**
 * @param {object} options
 * @param {{options: tls.ConnectionOptions, servername: string | undefined}} options.tls
 * @param {import('./proxy-tunnel.js').Proxies} options.proxies
 * @param {number} options.timeoutMs for all of it
 * @param {Pick<import('../engine.d.ts').Services, 'recorder' | 'sockets'>} options.services
 * @returns {Connector}
 */
export function createConnector({ tls: tlsOptions, proxies, timeoutMs, services }) {
  return {
    connectInto(times, sockets) {
      /** @type {Buffer | undefined} kept for reconnects of a user, never given to another one */
      let session;
      return ({ hostname, protocol, port, servername }, callback) => {
        const secure = protocol === 'https:';
        const host = hostname;
        const address = { host, port: Number(port) || (secure ? 443 : 80) };
        const clock = startClock();
        const timer = setTimeout(() => end(timeoutError(timeoutMs)), timeoutMs);
        /** @type {net.Socket | null} */
        let socket = null;

        const end = (/** @type {Error | null} */ error) => {
          clearTimeout(timer);
          if (error) {
            socket?.off('error', end).on('error', () => {});
            socket?.destroy();
            callback(nameHandshakeFailure(error), null);
          } else callback(null, /** @type {net.Socket} */ (socket));
        };
        const ready = () => {
          socket?.off('error', end);
          clock.stop(times, secure, services.recorder);
          end(null);
        };
        const watch = (/** @type {net.Socket} */ opened) => {
          services.sockets.open += 1;
          sockets.add(opened);
          opened.once('error', end).once('close', () => {
            services.sockets.open -= 1;
            sockets.delete(opened);
          });
          return opened;
        };
        const startTls = (/** @type {{socket: net.Socket} | typeof address} */ way) =>
          tls
            .connect({
              ALPNProtocols: ['http/1.1'],
              ...tlsOptions.options,
              servername: tlsOptions.servername ?? servername ?? (net.isIP(host) ? '' : host),
              host,
              session,
              ...way,
            })
            .once('secureConnect', ready)
            .on('session', newest => {
              session = newest;
            });

        const proxy = secure ? proxies.https : proxies.http;
        if (proxy) {
          openTunnel(proxy, host, address.port, (error, tunnel) => {
            if (error || !tunnel) return end(error);
            clock.connected();
            socket = watch(secure ? startTls({ socket: tunnel }) : tunnel);
            if (!secure) ready();
            return undefined;
          });
          return undefined;
        }
        socket = watch(secure ? startTls(address) : net.connect(address).once('connect', ready));
        socket.setNoDelay(true);
        socket.once('lookup', clock.lookedUp);
        if (secure) socket.once('connect', clock.connected);
        return undefined;
      };
    },
  };
}

/** How long the parts of a connection take. */
function startClock() {
  const startedMs = performance.now();
  let lookedUpMs = startedMs;
  let connectedMs = 0;
  return {
    lookedUp() {
      lookedUpMs = performance.now();
    },
    connected() {
      connectedMs = performance.now();
    },
    /**
     * @param {ConnectTimes} times
     * @param {boolean} secure
     * @param {Pick<import('../engine.d.ts').Recorder, 'measure'>} recorder
     */
    stop(times, secure, recorder) {
      const nowMs = performance.now();
      times.dns = lookedUpMs - startedMs;
      times.tcp = (connectedMs || nowMs) - lookedUpMs;
      times.tls = secure ? nowMs - connectedMs : undefined;
      recorder.measure('http.dns', times.dns);
      recorder.measure('http.tcp', times.tcp);
      if (times.tls !== undefined) recorder.measure('http.tls', times.tls);
    },
  };
}

/** @param {number} timeoutMs */
function timeoutError(timeoutMs) {
  return Object.assign(new Error(`Timeout awaiting 'connect' for ${timeoutMs}ms`), {
    code: 'ETIMEDOUT',
  });
}

/**
 * In Node's client the request is waiting to be written when a handshake fails, so that it fails to
 * be written.
 * @param {Error & {code?: string}} error
 */
function nameHandshakeFailure(error) {
  if (!error.code?.startsWith('ERR_SSL_')) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: 'EPROTO' });
}
