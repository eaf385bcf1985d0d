/**
 * The load engine, by Artillery's engine contract: `http`, `socketio` and `ws` scenarios of Artillery's
 * language, each step compiled once.
 */
import { createRequire } from 'node:module';
import { compileFlow } from './flow/compile-flow.js';
import { compileScenario } from './flow/run-scenario.js';
import { createTransport } from './http/connection/connections.js';

/** @import { Emitter, Scenario, Scope, Services, SocketRoom } from './engine.d.ts' */
/** @import { Transport } from './http/connection/connections.js' */

const require = createRequire(import.meta.url);

/** Loaded for scenarios of theirs alone: they are a third of what a worker would load else. @type {Record<string, () => {ROOM: SocketRoom}>} */
const SOCKET_ROOMS = {
  socketio: () => require('./socketio/steps.js'),
  ws: () => require('./websocket/steps.js'),
};

const HOOK_LISTS = ['beforeRequest', 'afterResponse', 'beforeScenario', 'afterScenario', 'onError'];

export default class LoadflameEngine {
  /**
   * @param {Record<string, any>} script Artillery's, with `config.processor` loaded
   * @param {Services} services of our generator
   */
  constructor(script, services) {
    const { config } = script;
    config.defaults ??= {};
    config.http ??= {};
    config.http.defaults ??= {};
    config.http.cookieJarOptions ??= {};
    this.config = config;
    this.services = services;
    /** @type {Transport | null} */
    this.transport = null;
  }

  /**
   * @param {Record<string, any>} scenario as written
   * @param {Emitter} ee where users and their hooks report
   * @returns {Scenario}
   */
  createScenario(scenario, ee) {
    const { services } = this;
    // Plugins have written their hooks to the scenario by now, as one name or as a list.
    const lists = Object.fromEntries(HOOK_LISTS.map(name => [name, [scenario[name] ?? []].flat()]));
    this.transport ??= createTransport(this.config, services);
    /** @type {Scope & {transport: Transport}} */
    const scope = {
      config: this.config,
      scenario: { ...scenario, ...lists },
      ee,
      services,
      transport: this.transport,
      sockets: SOCKET_ROOMS[scenario.engine || this.config.engine]?.().ROOM ?? null,
      compile: specs => compileFlow(specs, scope),
    };
    return compileScenario(scope);
  }
}
