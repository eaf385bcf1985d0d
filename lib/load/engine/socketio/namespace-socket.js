/** A user's socket of one namespace. Counts its events, each once, wherever they occur. */
import { entryOf } from '../../../base/files/maps.js';
import { nameError } from '../../metrics/error-samples.js';
import { holdsTemplate } from '../flow/template.js';

/** @import { StepSpec } from '../../script.d.ts' */
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
      this.#countConnectError(error);
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
          this.#countConnectError(error);
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

  /** @param {any} error */
  #countConnectError(error) {
    const { recorder, samples } = this.#services;
    recorder.count('socketio.connect_error', 1);
    // The transport's message is "websocket error"; its description has the reason.
    const { description } = error;
    const code = nameError(description?.error ?? description ?? error);
    const endpoint = 'socket.io connect';
    if (!samples.wants(endpoint, code)) return;
    const { status = null, responseText } = error.context ?? {};
    const parts = [error.message, responseText, JSON.stringify(error.data)];
    const { uri: url } = /** @type {any} */ (this.socket.io);
    samples.add({ endpoint, code, status, url, body: parts.filter(Boolean).join('\n') });
  }
}

// -- Events that a server pushes to a namespace: passed to waiting steps, or kept for later ones.

/** Limit per channel: a channel that is not read keeps its newest. */
const MAX_KEPT = 100;

/**
 * @typedef {object} Push
 * @property {any[]} args
 * @property {((...answer: any[]) => void) | null} acknowledge if the server expects a response
 * @property {number} atMs on the clock of `performance.now()`
 */

/**
 * @typedef {object} Wait
 * @property {string} channel
 * @property {(push: Push) => boolean} offer whether the step accepts it
 * @property {(error: Error) => void} fail
 */

export class Inbox {
  /** @type {Wait[]} */
  #waits = [];
  /** @type {Map<string, Push[]> | null} */
  #kept = null;
  #keeps;

  /** @param {(channel: string) => boolean} keeps whether a step of the flow may ask for such a push later */
  constructor(keeps) {
    this.#keeps = keeps;
  }

  /** @param {string} channel @param {any[]} args */
  receive(channel, args) {
    if (this.#waits.length === 0 && !this.#keeps(channel)) return;
    const acknowledge = typeof args.at(-1) === 'function' ? args.at(-1) : null;
    const push = {
      args: acknowledge ? args.slice(0, -1) : args,
      acknowledge,
      atMs: performance.now(),
    };
    let taken = false;
    for (const wait of [...this.#waits]) {
      if (wait.channel === channel && wait.offer(push)) taken = true;
    }
    if (taken || !this.#keeps(channel)) return;
    this.#kept ??= new Map();
    const kept = entryOf(this.#kept, channel, () => []);
    if (kept.push(push) > MAX_KEPT) kept.shift();
  }

  /**
   * Takes the first kept push that is accepted; drops those before it.
   * @param {string} channel
   * @param {(push: Push) => boolean} accept
   */
  take(channel, accept) {
    const kept = this.#kept?.get(channel) ?? [];
    const index = kept.findIndex(accept);
    return index === -1 ? null : (kept.splice(0, index + 1).at(-1) ?? null);
  }

  /**
   * Waits for the next push that is accepted.
   * @param {string} channel
   * @param {object} options
   * @param {number} options.limitMs
   * @param {(push: Push) => boolean} options.accept
   * @param {() => Error} options.timeout creates the error of a timeout
   * @returns {Promise<Push>}
   */
  wait(channel, { limitMs, accept, timeout }) {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#waits.splice(this.#waits.indexOf(wait), 1);
      };
      const fail = (/** @type {unknown} */ error) => {
        end();
        reject(error);
      };
      const wait = {
        channel,
        fail,
        offer(/** @type {Push} */ push) {
          try {
            if (!accept(push)) return false;
            end();
            resolve(push);
          } catch (error) {
            fail(error);
          }
          return true;
        },
      };
      const timer = setTimeout(() => fail(timeout()), limitMs);
      this.#waits.push(wait);
    });
  }

  /** Drops outdated pushes. */
  forget() {
    this.#kept = null;
  }

  /** Fails all waiting steps: no more pushes will come. @param {Error} error */
  close(error) {
    for (const wait of [...this.#waits]) wait.fail(error);
  }
}

// -- Which pushes a flow may ask for after they have arrived; others are not kept in memory.

/**
 * @param {StepSpec[]} flow
 * @returns {(channel: string) => boolean}
 */
export function compileKeeps(flow) {
  const channels = collect(flow);
  if (channels.some(holdsTemplate)) return () => true;
  const known = new Set(channels);
  return channel => known.has(channel);
}

/** @param {unknown} steps @returns {any[]} */
function collect(steps) {
  if (!Array.isArray(steps)) return [];
  return steps.flatMap(step => {
    const own = step?.on === undefined ? [] : [step.on?.channel ?? step.on];
    return [...own, ...collect(step?.loop), ...collect(step?.parallel)];
  });
}
