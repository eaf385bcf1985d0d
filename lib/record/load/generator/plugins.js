/** Plugins by Artillery's contract (launch-platform.ts, platform/local/worker.ts; 2.0.34). */
import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { importArtillery } from '../artillery-modules.js';

const CLEANUP_LIMIT_MS = 5000;

/**
 * Plugins of a worker: they attach their hooks to the script.
 * @param {Record<string, any>} script is changed
 * @param {Record<string, any>} runnerOptions
 * @param {(text: string) => void} warn
 */
export async function loadWorkerPlugins(script, runnerOptions, warn) {
  const stub = new EventEmitter();
  await forEachPlugin(script, runnerOptions, warn, async (plugin, pluginConfig) => {
    script.config.plugins = pluginConfig;
    return plugin.version === 1
      ? new plugin.PluginExport(script.config, stub)
      : new plugin.PluginExport.Plugin(script, stub, runnerOptions);
  });
}

/**
 * Plugins of the main thread: they hear of phases, periods and the end.
 * @param {Record<string, any>} script
 * @param {Record<string, any>} runnerOptions
 * @param {(text: string) => void} warn
 */
export async function loadMainPlugins(script, runnerOptions, warn) {
  const events = createSafeEmitter(warn);
  const legacyEvents = createSafeEmitter(warn);
  const { payload = [], ...config } = script.config;
  // A copy: what they attach to it is not for the workers. The rows of CSV files are nobody's here.
  const copy = () =>
    JSON.parse(
      JSON.stringify({
        ...script,
        config: { ...config, payload: [payload].flat().map(spec => ({ ...spec, data: [] })) },
      }),
    );
  const count = await forEachPlugin(script, runnerOptions, warn, async (plugin, pluginConfig) => {
    const own = copy();
    own.config.plugins = pluginConfig;
    if (plugin.version === 1) return new plugin.PluginExport(own.config, legacyEvents);
    const legacy = plugin.PluginExport.LEGACY_METRICS_FORMAT !== false;
    return new plugin.PluginExport.Plugin(own, legacy ? legacyEvents : events, runnerOptions);
  });
  return { events, legacyEvents, count };
}

/**
 * @param {Record<string, any>} script
 * @param {Record<string, any>} runnerOptions
 * @param {(text: string) => void} warn
 * @param {(plugin: any, pluginConfig: Record<string, unknown>) => Promise<object>} create
 * @returns {Promise<number>} how many there are
 */
async function forEachPlugin(script, runnerOptions, warn, create) {
  const specs = script.config.plugins;
  if (Object.keys(specs ?? {}).length === 0 && !process.env.ARTILLERY_PLUGINS) return 0;
  const { loadPlugins, loadPluginsConfig } = await importArtillery('load-plugins.js');
  const loaded = await loadPlugins(specs, script, runnerOptions);
  const { plugins } = /** @type {any} */ (globalThis).artillery;
  for (const [name, plugin] of Object.entries(loaded)) {
    if (!plugin.isLoaded) {
      warn(plugin.msg.replace(/^WARNING: /, ''));
      continue;
    }
    if (plugin.version !== 1 && plugin.version !== 2) continue;
    plugin.plugin = await create(plugin, loadPluginsConfig(specs));
    plugins[name] = plugin.plugin;
    plugins.push(plugin);
  }
  return plugins.length;
}

/** Lets the plugins of this thread end: they may have something to send. */
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
 * What a plugin throws while it listens must not keep others from hearing, nor end the load.
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
