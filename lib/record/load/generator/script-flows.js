/**
 * The `before` and `after` flows of a script: each runs once, in the main thread, in which both share
 * what the processor keeps (Artillery: platform/local/index.ts, core/runner.ts). What they need is
 * loaded for scripts that have them.
 */
/** @import { TokenPlaces } from '../engine/engine.d.ts' */
/** @import { TokenHolder } from '../token-holder.js' */

/**
 * @param {Record<string, any>} script prepared
 * @param {object} options
 * @param {string} options.testRunId
 * @param {TokenHolder} options.tokens
 * @param {TokenPlaces} options.tokenPlaces
 * @param {(text: string) => void} options.warn
 * @param {(secret: string) => void} options.learn
 * @returns {(flow: 'before' | 'after', variables?: Record<string, any>) => Promise<Record<string, any>>}
 *   runs a flow and gives its variables; rejects with the error that ended it
 */
export function createScriptFlows(script, options) {
  /** @type {ReturnType<typeof load> | null} */
  let loaded = null;
  return async (flow, variables = {}) => {
    const scenario = script[flow];
    if (!scenario) return {};
    loaded ??= load(structuredClone(script), options);
    const { compile, createContexts } = await loaded;
    const run = compile(scenario);
    const context = createContexts(variables).create(scenario);
    return new Promise((resolve, reject) => {
      run(context, (error, ended) => (error ? reject(error) : resolve((ended ?? context).vars)));
    });
  };
}

/**
 * @param {Record<string, any>} script
 * @param {Parameters<typeof createScriptFlows>[1]} options
 */
async function load(script, { testRunId, tokens, tokenPlaces, warn, learn }) {
  const [{ prepareEngine }, { createSecondRecorder }] = await Promise.all([
    import('./prepare-worker.js'),
    import('../metrics/second-recorder.js'),
  ]);
  return prepareEngine(
    { script, testRunId },
    {
      // Nothing that these flows send belongs to the load.
      recorder: createSecondRecorder(() => {}),
      samples: { wants: () => false, add() {} },
      tokens,
      tokenPlaces,
      warn,
      learn,
      sockets: { open: 0 },
    },
  );
}
