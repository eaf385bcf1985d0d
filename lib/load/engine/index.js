/**
 * The load engine, by Artillery's engine contract: `http`, `socketio` and `ws` scenarios of Artillery's language. Each
 * step is compiled once.
 */
import { createRequire } from 'node:module';
import { nameError, ofAttempts, ofHooks } from '../metrics/error-samples.js';
import { compileFlow, runSteps } from './flow/compile-flow.js';
import { createTransport } from './http/connection/connections.js';
import { endHttpUser, prepareHttpUser } from './http/http-user.js';

/** @import { EngineConfig, ScenarioSpec, Script } from '../script.d.ts' */
/** @import { Emitter, Scenario, Services, SocketEngine, Step } from './engine.d.ts' */
/** @import { HttpScope } from './http/connection/connections.js' */

const require = createRequire(import.meta.url);

/**
 * Loaded only for scenarios that use them: they would be a third of the code that a worker loads.
 * @type {Record<string, () => {ENGINE: SocketEngine}>}
 */
const SOCKET_ENGINES = {
  socketio: () => require('./socketio/steps.js'),
  ws: () => require('./websocket/steps.js'),
};

const HOOK_LISTS = ['beforeRequest', 'afterResponse', 'beforeScenario', 'afterScenario', 'onError'];

/**
 * @param {Pick<Script, 'config'>} script Artillery's, with `config.processor` loaded
 * @param {Services} services of our generator
 * @returns {(scenario: ScenarioSpec, ee: Emitter) => Scenario} compiles a scenario as written; users and their hooks
 *   report to `ee`
 */
export function createEngine(script, services) {
  const config = /** @type {EngineConfig} */ (script.config);
  config.defaults ??= {};
  config.http ??= {};
  config.http.defaults ??= {};
  config.http.cookieJarOptions ??= {};
  const transport = createTransport(config, services);
  return (scenario, ee) => {
    // Plugins have written their hooks to the scenario by now, as one name or as a list.
    const lists = Object.fromEntries(HOOK_LISTS.map(name => [name, [scenario[name] ?? []].flat()]));
    /** @type {HttpScope} */
    const scope = {
      config,
      scenario: { ...scenario, ...lists },
      ee,
      services,
      transport,
      sockets: SOCKET_ENGINES[scenario.engine || config.engine]?.().ENGINE ?? null,
      compile: specs => compileFlow(specs, scope).map(step => unlessLate(step, services.hurry)),
    };
    return compileScenario(scope);
  };
}

/** Ends a user that neither completed nor failed. */
export const CUT = new Error('cut');

/** @param {Step} step @param {AbortSignal} [hurry] @returns {Step} */
const unlessLate = (step, hurry) => context => {
  if (hurry?.aborted && performance.now() > hurry.reason) throw CUT;
  return step(context);
};

// -- The life of a virtual user, from its arrival to the callback.

/**
 * @param {HttpScope} scope
 * @returns {Scenario} never throws; the callback is called once
 */
function compileScenario(scope) {
  const { scenario, ee, sockets = null } = scope;
  const asFunctions = (/** @type {string[]} */ names) => names.map(name => ({ function: name }));
  const steps = scope.compile([
    ...asFunctions(scenario.beforeScenario),
    ...(sockets ? sockets.begin(scenario.flow) : (scenario.flow ?? [])),
    ...asFunctions(scenario.afterScenario),
  ]);
  return (context, callback) => {
    prepareHttpUser(context, scope);
    sockets?.open?.(context);
    ee.emit('started');
    const end = (/** @type {any} */ error) => {
      sockets?.close(context);
      endHttpUser(context);
      callback?.(error, context);
    };
    const fail = (/** @type {any} */ error) => {
      if (error === CUT) return end(CUT);
      // Steps of sockets fail with their connection or message.
      const isOfAttempt = ofAttempts.has(error) || (sockets !== null && !ofHooks.has(error));
      ee.emit('error', nameError(error), isOfAttempt);
      end(error ?? new Error('failed'));
    };
    start(context).then(() => end(null), fail);
  };

  /** Always asynchronous, even if the flow ends immediately. @param {any} context @returns {Promise<void>} */
  function start(context) {
    try {
      return runSteps(steps, context) ?? Promise.resolve();
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
