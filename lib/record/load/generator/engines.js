/** Engines of a script: ours for `http`, `socketio` and `ws`, a package's for others. */
import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';
import { importArtillery } from '../artillery-modules.js';
import LoadflameEngine from '../engine/index.js';
import { nameError } from '../metrics/error-samples.js';

/** @import { Helpers, Scenario, Services } from '../engine/engine.d.ts' */

const OURS = new Set(['http', 'socketio', 'ws']);

/**
 * @typedef {object} EngineOptions
 * @property {Record<string, any>} script with its processor loaded and its plugins at work
 * @property {Helpers} helpers
 * @property {Services} services
 * @property {EventEmitter} events of scenarios
 */

/**
 * @param {EngineOptions} options
 * @returns {{compile: (scenario: Record<string, any>) => Promise<Scenario>}}
 */
export function createEngines(options) {
  const { script, helpers, services, events } = options;
  /** @type {Map<string, Promise<any>>} */
  const loaded = new Map();
  const load = (/** @type {string} */ key, /** @type {() => Promise<any>} */ start) => {
    const engine = loaded.get(key) ?? start();
    loaded.set(key, engine);
    return engine;
  };
  const loadOurs = async () => new LoadflameEngine(script, helpers, services);

  return {
    async compile(scenario) {
      const engineName = scenario.engine ?? script.config.engine ?? 'http';
      const isOurs = OURS.has(engineName);
      const engine = await load(isOurs ? 'loadflame' : engineName, () =>
        isOurs ? loadOurs() : loadForeign(engineName, options),
      );
      return engine.createScenario(scenario, events);
    },
  };
}

/** @param {string} name @param {EngineOptions} options */
async function loadForeign(name, { script, helpers }) {
  const Engine = await importEngine(name, script);
  const engine = new Engine(script, new EventEmitter(), helpers);
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
    const { resolveBuiltinPackage } = await importArtillery('builtin-packages.js');
    const file = resolveBuiltinPackage(`artillery-engine-${name}`);
    const namespace = await import(pathToFileURL(file).href);
    return namespace.default ?? namespace;
  } catch (cause) {
    throw new Error(`the engine "${name}" cannot be loaded: ${nameError(cause)}`, { cause });
  }
}
