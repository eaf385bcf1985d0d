/** Engines of a script: ours for `http`, `socketio` and `ws`, a package's for others. */
import { EventEmitter } from 'node:events';
import { compileParallel, compileThink } from '../engine/flow/compile-flow.js';
import { compileLoop } from '../engine/flow/loop.js';
import { fillTemplate } from '../engine/flow/template.js';
import { findCaptures } from '../engine/http/captures.js';
import { isDrawn } from '../engine/http/compile-request.js';
import LoadflameEngine from '../engine/index.js';
import { nameError } from '../metrics/error-samples.js';
import { importNamed } from '../named-packages.js';

/** @import { Callback, Scenario, Scope, Services, Step } from '../engine/engine.d.ts' */

const OURS = new Set(['http', 'socketio', 'ws']);

/**
 * @typedef {object} EngineOptions
 * @property {Record<string, any>} script with its processor loaded and its plugins at work
 * @property {Services} services
 * @property {EventEmitter} events of scenarios
 */

/**
 * @param {EngineOptions} options
 * @returns {{compile: (scenario: Record<string, any>) => Promise<Scenario>}}
 */
export function createEngines(options) {
  const { script, services, events } = options;
  /** @type {Map<string, Promise<any>>} */
  const loaded = new Map();
  const load = (/** @type {string} */ key, /** @type {() => Promise<any>} */ start) => {
    const engine = loaded.get(key) ?? start();
    loaded.set(key, engine);
    return engine;
  };
  const loadOurs = async () => new LoadflameEngine(script, services);

  return {
    async compile(scenario) {
      const engineName = scenario.engine ?? script.config.engine ?? 'http';
      const isOurs = OURS.has(engineName);
      const engine = await load(isOurs ? 'loadflame' : engineName, () =>
        isOurs ? loadOurs() : loadForeign(engineName, script),
      );
      return engine.createScenario(scenario, events);
    },
  };
}

/** @param {string} name @param {Record<string, any>} script */
async function loadForeign(name, script) {
  const Engine = await importEngine(name, script);
  const engine = new Engine(script, new EventEmitter(), HELPERS);
  // Others return nothing to wait for, by Artillery's contract.
  if (engine.init?.constructor.name === 'AsyncFunction') await engine.init();
  return engine;
}

/** @param {string} name @param {Record<string, any>} script */
async function importEngine(name, script) {
  if (script.config.engines?.[name] === undefined) {
    throw new Error(`unknown engine "${name}": is it in "config.engines.${name}"?`);
  }
  try {
    const namespace = await importNamed(`artillery-engine-${name}`);
    return namespace.default ?? namespace;
  } catch (cause) {
    throw new Error(`the engine "${name}" cannot be loaded: ${nameError(cause)}`, { cause });
  }
}

// -- What an engine of a package gets by Artillery's contract: steps of ours as functions `(context, callback)`.

const HELPERS = {
  template: fillTemplate,
  isProbableEnough: isDrawn,
  /** @param {Record<string, any>} params @param {any} response @param {any} context @param {Callback} done */
  captureOrMatch: (params, response, context, done) =>
    done(null, findCaptures(params, response, context)),
  /** @param {Record<string, any>} spec @param {{jitter?: string}} [think] defaults */
  createThink: (spec, think) =>
    toScenario(compileThink(spec, createScope({ defaults: { think } }))),
  /** @param {number | string} count @param {Scenario[]} steps @param {Record<string, any>} [options] */
  createLoopWithCount(count, steps, { overValues, whileTrue, ...names } = {}) {
    const scope = createScope({ processor: { whileTrue } });
    const condition = whileTrue && 'whileTrue';
    const spec = { loop: steps, count, over: overValues, whileTrue: condition, ...names };
    return toScenario(compileLoop(spec, scope));
  },
  /** @param {Scenario[]} steps @param {{limitValue?: number}} [options] */
  createParallel: (steps, options) =>
    toScenario(compileParallel({ parallel: steps, limit: options?.limitValue }, createScope({}))),
};

/** @param {Record<string, any>} config @returns {Scope} as far as these steps read it */
function createScope(config) {
  const compile = (/** @type {any[]} */ steps) => steps.map(toStep);
  return /** @type {any} */ ({ config, compile });
}

/** @param {Scenario} scenario @returns {Step} */
function toStep(scenario) {
  return context =>
    new Promise((resolve, reject) =>
      scenario(context, error => (error ? reject(error) : resolve())),
    );
}

/** @param {Step} step @returns {Scenario} */
function toScenario(step) {
  return (context, callback) => {
    // Outside of the promise, which would take what the callback throws for a failure of the step.
    const end = (/** @type {unknown} */ error) => setImmediate(callback, error, context);
    Promise.resolve(context)
      .then(step)
      .then(() => end(null), end);
  };
}
