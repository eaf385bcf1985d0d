/**
 * Engines of a script: ours for `http`, `socketio` and `ws`, Artillery's or a package's for others, and
 * Artillery's for what says `loadflame: {engine: artillery}` (a scenario, or `config`).
 */
import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';
import { importArtillery } from '../artillery-modules.js';
import LoadflameEngine from '../engine/index.js';
import { nameError } from '../metrics/error-samples.js';

const OURS = new Set(['http', 'socketio', 'ws']);
const ARTILLERYS = /** @type {Record<string, string>} */ ({
  http: 'core/engine_http.js',
  socketio: 'core/engine_socketio.js',
  ws: 'core/engine_ws.js',
});

/** @typedef {import('../engine/engine.d.ts').Scenario} Scenario */

/**
 * @typedef {object} EngineOptions
 * @property {Record<string, any>} script with its processor loaded and its plugins at work
 * @property {import('../engine/engine.d.ts').Helpers} helpers
 * @property {import('../engine/engine.d.ts').Services} services
 * @property {EventEmitter} events of scenarios on our engine
 * @property {EventEmitter} foreignEvents of scenarios on other engines
 * @property {() => Promise<void>} patchArtillerys gives tokens to Artillery's own engines
 */

/**
 * @param {EngineOptions} options
 * @returns {{compile: (scenario: Record<string, any>, name: string) => Promise<Scenario>}}
 */
export function createEngines(options) {
  const { script, helpers, services, events, foreignEvents } = options;
  /** @type {Map<string, Promise<any>>} */
  const loaded = new Map();
  const load = (/** @type {string} */ key, /** @type {() => Promise<any>} */ start) => {
    const engine = loaded.get(key) ?? start();
    loaded.set(key, engine);
    return engine;
  };
  const loadOurs = async () => {
    const engine = new LoadflameEngine(script, new EventEmitter(), helpers, services);
    await engine.init();
    return engine;
  };

  return {
    async compile(scenario, name) {
      const engineName = scenario.engine ?? script.config.engine ?? 'http';
      const asked = (scenario.loadflame ?? script.config.loadflame)?.engine;
      if (OURS.has(engineName) && asked !== 'artillery') {
        const ours = await load('loadflame', loadOurs);
        return ours.createScenario(scenario, events);
      }
      if (OURS.has(engineName)) {
        services.warn(`the scenario "${name}" runs on Artillery's engine, as its script says`);
      }
      const foreign = await load(engineName, () => loadForeign(engineName, options));
      return foreign.createScenario(scenario, foreignEvents);
    },
  };
}

/** @param {string} name @param {EngineOptions} options */
async function loadForeign(name, { script, helpers, patchArtillerys }) {
  const Engine = await importEngine(name, script);
  if (OURS.has(name)) await patchArtillerys();
  const engine = new Engine(script, new EventEmitter(), helpers);
  // Others return nothing to wait for, by Artillery's contract.
  if (engine.init?.constructor.name === 'AsyncFunction') await engine.init();
  return engine;
}

/** @param {string} name @param {Record<string, any>} script */
async function importEngine(name, script) {
  const artillerys = ARTILLERYS[name];
  if (artillerys) return (await importArtillery(artillerys)).default;
  if (script.config.engines?.[name] === undefined) {
    throw new Error(`unknown engine "${name}": is it in "config.engines.${name}"?`);
  }
  try {
    const { resolveBuiltinPackage } = await importArtillery('builtin-packages.js');
    const file = resolveBuiltinPackage(`artillery-engine-${name}`);
    const namespace = await import(pathToFileURL(file).href);
    return namespace.default ?? namespace;
  } catch (cause) {
    throw new Error(`the engine "${name}" can not be loaded: ${nameError(cause)}`, { cause });
  }
}
