/** The options of socket.io's client: `config.socketio`, those of the scenario, `config.tls`. */
import { NodeWebSocket, NodeXHR } from 'socket.io-client';
import { parseOrNull } from '../../../base/files/parse-json.js';
import { optionsOfProxy } from '../../../base/process/proxies.js';
import { compileTemplate, holdsTemplate } from '../flow/template.js';
import { readTlsOptions } from '../http/connection/connector.js';
import { Handshake } from './handshake.js';

/** @import { StepSpec } from '../../script.d.ts' */
/** @import { Scope, TokenPlaces } from '../engine.d.ts' */

const DEFAULT_PATH = '/socket.io';

/**
 * @typedef {object} Options
 * @property {Record<string, any>} manager
 * @property {Record<string, any>} socket of each namespace
 * @property {boolean} ownConnection whether each namespace gets its own connection
 */

/**
 * @param {Scope} scope
 * @returns {(context: any, step?: StepSpec) => Options} the current options of a user; `step`: a `connect` step with
 *   its templates filled in
 */
export function compileConnectionOptions({ config, scenario, services }) {
  const { tokens, tokenPlaces, recorder } = services;
  const written = { ...config.socketio, ...scenario.socketio };
  const resolve = compileTemplate(written).fill;
  const { ca, cert, key, pfx, passphrase, ciphers } = { ...written, ...config.tls };
  const own = { ca, cert, key, pfx, passphrase, ciphers };
  const isShared = /^(https|wss):/.test(config.target) && !holdsTemplate(own);
  const tls = isShared ? readTlsOptions(own).options : null;
  return (context, step = {}) => {
    const {
      forceNew,
      'force new connection': forceNewConnection,
      multiplex,
      transports,
      auth,
      retries,
      extraHeaders,
      withCredentials: _keptAnyway,
      autoConnect: _connectedByTheFlow,
      ackTimeout: _alwaysLimited,
      ...others
    } = { ...resolve(context), ...config.tls };
    const pick = () => tokens.pick(context, config);
    const path = others.path ?? DEFAULT_PATH;
    const headers = { ...extraHeaders, ...step.extraHeaders };
    const way = { address: `${path}/`, extraHeaders: headers };
    const handshake = new Handshake(context, way, { config, services });
    return {
      manager: {
        perMessageDeflate: false,
        ...optionsOfProxy(new URL(config.target)),
        ...others,
        ...(tls && { secureContext: tls.secureContext }),
        ...(step.query && { query: step.query }),
        path,
        autoConnect: false,
        transports: chooseTransports(transports),
        extraHeaders: handshake.plainHeaders,
        cookieJar: handshake,
        handshake,
        recorder,
      },
      socket: {
        auth: addToken(step.auth ?? auth, tokenPlaces.authField ? pick : null, tokenPlaces),
        ...(retries && { retries }),
      },
      ownConnection: Boolean(forceNew || forceNewConnection || multiplex === false),
    };
  };
}

/**
 * @param {any} auth
 * @param {(() => string | null) | null} pick
 * @param {TokenPlaces} places
 */
function addToken(auth, pick, { authField }) {
  if (!pick?.() || typeof auth === 'function') return auth;
  // A function is called again at every reconnection.
  return (/** @type {(payload: any) => void} */ answer) =>
    answer({ ...auth, [String(authField)]: pick() });
}

// -- engine.io's transports. They count the bytes of engine.io packets (without WebSocket frames and HTTP headers),
//    send fresh headers, and survive a malformed greeting.

/** Time for a server to respond to a closing handshake. */
const CLOSE_TIMEOUT_MS = 2000;

/**
 * Counts what a transport receives, and checks it before engine.io does.
 * @param {any} Transport of engine.io
 */
const counting = Transport =>
  class extends Transport {
    /** @param {any} data */
    onData(data) {
      count(this.opts, 'socketio.bytes_received', data);
      super.onData(data);
    }

    /** @param {any} packet */
    onPacket(packet) {
      if (isReadable(packet)) super.onPacket(packet);
      else this.onError('invalid handshake', new Error(`${packet.data}`.slice(0, 120)));
    }
  };

class CountingWebSocket extends counting(NodeWebSocket) {
  /** @param {string} uri @param {any} protocols @param {Record<string, any>} options */
  createSocket(uri, protocols, options) {
    const { handshake, secureContext } = /** @type {any} */ (this.opts);
    try {
      const headers = handshake.headers();
      const socket = super.createSocket(uri, protocols, {
        ...options,
        ...(secureContext && { secureContext }),
        headers,
        closeTimeout: CLOSE_TIMEOUT_MS,
      });
      socket.once('upgrade', (/** @type {any} */ answer) =>
        handshake.parseCookies(answer.headers['set-cookie']),
      );
      return socket;
    } catch (error) {
      // There are no listeners yet: an immediate error would be lost, and a timeout reported instead.
      process.nextTick(() => this.onError('websocket error', error));
      return { close() {} };
    }
  }

  /** @param {any} packet @param {any} data */
  doWrite(packet, data) {
    count(this.opts, 'socketio.bytes_sent', data);
    super.doWrite(packet, data);
  }

  /** Passed to the system, but not yet sent over the network. */
  unsentBytes() {
    return this.ws?.bufferedAmount ?? 0;
  }
}

class CountingPolling extends counting(NodeXHR) {
  /** @param {string} data @param {() => void} sent */
  doWrite(data, sent) {
    count(this.opts, 'socketio.bytes_sent', data);
    super.doWrite(data, sent);
  }
}

/** @type {Record<string, typeof CountingWebSocket | typeof CountingPolling>} */
const TRANSPORTS = { polling: CountingPolling, websocket: CountingWebSocket };

/**
 * @param {unknown} names as in socket.io's option `transports`
 * @returns {(typeof CountingWebSocket | typeof CountingPolling)[]}
 * @throws {Error} for an unknown transport
 */
function chooseTransports(names = ['polling', 'websocket']) {
  return [names].flat().map(name => {
    const transport = TRANSPORTS[String(name)];
    if (!transport) throw new Error(`unknown transport: ${name}`);
    return transport;
  });
}

/** @param {any} options of the transport @param {string} name @param {any} data */
function count({ recorder }, name, data) {
  recorder.count(name, typeof data === 'string' ? Buffer.byteLength(data) : (data?.length ?? 0));
}

/** engine.io parses the greeting in a place where an error ends the thread. @param {any} packet */
function isReadable({ type, data }) {
  if (type !== 'open') return true;
  const greeting = parseOrNull(data);
  return typeof greeting?.sid === 'string' && Array.isArray(greeting.upgrades);
}
