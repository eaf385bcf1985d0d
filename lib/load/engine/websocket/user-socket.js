/** The WebSocket of a virtual user: opens and closes it, sends and receives, and counts. */
import WebSocket from 'ws';
import { Inbox } from '../socketio/inbox.js';

/** @import { Scope, Services } from '../engine.d.ts' */
/** @import { Handshake } from '../socketio/handshake.js' */

/** Key in the context of a user. */
const SOCKET = Symbol('websocket');
/** Time for a server to respond to a closing handshake. */
const CLOSE_TIMEOUT_MS = 2000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Messages of a WebSocket have no channels. */
const ALL = '';
const accept = () => true;

/**
 * @typedef {object} Opening
 * @property {URL} address
 * @property {string[]} subprotocols
 * @property {WebSocket.ClientOptions} options
 * @property {Handshake} handshake stores the cookies of the response
 */

/**
 * Connects the user; closes an earlier connection.
 * @param {any} context
 * @param {Scope} scope
 * @param {Opening} opening
 * @throws the error of the connection: `Unexpected server response: 404`, `ECONNREFUSED` …
 */
export async function openSocket(context, { services }, opening) {
  closeSocket(context);
  const socket = new UserSocket(services, opening);
  context[SOCKET] = socket;
  // Hooks in Artillery scripts use this name.
  context.ws = socket.ws;
  await socket.opened;
}

/** @param {any} context @returns {UserSocket} @throws {Error} `not connected` */
export function socketOf(context) {
  const socket = context[SOCKET];
  if (!socket) throw new Error('not connected');
  return socket;
}

/** After the last step of a user, whether it failed or not; idempotent. @param {any} context */
export function closeSocket(context) {
  context[SOCKET]?.close();
  context[SOCKET] = null;
}

class UserSocket {
  #services;
  /** Messages since the last send that no step has taken. */
  #inbox = new Inbox(() => true);
  /** @type {Error | null} why it ended */
  #ended = null;
  #isOpen = false;

  /** @param {Services} services @param {Opening} opening */
  constructor(services, { address, subprotocols, options, handshake }) {
    this.#services = services;
    const { recorder, sockets } = services;
    const startedAt = performance.now();
    const limits = { handshakeTimeout: CONNECT_TIMEOUT_MS, closeTimeout: CLOSE_TIMEOUT_MS };
    const ws = new WebSocket(address, subprotocols, { ...limits, ...options });
    this.ws = ws;
    ws.once('upgrade', ({ headers }) => handshake.parseCookies(headers['set-cookie']));
    ws.on('message', data => this.#receive(String(data)));
    ws.on('close', code => {
      this.#end(new Error(`disconnected: ${code}`));
    });
    this.opened = new Promise((resolve, reject) => {
      ws.once('open', () => {
        this.#isOpen = true;
        sockets.open += 1;
        recorder.count('websocket.connect', 1);
        recorder.measure('websocket.connect_time', performance.now() - startedAt);
        resolve(undefined);
      });
      ws.on('error', error => {
        if (!this.#isOpen) recorder.count('websocket.connect_error', 1);
        this.#end(error);
        reject(error);
      });
    });
  }

  /**
   * @param {string} text
   * @returns {Promise<void>} resolves when the system has it
   * @throws {Error} why the connection ended
   */
  send(text) {
    if (this.#ended) throw this.#ended;
    const { recorder } = this.#services;
    this.#inbox.forget();
    recorder.count('websocket.messages_sent', 1);
    recorder.count('websocket.bytes_sent', Buffer.byteLength(text));
    return new Promise((resolve, reject) => {
      this.ws.send(text, error => (error ? reject(error) : resolve()));
    });
  }

  /**
   * The next message: the oldest one since the last send, or the next to arrive.
   * @param {number} limitMs
   * @returns {Promise<string>}
   * @throws {Error} `response timeout`, or why the connection ended
   */
  async next(limitMs) {
    const kept = this.#inbox.take(ALL, accept);
    if (!kept && this.#ended) throw this.#ended;
    const timeout = () => new Error('response timeout');
    const { args } = kept ?? (await this.#inbox.wait(ALL, { limitMs, accept, timeout }));
    return args[0];
  }

  close() {
    this.#end(new Error('closed'));
    this.ws.close();
  }

  /** @param {string} text */
  #receive(text) {
    const { recorder } = this.#services;
    recorder.count('websocket.messages_received', 1);
    recorder.count('websocket.bytes_received', Buffer.byteLength(text));
    this.#inbox.receive(ALL, [text]);
  }

  /** @param {Error} error */
  #end(error) {
    if (this.#isOpen && !this.#ended) this.#services.sockets.open -= 1;
    this.#ended ??= error;
    this.#inbox.close(this.#ended);
  }
}
