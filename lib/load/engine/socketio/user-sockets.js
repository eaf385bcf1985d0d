/** All sockets of a virtual user. */

import { Manager } from 'socket.io-client';
import { entryOf } from '../../../base/files/maps.js';
import { parseExact, parseOrNull } from '../../../base/files/parse-json.js';
import { compileConnectionOptions } from './connection-options.js';
import { compileKeeps } from './inbox.js';
import { NamespaceSocket } from './namespace-socket.js';

/** @import { StepSpec } from '../../script.d.ts' */
/** @import { Recorder, Scope, Services } from '../engine.d.ts' */

/** Key in the context of a user. */
const SOCKETS = Symbol('sockets');

/** @typedef {Pick<Scope, 'config' | 'services'> & {resolveOptions: ReturnType<typeof compileConnectionOptions>, keeps: (channel: string) => boolean}} Plan */

/** @type {WeakMap<object, Plan>} what all users of a scenario share */
const plans = new WeakMap();

/**
 * @param {any} context
 * @param {Scope} scope
 * @returns {UserSockets} always the same one for a user
 */
export function socketsOf(context, scope) {
  context[SOCKETS] ??= new UserSockets(context, planFor(scope));
  return context[SOCKETS];
}

/** Before the first step of a user. @param {any} context */
export function openSockets(context) {
  context.__receivedMessageCount = 0;
}

/** After the last step of a user, whether it failed or not; idempotent. @param {any} context */
export function closeSockets(context) {
  context[SOCKETS]?.close();
}

/** @param {Scope} scope @returns {Plan} */
function planFor(scope) {
  const { config, scenario, services } = scope;
  return entryOf(plans, scenario, () => {
    const resolveOptions = compileConnectionOptions(scope);
    return { config, services, resolveOptions, keeps: compileKeeps(scenario.flow) };
  });
}

class UserSockets {
  /** @type {Record<string, NamespaceSocket>} */
  #spaces = {};
  /** @type {import('socket.io-client').Manager | null} what namespaces share, as a browser does */
  #shared = null;
  #context;
  #plan;

  /** @param {any} context @param {Plan} plan */
  constructor(context, plan) {
    this.#context = context;
    this.#plan = plan;
    // Hooks of scripts know this map.
    context.sockets = {};
  }

  /**
   * The socket of a namespace; connects it if it never was connected.
   * @param {unknown} namespace
   * @returns {NamespaceSocket | Promise<NamespaceSocket>}
   * @throws {Error} if the server or the end of the connection has ended it
   */
  reach(namespace) {
    const name = normalize(namespace);
    const space = this.#spaces[name];
    if (!space) return this.connect(name);
    if (space.isOver) throw space.error();
    return space.connecting ?? space;
  }

  /**
   * Connects a namespace if it is not connected.
   * @param {unknown} namespace
   * @param {StepSpec} [step] `auth`, `extraHeaders`, `query`
   * @returns {Promise<NamespaceSocket>}
   */
  async connect(namespace, step = {}) {
    const name = normalize(namespace);
    const known = this.#spaces[name];
    if (known && !known.isOver) return known.connecting ?? known;
    if (known) this.disconnect(name);
    const { config, services, resolveOptions, keeps } = this.#plan;
    const options = resolveOptions(this.#context, step);
    const { protocol, host, pathname } = new URL(config.target);
    const alone = options.ownConnection || step.extraHeaders || step.query;
    const free = this.#shared && !alone ? this.#shared : null;
    const manager = free ?? openConnection(`${protocol}//${host}`, options.manager, services);
    this.#shared ??= options.ownConnection ? null : manager;
    // A path in the target is the prefix of each namespace, as in socket.io's client.
    const path = `${pathname.replace(/\/+$/, '')}${name}`;
    const socket = manager.socket(path || '/', options.socket);
    const space = new NamespaceSocket(socket, this.#context, services, keeps);
    this.#spaces[name] = space;
    this.#context.sockets[name] = socket;
    try {
      return await space.connect();
    } catch (error) {
      if (this.#spaces[name] === space) this.disconnect(name);
      throw error;
    }
  }

  /** @param {unknown} namespace */
  disconnect(namespace) {
    const name = normalize(namespace);
    const space = this.#spaces[name];
    if (!space) return;
    space.close();
    delete this.#spaces[name];
    delete this.#context.sockets[name];
    const manager = /** @type {any} */ (space.socket.io);
    // Connecting again creates a new socket with the values of that time.
    delete manager.nsps[/** @type {any} */ (space.socket).nsp];
    if (manager === this.#shared && Object.keys(manager.nsps).length === 0) this.#shared = null;
  }

  close() {
    for (const name of Object.keys(this.#spaces)) this.disconnect(name);
  }
}

/** @param {unknown} namespace as written @returns {string} `''` or `/name` */
function normalize(namespace) {
  const name = String(namespace ?? '').replace(/^\/+/, '');
  return name === '' ? '' : `/${name}`;
}

// -- A connection of a user: one manager of socket.io, watched.

/** Of socket.io's protocol, version 5. */
const EVENT = 2;
const ACKNOWLEDGE = 3;
const CONNECT_ERROR = 4;

/**
 * Sends nothing yet: the first namespace that connects opens the connection.
 * @param {string} origin `http(s)://host:port`
 * @param {Record<string, any>} options
 * @param {Services} services
 * @returns {Manager}
 */
function openConnection(origin, options, { recorder, sockets }) {
  const manager = new Manager(origin, options);
  let isOpen = false;
  manager.on('open', () => {
    isOpen = true;
    sockets.open += 1;
    if (options.transports.length > 1) measureUpgrade(manager.engine, recorder);
  });
  manager.on('close', () => {
    if (!isOpen) return;
    isOpen = false;
    sockets.open -= 1;
  });
  manager.on('reconnect', () => recorder.count('socketio.reconnect', 1));
  const tryParse = (/** @type {string} */ text) => parseOrNull(text, parseExact);
  Object.assign(/** @type {any} */ (manager).decoder, { tryParse }).on('decoded', completePacket);
  return manager;
}

/** @param {Manager['engine']} engine @param {Recorder} recorder */
function measureUpgrade(engine, recorder) {
  const startedAt = performance.now();
  engine.once('upgrade', () =>
    recorder.measure('socketio.upgrade_time', performance.now() - startedAt),
  );
}

/**
 * Adds missing fields that socket.io's client would read: it would throw in a callback.
 * @param {{type: number, data?: any}} packet
 */
function completePacket(packet) {
  if (packet.type === EVENT) packet.data ??= [''];
  else if (packet.type === ACKNOWLEDGE) packet.data ??= [];
  else if (packet.type === CONNECT_ERROR && !packet.data?.message) {
    const { data } = packet;
    packet.data = { message: typeof data === 'string' ? data : 'connect error', data };
  }
}
