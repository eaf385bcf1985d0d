/** A user's socket of one namespace. Counts its events, each once, wherever they occur. */
import { countFailedConnection } from './failed-connection.js';
import { Inbox } from './inbox.js';

/** @import { Services } from '../engine.d.ts' */
/** @import { Socket } from 'socket.io-client' */

/** The default of socket.io's own timeout for the underlying connection. */
const DEFAULT_CONNECT_TIMEOUT_MS = 20_000;

export class NamespaceSocket {
  /** @type {Promise<NamespaceSocket> | null} while it connects for the first time */
  connecting = null;
  #services;
  #reason = '';
  #gaveUp = false;
  /** @type {((error: Error) => void) | null} ends the first connecting */
  #abort = null;

  /**
   * @param {Socket} socket not connected yet
   * @param {any} context of the user
   * @param {Services} services
   * @param {(channel: string) => boolean} keeps see `Inbox`
   */
  constructor(socket, context, services, keeps) {
    this.socket = socket;
    this.inbox = new Inbox(keeps);
    this.#services = services;
    const { recorder } = services;
    socket.on('connect', () => recorder.count('socketio.connect', 1));
    socket.on('connect_error', error => {
      countFailedConnection(error, socket, services);
      this.#end(error.message, error);
    });
    socket.on('disconnect', reason => {
      recorder.count(`socketio.disconnect.${reason}`, 1);
      this.#end(reason);
    });
    socket.onAny((channel, ...args) => {
      recorder.count('socketio.received', 1);
      context.__receivedMessageCount += 1;
      this.inbox.receive(channel, args);
    });
    socket.io.on('reconnect_failed', () => {
      this.#gaveUp = true;
      this.#end('reconnect failed');
    });
  }

  /** Whether nothing can be sent or received any more. socket.io may reconnect it by itself. */
  get isOver() {
    if (this.connecting || this.socket.connected) return false;
    return !this.socket.active || this.#gaveUp || !this.socket.io.reconnection();
  }

  /** Why it was last disconnected. */
  error() {
    return new Error(`disconnected: ${this.#reason}`);
  }

  /**
   * @returns {Promise<NamespaceSocket>} itself, when it is connected
   * @throws {Error} the first `connect_error`, `connect timeout`, or why it was closed before
   */
  connect() {
    const { socket } = this;
    const startedAt = performance.now();
    this.connecting = new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        socket.off('connect', succeed);
        this.#abort = null;
        this.connecting = null;
      };
      const succeed = () => {
        end();
        this.#services.recorder.measure('socketio.connect_time', performance.now() - startedAt);
        resolve(this);
      };
      this.#abort = error => {
        end();
        this.close();
        reject(error);
      };
      const timer = setTimeout(
        () => {
          const error = new Error('connect timeout');
          countFailedConnection(error, socket, this.#services);
          this.#abort?.(error);
        },
        Number(socket.io.opts.timeout ?? DEFAULT_CONNECT_TIMEOUT_MS),
      );
      socket.on('connect', succeed);
      socket.connect();
    });
    return this.connecting;
  }

  close() {
    this.socket.disconnect();
    this.#end('io client disconnect');
  }

  /** @param {string} reason @param {Error} [error] */
  #end(reason, error) {
    this.#reason = reason;
    this.#abort?.(error ?? this.error());
    if (this.isOver) this.inbox.close(this.error());
  }
}
