/**
 * `globalThis.artillery`, which plugins and hooks of scripts talk to: the members of Artillery's own (2.0.34)
 * that do not begin with an underscore.
 */
import { EventEmitter } from 'node:events';
import { fillTemplate } from '../engine/flow/template.js';
import { ARTILLERY_VERSION } from '../named-packages.js';

/**
 * @param {object} options
 * @param {string} options.testRunId
 * @param {(code: number) => void} [options.onExitCode] a plugin in a worker suggests one
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
    /** a list, and a map of those that are loaded, too */
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
