/** Loads plugins by Artillery's contract (2.0.34). */
import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fillTemplate } from '../engine/flow/template.js';
import { ARTILLERY_VERSION, importNamed } from '../named-packages.js';

/** @import { Script } from '../script.d.ts' */

const CLEANUP_LIMIT_MS = 5000;

/**
 * Loads the plugins of a worker: they attach their hooks to the script.
 * @param {Script} script is modified
 * @param {Record<string, any>} runnerOptions
 * @param {(text: string) => void} warn
 */
export async function loadWorkerPlugins(script, runnerOptions, warn) {
  const stub = new EventEmitter();
  await forEachPlugin(script, warn, async (Plugin, pluginConfig) => {
    script.config.plugins = pluginConfig;
    return new Plugin(script, stub, runnerOptions);
  });
}

/**
 * Loads the plugins of the main thread: they receive events of phases, periods and the end.
 * @param {Script} script
 * @param {Record<string, any>} runnerOptions
 * @param {(text: string) => void} warn
 */
export async function loadMainPlugins(script, runnerOptions, warn) {
  const events = createSafeEmitter(warn);
  const { payload = [], ...config } = script.config;
  // A copy: what they attach to it is not for the workers. Rows of CSV files are not needed here.
  const files = [payload].flat().map(spec => ({ ...spec, data: [] }));
  const copy = JSON.stringify({ ...script, config: { ...config, payload: files } });
  const count = await forEachPlugin(script, warn, async (Plugin, pluginConfig) => {
    const own = JSON.parse(copy);
    own.config.plugins = pluginConfig;
    return new Plugin(own, events, runnerOptions);
  });
  return { events, count };
}

/**
 * @param {Script} script
 * @param {(text: string) => void} warn
 * @param {(Plugin: any, pluginConfig: NonNullable<Script['config']['plugins']>) => Promise<object>} create
 * @returns {Promise<number>} number of loaded plugins
 */
async function forEachPlugin(script, warn, create) {
  const pluginConfig = { ...script.config.plugins };
  const { plugins } = /** @type {any} */ (globalThis).artillery;
  for (const [name, options] of Object.entries(pluginConfig)) {
    const prefix = options?.scope || script.config.pluginsScope || 'artillery-plugin-';
    const Plugin = await importPlugin(prefix + name).catch(error => {
      warn(explain(error, name));
      return null;
    });
    if (!Plugin) continue;
    plugins[name] = await create(Plugin, pluginConfig);
    plugins.push({ name, plugin: plugins[name] });
  }
  return plugins.length;
}

/**
 * @param {string} packageName
 * @returns {Promise<any>} its class
 * @throws {Error} if the package has none, like those for Artillery 1
 */
async function importPlugin(packageName) {
  const namespace = await importNamed(packageName);
  const { Plugin } = namespace.default?.Plugin ? namespace.default : namespace;
  if (typeof Plugin !== 'function') throw new Error('it exports no class Plugin');
  return Plugin;
}

/** @param {NodeJS.ErrnoException} error @param {string} name of the plugin */
function explain({ code, message }, name) {
  return code === 'MODULE_NOT_FOUND'
    ? `Plugin ${name} specified but its module could not be found: npm install artillery-plugin-${name}`
    : `Could not initialize plugin: ${name} (${message})`;
}

/** Lets the plugins of this thread clean up: they may still have data to send. */
export async function unloadPlugins() {
  for (const { name, plugin } of /** @type {any} */ (globalThis).artillery.plugins) {
    if (typeof plugin.cleanup !== 'function') continue;
    try {
      const ended = promisify(plugin.cleanup.bind(plugin))();
      await Promise.race([ended, setTimeout(CLEANUP_LIMIT_MS, null, { ref: false })]);
    } catch (error) {
      console.error(`the plugin ${name} failed to end: ${error}`);
    }
  }
}

/**
 * An event emitter for plugins: a listener that throws must not affect other listeners or end the load.
 * @param {(text: string) => void} warn
 */
function createSafeEmitter(warn) {
  const events = new EventEmitter();
  events.emit = (name, ...args) => {
    const listeners = events.rawListeners(name);
    for (const listener of listeners) {
      try {
        listener.apply(events, args);
      } catch (error) {
        warn(`a plugin failed on "${String(name)}": ${/** @type {Error} */ (error).message}`);
      }
    }
    return listeners.length > 0;
  };
  return events;
}

// -- `globalThis.artillery`, for plugins and hooks of scripts: Artillery's members (2.0.34) without those that begin
//    with an underscore.

/**
 * @param {object} options
 * @param {string} options.testRunId
 * @param {(code: number) => void} [options.onExitCode] called when a plugin in a worker suggests one
 * @returns {any} the object
 */
export function createArtilleryGlobal({ testRunId, onExitCode }) {
  const globalEvents = new EventEmitter();
  /** @type {number | undefined} */
  let exitCode;
  const artillery = {
    version: ARTILLERY_VERSION,
    testRunId,
    runtimeOptions: {
      extendedHTTPMetrics: process.env.ARTILLERY_EXTENDED_HTTP_METRICS !== undefined,
      legacyReporting: false,
    },
    metrics: { event: async (/** @type {unknown} */ message) => console.log(message) },
    util: { template: fillTemplate },
    /** a list, and also a map by name */
    plugins: /** @type {any} */ ([]),
    extensionEvents: /** @type {{ext: string, method: (event: any) => unknown}[]} */ ([]),
    /** @param {{ext: string, method: (event: any) => unknown}} event */
    async ext(event) {
      artillery.extensionEvents.push(event);
    },
    globalEvents,
    get suggestedExitCode() {
      return exitCode;
    },
    set suggestedExitCode(code) {
      exitCode = code;
      if (code !== undefined) onExitCode?.(code);
    },
    logger: (/** @type {Record<string, unknown>} */ options) => ({
      log: (/** @type {unknown[]} */ ...args) => globalEvents.emit('log', options, ...args),
    }),
    log: (/** @type {unknown[]} */ ...args) => globalEvents.emit('log', {}, ...args),
    stash: null,
    telemetry: { init() {}, capture() {} },
    shutdown: async () => {},
  };
  /** @type {any} */ (globalThis).artillery = artillery;
  return artillery;
}
