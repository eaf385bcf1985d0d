/**
 * The `before` and `after` flows of a script: each runs once, in the main thread, in which both share
 * what the processor keeps (Artillery: platform/local/index.ts, core/runner.ts). What they need is
 * loaded for scripts that have them.
 */
import { EventEmitter } from 'node:events';
import { importArtillery } from '../artillery-modules.js';

/**
 * @param {Record<string, any>} script prepared
 * @param {object} options
 * @param {string} options.testRunId
 * @param {import('../token-holder.js').TokenHolder} options.tokens
 * @param {import('../engine/engine.d.ts').TokenPlaces} options.tokenPlaces
 * @param {(text: string) => void} options.warn
 * @returns {(flow: 'before' | 'after', variables?: Record<string, any>) => Promise<Record<string, any>>}
 *   runs a flow and gives its variables; rejects with the error that ended it
 */
export function createScriptFlows(script, options) {
  /** @type {Promise<Runnable> | null} */
  let loaded = null;
  return async (flow, variables = {}) => {
    const scenario = script[flow];
    if (!scenario) return {};
    loaded ??= load(structuredClone(script), options);
    const { engines, createContexts } = await loaded;
    const run = await engines.compile(scenario, flow);
    const context = createContexts(variables).create(scenario);
    return new Promise((resolve, reject) => {
      run(context, (error, ended) => (error ? reject(error) : resolve((ended ?? context).vars)));
    });
  };
}

/**
 * @typedef {object} Runnable
 * @property {ReturnType<typeof import('./engines.js').createEngines>} engines
 * @property {(variables: Record<string, any>) => import('./context.js').ContextFactory} createContexts
 */

/**
 * @param {Record<string, any>} script
 * @param {Parameters<typeof createScriptFlows>[1]} options
 * @returns {Promise<Runnable>}
 */
async function load(script, { testRunId, tokens, tokenPlaces, warn }) {
  const [{ engine_util: helpers }, { default: createReader }, parts, processors] =
    await Promise.all([
      importArtillery('commons/index.js'),
      importArtillery('core/readers.js'),
      Promise.all([import('./engines.js'), import('./context.js')]),
      import('./load-processor.js'),
    ]);
  const [{ createEngines }, { createContextFactory }] = parts;
  const processor = await processors.loadProcessor(script.config.processor);
  if (processor) script.config.processor = processor;
  const events = createSilentEvents();
  return {
    engines: createEngines({
      script,
      helpers,
      // Nothing that these flows send belongs to the load.
      services: {
        recorder: createSilentRecorder(),
        samples: { wants: () => false, add() {} },
        tokens,
        tokenPlaces,
        warn,
        sockets: { open: 0 },
      },
      events,
      foreignEvents: events,
      patchArtillerys: async () => {
        const { patchHttpEngine } = await import('../plugin/patch-http.js');
        patchHttpEngine(tokens, null);
      },
    }),
    createContexts: variables =>
      createContextFactory({ script, helpers, createReader, testRunId, variables }),
  };
}

function createSilentEvents() {
  const events = new EventEmitter();
  // Without a listener an `error` would be thrown.
  events.on('error', () => {});
  return events;
}

/** @returns {import('../engine/engine.d.ts').Recorder} */
function createSilentRecorder() {
  return {
    count() {},
    measure() {},
    endpoint: name => ({ key: name, second: null, entry: null }),
    countRequest() {},
    countAnswer() {},
    countNoAnswer() {},
    noteServer() {},
    knowsBackends: () => false,
  };
}
