/** Turns a plan into runnable scenarios: loads hooks and plugins in Artillery's order. */
import { EventEmitter } from 'node:events';
import { fillTemplate } from '../engine/flow/template.js';
import { createEngine } from '../engine/index.js';
import { countError, nameError } from '../metrics/error-samples.js';
import { createContextFactory } from './context.js';
import { loadWorkerPlugins } from './plugins.js';
import { createPick } from './users.js';

/** @import { ScenarioSpec, Script, Variables } from '../script.d.ts' */
/** @import { Services } from '../engine/engine.d.ts' */
/** @import { SecondRecorder } from '../metrics/second-recorder.js' */
/** @import { RunnableScenario } from './users.js' */

/**
 * @typedef {object} WorkerPlan a worker's part of a plan
 * @property {Script} script with this worker's rows of CSV files
 * @property {string} testRunId
 * @property {Record<string, any>} runnerOptions as Artillery passes them to plugins
 */

/** @typedef {Services & {recorder: SecondRecorder}} RecordedServices */

/**
 * @param {WorkerPlan} plan
 * @param {RecordedServices} services
 */
export async function prepareWorker(plan, services) {
  const { script, runnerOptions } = plan;
  const attachPlugins = () => loadWorkerPlugins(script, runnerOptions, services.warn);
  const { compile, createContexts } = await prepareEngine(plan, services, attachPlugins);
  /** @type {RunnableScenario[]} */
  const scenarios = script.scenarios.map((spec, i) => {
    return { spec, name: String(spec.name || i), run: compile(spec) };
  });
  const { pickVariables } = createContexts();
  const readWeight = (/** @type {unknown} */ weight) => {
    const vars = { ...pickVariables(), $processEnvironment: process.env };
    return Number.parseInt(fillTemplate(weight, { vars }), 10) || 0;
  };
  const { scenarioName } = runnerOptions;
  return { scenarios, pick: createPick(scenarios, { scenarioName, readWeight }), createContexts };
}

/**
 * @param {Pick<WorkerPlan, 'script' | 'testRunId'>} plan
 * @param {RecordedServices} services
 * @param {() => Promise<void>} [attachPlugins] called when the script's processor is loaded
 */
export async function prepareEngine({ script, testRunId }, services, attachPlugins) {
  const processor = await loadProcessor(script.config.processor);
  if (processor) script.config.processor = processor;
  await attachPlugins?.();
  const events = createScenarioEvents(services.recorder);
  const compile = createEngine(script, services);
  return {
    compile: (/** @type {ScenarioSpec} */ scenario) => compile(scenario, events),
    /** @param {Variables} [variables] from the `before` flow */
    createContexts: variables => createContextFactory({ script, testRunId, variables }),
  };
}

// -- Hooks of a script.

/**
 * @param {unknown} processor absolute path of a file; other values are no file
 * @returns {Promise<Record<string, any> | undefined>} a plain object: plugins add their own hooks
 * @throws {Error} with the name of the file
 */
async function loadProcessor(processor) {
  if (typeof processor !== 'string') return undefined;
  const { importUserModule } = await import('../named-packages.js');
  return importUserModule(processor).catch(cause => {
    throw new Error(`the processor ${processor} cannot be loaded: ${cause.message}`, { cause });
  });
}

// -- Events of scenarios, their hooks and plugins, as Artillery's runner accepts them (core/runner.ts).

/** Artillery cuts names of metrics at this length (core/ssms.ts). */
const MAX_NAME_LENGTH = 1024;

/**
 * @param {SecondRecorder} recorder
 * @returns {EventEmitter}
 */
function createScenarioEvents(recorder) {
  const events = new EventEmitter();
  /** @param {unknown} name @param {unknown} value */
  const count = (name, value) => recorder.count(cutName(name), Number(value));
  /** @param {unknown} name @param {unknown} value */
  const measure = (name, value) => recorder.measure(cutName(name), Number(value));
  events.on('counter', count);
  events.on('summary', measure);
  events.on('histogram', measure);
  events.on('customStat', ({ stat, value }) => measure(stat, value));
  events.on('rate', name => recorder.rate(cutName(name)));
  events.on('error', (code, isOf) => countError(recorder, nameError(code), isOf));
  return events;
}

/** @param {unknown} name */
const cutName = name => String(name).slice(0, MAX_NAME_LENGTH);
