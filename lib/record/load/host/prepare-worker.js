/** From a plan to scenarios that can be run: hooks, plugins and engines, in Artillery's order. */
import { importArtillery } from '../artillery-modules.js';
import { createContextFactory } from './context.js';
import { createEngines } from './engines.js';
import { loadProcessor } from './load-processor.js';
import { loadWorkerPlugins } from './plugins.js';
import { createScenarioEvents } from './scenario-events.js';
import { createPick } from './users.js';

/**
 * @typedef {object} WorkerPlan what a worker is given of a plan
 * @property {Record<string, any>} script rows of CSV files are this worker's
 * @property {string} testRunId
 * @property {Record<string, any>} runnerOptions as Artillery gives them to plugins
 */

/**
 * @param {WorkerPlan} plan
 * @param {import('../engine/engine.d.ts').Services & {recorder: import('../metrics/second-recorder.js').SecondRecorder}} services
 */
export async function prepareWorker({ script, testRunId, runnerOptions }, services) {
  const { recorder, samples, tokens, tokenPlaces } = services;
  const [{ engine_util: helpers }, { default: createReader }, { default: createPicker }] =
    await Promise.all([
      importArtillery('commons/index.js'),
      importArtillery('core/readers.js'),
      importArtillery('core/weighted-pick.js'),
    ]);
  const processor = await loadProcessor(script.config.processor);
  if (processor) script.config.processor = processor;
  await loadWorkerPlugins(script, runnerOptions, services.warn);

  const engines = createEngines({
    script,
    helpers,
    services,
    events: createScenarioEvents(recorder),
    foreignEvents: createScenarioEvents(recorder, { withoutDerived: true }),
    patchArtillerys: async () => {
      const [{ patchHttpEngine }, { patchSocketIoEngine }] = await Promise.all([
        import('../plugin/patch-http.js'),
        import('../plugin/patch-socketio.js'),
      ]);
      patchHttpEngine(tokens, { seconds: recorder, samples });
      patchSocketIoEngine(tokens, tokenPlaces, samples);
    },
  });
  /** @type {import('./users.js').RunnableScenario[]} */
  const scenarios = [];
  for (const [i, spec] of script.scenarios.entries()) {
    const name = String(spec.name || i);
    scenarios.push({ spec, name, run: await engines.compile(spec, name) });
  }
  /** @param {Record<string, any>} [variables] that the `before` flow left */
  const createContexts = variables =>
    createContextFactory({ script, helpers, createReader, testRunId, variables });
  const { pickVariables } = createContexts();
  const pick = createPick(scenarios, {
    scenarioName: runnerOptions.scenarioName,
    createPicker,
    readWeight: weight => {
      const vars = { ...pickVariables(), $processEnvironment: process.env };
      return Number.parseInt(helpers.template(weight, { vars }), 10) || 0;
    },
  });
  return { pick, createContexts };
}
