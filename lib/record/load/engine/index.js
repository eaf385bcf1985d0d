/**
 * The load engine, by Artillery's engine contract: `http`, `socketio` and `ws` scenarios of Artillery's
 * language, each step compiled once.
 */
import { compileFlow } from './flow/compile-flow.js';
import { compileScenario } from './flow/run-scenario.js';
import { createTransport } from './http/transport.js';
import { createServicesOverEmitter } from './recorder-over-ee.js';

/** @typedef {import('./engine.d.ts').Scope} Scope */

const HOOK_LISTS = ['beforeRequest', 'afterResponse', 'beforeScenario', 'afterScenario', 'onError'];

export default class LoadflameEngine {
  /**
   * @param {Record<string, any>} script Artillery's, with `config.processor` loaded
   * @param {import('./engine.d.ts').Emitter | null} _ee the runner's; scenarios have their own
   * @param {import('./engine.d.ts').Helpers} helpers Artillery's `engine_util`
   * @param {import('./engine.d.ts').Services} [services] of our host
   */
  constructor(script, _ee, helpers, services) {
    const { config } = script;
    config.defaults ??= {};
    config.http ??= {};
    config.http.defaults ??= {};
    config.http.cookieJarOptions ??= {};
    this.config = config;
    this.helpers = helpers;
    this.services = services;
    /** @type {import('./http/transport.js').Transport | null} */
    this.transport = null;
  }

  async init() {}

  /**
   * @param {Record<string, any>} scenario as written
   * @param {import('./engine.d.ts').Emitter} ee where users and their hooks report
   * @returns {import('./engine.d.ts').Scenario}
   */
  createScenario(scenario, ee) {
    const services = this.services ?? createServicesOverEmitter(ee, this.config);
    // Plugins have written their hooks to the scenario by now, as one name or as a list.
    const lists = Object.fromEntries(HOOK_LISTS.map(name => [name, [scenario[name] ?? []].flat()]));
    this.transport ??= createTransport(this.config, services);
    /** @type {Scope & {transport: import('./http/transport.js').Transport}} */
    const scope = {
      config: this.config,
      scenario: { ...scenario, ...lists },
      ee,
      helpers: this.helpers,
      services,
      transport: this.transport,
      compile: specs => compileFlow(specs, scope),
    };
    return compileScenario(scope);
  }
}
