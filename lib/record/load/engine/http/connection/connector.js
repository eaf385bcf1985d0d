/** Opens sockets, and measures what that takes. */

import net from 'node:net';
import tls from 'node:tls';
import { refuse } from './failures.js';

/** @import { TlsOptions } from '../../../script.d.ts' */
/** @import { Recorder, Services } from '../../engine.d.ts' */
/** @import { Socket } from 'node:net' */

/**
 * Times of the newest connection to an origin, ms.
 * @typedef {{dns?: number, tcp?: number, tls?: number}} ConnectTimes
 */

/**
 * Where to, and what a connection leaves behind for the next one.
 * @typedef {object} Place
 * @property {boolean} isSecure
 * @property {string} host
 * @property {number} port
 * @property {string} servername of TLS; empty: none
 * @property {ConnectTimes} times
 * @property {Buffer | undefined} session of TLS
 */

/** What is read from a socket: the first `end` bytes, until the next read. @typedef {(bytes: Buffer, end: number) => void} OnData */

/** @typedef {{connect(place: Place, onData: OnData, done: (error: Error | null, socket?: Socket) => void): void}} Connector */

/** All sockets of a thread read into it: what comes is looked at before anything else is read. */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);

/**
 * @param {object} options
 * @param {{options: tls.ConnectionOptions, servername: string | undefined}} options.tls
 * @param {Proxies} options.proxies
 * @param {number} options.timeoutMs for all of it
 * @param {Pick<Services, 'recorder' | 'sockets'>} options.services
 * @returns {Connector}
 */
export function createConnector({ tls: tlsOptions, proxies, timeoutMs, services }) {
  return {
    connect(place, onData, done) {
      const { isSecure, host, port } = place;
      const address = {
        host,
        port,
        onread: {
          buffer: READ_BUFFER,
          /** @param {number} length */
          callback(length) {
            onData(READ_BUFFER, length);
            return true;
          },
        },
      };
      const clock = startClock();
      const fail = () => end(refuse(`Timeout awaiting 'connect' for ${timeoutMs}ms`, 'ETIMEDOUT'));
      const timer = setTimeout(fail, timeoutMs);
      /** @type {net.Socket | null} */
      let socket = null;
      let hasEnded = false;

      const end = (/** @type {Error | null} */ error) => {
        if (hasEnded) return;
        hasEnded = true;
        clearTimeout(timer);
        if (error) {
          socket?.off('error', end).on('error', () => {});
          socket?.destroy();
          done(nameHandshakeFailure(error));
        } else done(null, /** @type {net.Socket} */ (socket));
      };
      const ready = () => {
        socket?.off('error', end);
        clock.stop(place.times, isSecure, services.recorder);
        end(null);
      };
      const watch = (/** @type {net.Socket} */ opened) => {
        services.sockets.open += 1;
        return opened.on('error', end).on('close', () => {
          services.sockets.open -= 1;
        });
      };
      const startTls = (/** @type {{socket: net.Socket} | typeof address} */ way) =>
        tls
          .connect({
            ALPNProtocols: ['http/1.1'],
            ...tlsOptions.options,
            servername: tlsOptions.servername ?? place.servername,
            host,
            session: place.session,
            ...way,
          })
          .once('secureConnect', ready)
          .on('session', newest => {
            place.session = newest;
          });

      const proxy = isSecure ? proxies.https : proxies.http;
      if (proxy) {
        openTunnel(proxy, host, port, (error, tunnel) => {
          if (error || !tunnel) return end(error);
          if (hasEnded) return tunnel.destroy();
          clock.connected();
          socket = watch(isSecure ? startTls({ socket: tunnel }) : tunnel);
          // `onread` is of sockets that are still to be made.
          socket.on('data', chunk => onData(chunk, chunk.length));
          if (!isSecure) ready();
          return undefined;
        });
        return;
      }
      const connect = () => net.connect({ ...address, noDelay: true }).once('connect', ready);
      socket = watch(isSecure ? startTls(address) : connect()).once('lookup', clock.lookedUp);
      if (isSecure) socket.setNoDelay(true).once('connect', clock.connected);
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
     * @param {Pick<Recorder, 'measure'>} recorder
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

/**
 * In Node's client the request is waiting to be written when a handshake fails, so that it fails to
 * be written.
 * @param {Error & {code?: string}} error
 */
function nameHandshakeFailure(error) {
  if (!error.code?.startsWith('ERR_SSL_')) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: 'EPROTO' });
}

// -- Proxies, as Artillery uses them: `HTTP_PROXY` and `HTTPS_PROXY`, a CONNECT tunnel for all.

/** @typedef {{http: URL | null, https: URL | null}} Proxies */

/**
 * `HTTP_PROXY` is used for https too unless `HTTPS_PROXY` names another one.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Proxies}
 */
export function readProxies({ HTTP_PROXY, HTTPS_PROXY }) {
  const plain = HTTP_PROXY ? new URL(HTTP_PROXY) : null;
  return { http: plain, https: HTTPS_PROXY ? new URL(HTTPS_PROXY) : plain };
}

/**
 * @param {URL} proxy
 * @param {string} host
 * @param {number} port
 * @param {(error: Error | null, socket?: Socket) => void} done
 */
function openTunnel(proxy, host, port, done) {
  // Of a module, `import` would read each export: Node loads its fetch for three of them.
  const { request } = process.getBuiltinModule(proxy.protocol === 'https:' ? 'https' : 'http');
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const name = decodeURIComponent(proxy.username);
  const credentials = Buffer.from(`${name}:${decodeURIComponent(proxy.password)}`);
  request({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    agent: false,
    headers: {
      host: authority,
      ...(name !== '' && { 'proxy-authorization': `Basic ${credentials.toString('base64')}` }),
    },
  })
    .once('connect', (response, socket) => {
      if (response.statusCode === 200) return done(null, socket);
      socket.destroy();
      return done(new Error(`Bad response: ${response.statusCode}`));
    })
    .once('error', error => done(error))
    .end();
}

/** got's names, which Artillery's documentation takes over, beside Node's own. */
const NAMES = {
  certificateAuthority: 'ca',
  certificate: 'cert',
  serverName: 'servername',
  signatureAlgorithms: 'sigalgs',
  certificateRevocationLists: 'crl',
  tlsSessionLifetime: 'sessionTimeout',
};
/** What belongs to a connection; the rest makes up the secure context, which all share. */
const PER_CONNECTION = ['rejectUnauthorized', 'checkServerIdentity', 'minDHSize', 'ALPNProtocols'];

/**
 * Read once: a secure context of its own for each connection would cost a millisecond.
 * @param {TlsOptions} config `config.tls`, by Node's names or got's
 * @returns {{options: tls.ConnectionOptions, servername: string | undefined}}
 */
export function readTlsOptions(config) {
  const named = Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      /** @type {Record<string, string>} */ (NAMES)[name] ?? name,
      value,
    ]),
  );
  const { servername, ...rest } = named;
  const perConnection = Object.fromEntries(
    Object.entries(rest).filter(([name]) => PER_CONNECTION.includes(name)),
  );
  return {
    servername,
    options: {
      ...perConnection,
      get secureContext() {
        const secureContext = tls.createSecureContext(rest);
        Object.defineProperty(this, 'secureContext', { value: secureContext, enumerable: true });
        return secureContext;
      },
    },
  };
}
