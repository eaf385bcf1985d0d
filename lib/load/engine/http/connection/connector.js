/** Opens sockets, and measures how long that takes. */

import net from 'node:net';
import { findProxy, nameProxyFailure, openTunnel } from '../../../../base/process/proxies.js';

/** @import { ConnectionOptions, TLSSocket } from 'node:tls' */
/** @import { TlsOptions } from '../../../script.d.ts' */
/** @import { Services } from '../../engine.d.ts' */
/** @import { Socket } from 'node:net' */

/**
 * Times of the newest connection to an origin, ms.
 * @typedef {{dns?: number, tcp?: number, tls?: number}} ConnectTimes
 */

/**
 * Where to connect, and what a connection keeps for the next one.
 * @typedef {object} Place
 * @property {boolean} isSecure
 * @property {string} host
 * @property {number} port
 * @property {string} servername for TLS; empty: none
 * @property {ConnectTimes} times
 * @property {Buffer | undefined} session TLS session
 */

/**
 * The user of an opened socket.
 * @typedef {object} Opened
 * @property {(socket: Socket) => boolean} attach false: it has given up
 * @property {() => void} ready called when bytes can be sent
 * @property {(error: Error) => void} fail
 * @property {(bytes: Buffer, end: number) => void} take gets read bytes: the first `end`, valid until the next read
 */

/** @typedef {ReturnType<typeof createConnector>} Connector */

/** All sockets of a thread read into this buffer: its content is processed before the next read. */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);

/**
 * @param {object} options
 * @param {{options: ConnectionOptions, servername: string | undefined}} options.tls
 * @param {import('../../../../base/process/proxies.js').Proxies} options.proxies
 * @param {Pick<Services, 'recorder' | 'sockets' | 'warn'>} options.services
 */
export function createConnector({ tls: tlsOptions, proxies, services }) {
  const countClosed = () => {
    services.sockets.open -= 1;
  };
  /**
   * Counts open sockets, for the generator's own record.
   * @param {Opened} opened @param {Socket} socket
   */
  const attach = (opened, socket) => {
    services.sockets.open += 1;
    socket.on('close', countClosed);
    if (!opened.attach(socket)) socket.destroy();
  };

  /** @param {Place} place @param {ConnectionOptions} way @returns {TLSSocket} */
  const startTls = (place, way) =>
    loadTls()
      .connect({
        ALPNProtocols: ['http/1.1'],
        ...tlsOptions.options,
        servername: tlsOptions.servername ?? place.servername,
        host: place.host,
        session: place.session,
        ...way,
      })
      .on('session', newest => {
        place.session = newest;
      });

  return {
    /** @param {Place} place @param {Opened} opened */
    connect(place, opened) {
      const { isSecure, host, port } = place;
      const opening = new Opening(place, opened, services.recorder);
      const ready = opening.ready.bind(opening);
      const connected = opening.connected.bind(opening);
      const proxy = findProxy(proxies, place);
      if (proxy) {
        openTunnel(proxy, host, port, (error, tunnel) => {
          if (!tunnel) {
            services.warn(nameProxyFailure(proxy, error));
            return opened.fail(/** @type {Error} */ (error));
          }
          connected();
          const socket = isSecure ? startTls(place, { socket: tunnel }) : tunnel;
          // `onread` works only for new sockets.
          socket.on('data', chunk => opened.take(chunk, chunk.length));
          attach(opened, socket);
          if (isSecure) socket.on('secureConnect', ready);
          else ready();
          return undefined;
        });
        return;
      }
      const onread = { buffer: READ_BUFFER, callback: takeRead.bind(null, opened) };
      const address = { host, port, noDelay: true, onread };
      const socket = isSecure
        ? startTls(place, address).on('connect', connected).on('secureConnect', ready)
        : net.connect(address).on('connect', ready);
      if (net.isIP(host) === 0) socket.on('lookup', opening.lookedUp.bind(opening));
      if (isSecure) socket.setNoDelay(true);
      attach(opened, socket);
    },
  };
}

/** @param {Opened} opened @param {number} length */
function takeRead(opened, length) {
  opened.take(READ_BUFFER, length);
  return true;
}

/** The opening of a socket. Its methods are bound (`client.js` explains why). */
class Opening {
  #startedMs = performance.now();
  #lookedUpMs = this.#startedMs;
  #connectedMs = 0;

  /** @param {Place} place @param {Opened} opened @param {Services['recorder']} recorder */
  constructor(place, opened, recorder) {
    this.place = place;
    this.opened = opened;
    this.recorder = recorder;
  }

  lookedUp() {
    this.#lookedUpMs = performance.now();
  }

  connected() {
    this.#connectedMs = performance.now();
  }

  ready() {
    const { place, recorder } = this;
    if (!place.isSecure) this.connected();
    const dns = this.#lookedUpMs - this.#startedMs;
    const tcp = this.#connectedMs - this.#lookedUpMs;
    recorder.measure('http.dns', dns);
    recorder.measure('http.tcp', tcp);
    place.times = { dns, tcp };
    if (place.isSecure) {
      place.times.tls = performance.now() - this.#connectedMs;
      recorder.measure('http.tls', place.times.tls);
    }
    this.opened.ready();
  }
}

/** A load without TLS does not need it; one with TLS loads it before the first request. */
export function loadTls() {
  return process.getBuiltinModule('tls');
}

/**
 * In Node's client the request waits to be written when a handshake fails, so its error is a failed write.
 * @param {Error & {code?: string}} error
 */
export function nameHandshakeFailure(error) {
  if (!error.code?.startsWith('ERR_SSL_')) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: 'EPROTO' });
}

/** got's names, which Artillery's documentation uses, besides Node's own. @type {Record<string, string>} */
const NAMES = {
  certificateAuthority: 'ca',
  certificate: 'cert',
  serverName: 'servername',
  signatureAlgorithms: 'sigalgs',
  certificateRevocationLists: 'crl',
  tlsSessionLifetime: 'sessionTimeout',
};
/** Options of a connection; the rest belongs to the secure context, which all connections share. */
const PER_CONNECTION = ['rejectUnauthorized', 'checkServerIdentity', 'minDHSize', 'ALPNProtocols'];

/**
 * Read once: a separate secure context for each connection would cost a millisecond.
 * @param {TlsOptions} config `config.tls`, by Node's names or got's
 * @returns {{options: ConnectionOptions, servername: string | undefined}}
 */
export function readTlsOptions(config) {
  const named = Object.entries(config).map(([name, value]) => [NAMES[name] ?? name, value]);
  const { servername, ...rest } = Object.fromEntries(named);
  const perConnection = Object.fromEntries(
    Object.entries(rest).filter(([name]) => PER_CONNECTION.includes(name)),
  );
  return {
    servername,
    options: {
      ...perConnection,
      get secureContext() {
        const secureContext = loadTls().createSecureContext(rest);
        Object.defineProperty(this, 'secureContext', { value: secureContext, enumerable: true });
        return secureContext;
      },
    },
  };
}
