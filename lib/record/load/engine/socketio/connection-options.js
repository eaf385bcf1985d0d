/** The options of socket.io's client: `config.socketio`, those of the scenario, `config.tls`. */
import { createSecureContext } from 'node:tls';
import { compileTemplate, holdsTemplate } from '../flow/template.js';
import { Handshake } from './handshake.js';
import { chooseTransports } from './transports.js';

/** @import { Scope, TokenPlaces } from '../engine.d.ts' */
/** @import { SecureContext } from 'node:tls' */

const DEFAULT_PATH = '/socket.io';

/**
 * @typedef {object} Options
 * @property {Record<string, any>} manager
 * @property {Record<string, any>} socket of each namespace
 * @property {boolean} ownConnection does each namespace get its own?
 */

/**
 * @param {Scope} scope
 * @returns {(context: any, step?: Record<string, any>) => Options} for a user, now; `step` holds
 *   what a `connect` step says, resolved
 */
export function compileConnectionOptions({ config, scenario, services }) {
  const { tokens, tokenPlaces, recorder } = services;
  const written = { ...config.socketio, ...scenario.socketio };
  const resolve = compileTemplate(written).fill;
  const secure = shareSecureContext(config.target, { ...written, ...config.tls });
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
    const handshake = new Handshake(
      context,
      { address: `${path}/`, extraHeaders: headers },
      { config, services },
    );
    return {
      manager: {
        perMessageDeflate: false,
        ...others,
        ...secure(),
        ...(step.query && { query: step.query }),
        path,
        autoConnect: false,
        transports: chooseTransports(transports),
        extraHeaders: handshake.plainHeaders(),
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
  // A function is asked again at every reconnection.
  return (/** @type {(payload: any) => void} */ answer) =>
    answer({ ...auth, [String(authField)]: pick() });
}

/**
 * Made once, at the first connection: one of its own for each would cost a millisecond.
 * @param {string} target
 * @param {Record<string, any>} options by Node's names
 * @returns {() => {secureContext?: SecureContext}}
 */
function shareSecureContext(target, options) {
  const { ca, cert, key, pfx, passphrase, ciphers } = options;
  const own = { ca, cert, key, pfx, passphrase, ciphers };
  if (!/^(https|wss):/.test(target) || holdsTemplate(own)) return () => ({});
  /** @type {{secureContext: SecureContext} | undefined} */
  let shared;
  return () => {
    shared ??= { secureContext: createSecureContext(own) };
    return shared;
  };
}
