/**
 * The generator process: runs a script on our engine in its workers, and exchanges `../messages.js` with its parent
 * over Node's IPC channel.
 */
import path from 'node:path';
import { parseExact } from '../../base/files/parse-json.js';
import { collectSecrets, createRedactor } from '../../base/files/redaction.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { surviveUncaught } from '../engine/flow/hooks.js';
import { holdsTemplate } from '../engine/flow/template.js';
import { forwardConsole } from '../forward-console.js';
import { tell } from '../messages.js';
import { createTokenHolder } from '../token-holder.js';
import { dividePayload } from './context.js';
import { createArtilleryGlobal, loadMainPlugins, unloadPlugins } from './plugins.js';
import { preparePlan } from './prepare-plan.js';
import { createReporting } from './reporting.js';
import { findOutputFile } from './stats.js';
import { createSteering } from './steering.js';
import { followWarmUp } from './warm-up.js';
import { startWorkers } from './workers.js';

/** @import { Script, Variables } from '../script.d.ts' */
/** @import { Job } from '../messages.js' */
/** @import { Services } from '../engine/engine.d.ts' */
/** @import { Reporting } from './reporting.js' */
/** @import { FromWorker } from './worker.js' */
/** @import { WorkerPool } from './workers.js' */

/** Lets every worker receive its message before the first phase begins. */
const HEAD_START_MS = 20;
const SECOND_MS = 1000;
const EXIT_INTERRUPTED = 130;
/** Rows of a CSV file whose values are redacted as secrets. */
const MOST_ROWS = 2000;
/** Artillery's exit code for a lost worker. */
const EXIT_WORKER_LOST = 11;

if (!process.send) throw new Error('this program works for loadflame only');
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const tokens = createTokenHolder();
/** @type {WorkerPool | null} */
let pool = null;
/** @type {Reporting | null} */
let reporting = null;
/** @type {ReturnType<typeof createSteering> | null} */
let steering = null;
/** @type {ReturnType<typeof followWarmUp> | null} */
let warmUp = null;
let hasBegun = false;
/** @type {'no' | 'asked' | 'alone'} alone: the parent no longer waits for us */
let stopping = 'no';

/** Start time of a load that waits for it. @type {PromiseWithResolvers<number | undefined>} */
const held = Promise.withResolvers();
/** @type {Promise<Job>} */
const firstJob = new Promise(resolve => {
  process.on('message', (/** @type {any} */ message) => {
    if (message?.loadflame === 'job') resolve(message);
    else if (message?.loadflame === 'start') held.resolve(message.startAtMs);
    else if (message?.loadflame === 'steer') steering?.take(message);
    else if (message?.loadflame === 'tokens') {
      tokens.replace(message.tokens);
      pool?.broadcast({ kind: 'tokens', tokens: message.tokens });
    }
  });
});
process.on('SIGINT', () => stop('asked'));
process.on('SIGTERM', () => stop('alone'));
process.on('disconnect', () => stop('alone'));

const redactor = createRedactor();
/** For workers that start later. @type {string[]} */
const secrets = [];
/** @param {string[]} found in the script, its files and its flows */
const learn = found => {
  secrets.push(...found);
  for (const secret of found) redactor.add(secret);
  if (found.length > 0) tell({ loadflame: 'secrets', secrets: found });
};
const sendLastLines = forwardConsole(text => tell({ loadflame: 'log', text }), redactor.redactText);

/** @type {Set<string>} */
const warned = new Set();
const warn = (/** @type {string} */ text) => {
  if (warned.has(text)) return;
  warned.add(text);
  process.stderr.write(`WARNING: ${text}\n`);
  tell({ loadflame: 'note', text });
};

const job = await firstJob;
tokens.replace(job.tokens);
for (const secret of job.secrets) redactor.add(secret, { forever: true });
try {
  await run();
} catch (error) {
  process.stderr.write(`Error: ${/** @type {Error} */ (error).message}\n`);
  process.exit(1);
}

async function run() {
  const { flags } = job;
  const outputFile = findOutputFile(flags.output);
  const perUrl = outputFile !== null || JSON.stringify(job.plan).includes('metrics-by-endpoint');
  const plan = await preparePlan(job.plan, { ...flags, file: job.scriptFile });
  const { script, testRunId } = plan;
  learn(collectSecretColumns(script.config.payload));
  if (holdsTemplate([script.config.payload ?? []].flat().map(({ data }) => data)))
    warn('a CSV file holds `{{ … }}`: it is sent as text (Artillery fills it)');
  const { config } = script;
  // Artillery always loads this plugin; our engine sums up per endpoint without it, at no cost.
  const byUrl = { 'metrics-by-endpoint': { suppressOutput: true, stripQueryString: true } };
  config.plugins = { ...(perUrl && byUrl), ...config.plugins };
  const { mode, phases = [] } = config;
  config.phases = phases.map((phase, index) => ({ mode, ...phase, index }));

  const artillery = createArtilleryGlobal({ testRunId });
  artillery.globalEvents.on('log', printLog);
  process.stdout.write(`Test run id: ${testRunId}\n`);
  const runnerOptions = {
    environment: flags.environment,
    scriptPath: job.scriptFile,
    absoluteScriptPath: path.resolve(job.scriptFile),
    plugins: [],
    scenarioName: flags.scenarioName,
  };
  const plugins = await loadMainPlugins(script, runnerOptions, warn);
  const metrics = createNdjsonWriter(job.metricsFile);
  const learnOne = (/** @type {string} */ secret) => learn([secret]);
  const services = { tokens, tokenPlaces: job.tokenPlaces, warn, learn: learnOne };
  const runFlow = createScriptFlows(script, testRunId, services);
  const variables = await runFlow('before').catch(error => {
    throw new Error(`the \`before\` flow failed: ${error?.message ?? error}`, { cause: error });
  });

  learn(collectSecrets(variables));
  const { before, after, ...workerScript } = script;
  reporting = await createReporting({
    phases: config.phases,
    workers: job.workers,
    metrics,
    plugins,
    globalEvents: artillery.globalEvents,
    extendedMetrics: config.http?.extendedMetrics === true,
    outputFile,
    warn,
  });
  const { plan: _, ...others } = job;
  const own = { ...others, secrets: [...job.secrets, ...secrets], tokens: tokens.all() };
  // A thread costs 80 ms of CPU and 16 MB. User code and plugins expect one, and stopping it ends whatever still runs there.
  const isOnlyThread =
    job.workers === 1 && plugins.count === 0 && !config.processor && !before && !after;
  pool = await startWorkers(
    Array.from({ length: job.workers }, (_, index) => {
      const share = { index: job.share.index + index, of: job.share.of };
      return {
        job: own,
        plan: { script: dividePayload(workerScript, share), testRunId, runnerOptions },
        share,
        perUrl,
      };
    }),
    take,
    isOnlyThread ? redactor : null,
  );
  // A token may have been renewed while they started.
  pool.broadcast({ kind: 'tokens', tokens: tokens.all() });
  if (!isOnlyThread) surviveUncaught(() => {}, console.error);
  if (stopping !== 'no') process.exit(EXIT_INTERRUPTED);
  tell({ loadflame: 'ready' });
  const startAtMs = (job.isHeld ? await held.promise : undefined) ?? chooseStart();
  hasBegun = true;
  const { workers, trustsAnyone, script: name, scenarios } = job;
  const about = { engine: 'loadflame', script: name, workers, trustsAnyone };
  metrics.append('load-start', { ...about, scenarios, phases: config.phases });
  const { progress } = reporting;
  steering = createSteering(config.phases, { job, startAtMs, pool, metrics, tell });
  if (job.untilSteady)
    warmUp = followWarmUp(job, startAtMs, atMs => {
      warmUp = null;
      pool?.broadcast({ kind: 'end-first', atMs });
    });
  const sendProgress = () => tell({ loadflame: 'progress', progress: progress.read() });
  setInterval(steering.send, 1000).unref();
  setInterval(sendProgress, 1000).unref();
  pool.broadcast({ kind: 'run', startAtMs, variables: parseExact(JSON.stringify(variables)) });
  const lost = await pool.ended;
  sendProgress();
  if (lost) process.stderr.write(`Error: ${lost.message}\n`);
  await finish({ artillery, runFlow, variables, lost, runnerOptions });
}

/**
 * @param {object} run
 * @param {any} run.artillery
 * @param {ReturnType<typeof createScriptFlows>} run.runFlow
 * @param {Variables} run.variables from the `before` flow
 * @param {Error | null} run.lost why a worker is gone
 * @param {Record<string, any>} run.runnerOptions
 */
async function finish({ artillery, runFlow, variables, lost, runnerOptions }) {
  const complete = stopping === 'no' && !lost;
  const exitCode = complete ? 0 : lost ? EXIT_WORKER_LOST : EXIT_INTERRUPTED;
  const report = /** @type {Reporting} */ (reporting).finish({ complete });
  tell({ loadflame: 'aggregate', counters: report.counters, complete });
  const end = { earlyStop: !complete, exitCode };
  const { flags } = job;
  const testInfo = { endTime: Date.now() };
  for (const [name, event] of /** @type {const} */ ([
    ['beforeExit', { ...end, report, flags, runnerOpts: runnerOptions, testInfo }],
    ['onShutdown', end],
  ])) {
    /** @type {{ext: string, method: (event: any) => unknown}[]} */
    const extensions = artillery.extensionEvents;
    const own = extensions.filter(({ ext }) => ext === name);
    await Promise.allSettled(own.map(async ({ method }) => method(event)));
  }
  let afterFailed = false;
  if (stopping !== 'alone') {
    await runFlow('after', variables).catch(error => {
      warn(`the \`after\` flow failed: ${error?.message ?? error}`);
      afterFailed = true;
    });
  }
  await unloadPlugins();
  sendLastLines();
  process.exit(artillery.suggestedExitCode || exitCode || (afterFailed ? 1 : 0));
}

/** @returns {number} epoch ms */
function chooseStart() {
  const soonMs = Date.now() + HEAD_START_MS;
  const { wholeSecondAfterMs: afterMs } = job;
  if (afterMs === undefined) return soonMs;
  return Math.ceil((soonMs + afterMs) / SECOND_MS) * SECOND_MS - afterMs;
}

/** @param {FromWorker} message @param {number} worker */
function take(message, worker) {
  if (message.kind === 'second')
    for (const one of [reporting, warmUp]) one?.addSecond(message.record);
  else if (message.kind === 'tick')
    for (const one of [reporting, warmUp]) one?.tick(worker, message.untilMs);
  else if (message.kind === 'phase-start') reporting?.startPhase(message.index, message.atMs);
  else if (message.kind === 'steered') steering?.confirm();
  else if (message.kind === 'phase-end') reporting?.endPhase(message.index, message.atMs);
  else if (message.kind === 'secrets') tell({ loadflame: 'secrets', secrets: message.secrets });
  else if (message.kind === 'request') tell({ loadflame: 'request', request: message.request });
  else if (message.kind === 'warn') warn(message.text);
  else if (message.kind === 'printed') tell({ loadflame: 'log', text: message.text });
  else if (message.kind === 'log') printLog(.../** @type {[any]} */ (message.args));
  else if (message.kind === 'exit-code') {
    /** @type {any} */ (globalThis).artillery.suggestedExitCode = message.code;
  }
}

/** @param {'asked' | 'alone'} how */
function stop(how) {
  if (stopping === 'no' || how === 'alone') stopping = how;
  // Before the load there are no results to keep.
  if (!pool || !hasBegun) process.exit(EXIT_INTERRUPTED);
  void pool.stop();
}

/** @param {{level?: string}} options @param {unknown[]} args */
function printLog({ level }, ...args) {
  // "maxErrorRate < 0" of Artillery's plugin is a share of users, and holds when it is equal.
  const worded = args.map(arg =>
    typeof arg === 'string' ? arg.replace(/maxErrorRate < (\S+)/, 'failed users ≤ $1 %') : arg,
  );
  (level === undefined || level === 'info' ? console.log : console.error)(...worded);
}

/** Collects the secrets in CSV columns. @param {any} payload */
function collectSecretColumns(payload) {
  const found = [];
  for (const { fields = [], data = [] } of [payload ?? []].flat()) {
    for (const row of data.slice(0, MOST_ROWS))
      for (const [index, field] of fields.entries())
        found.push(...collectSecrets(row[index], field));
  }
  return found;
}

// -- The `before` and `after` flows of a script: each runs once, in the main thread, where both share the processor's
//    state (Artillery: platform/local/index.ts, core/runner.ts). Loaded only for scripts that have them.

/**
 * @param {Script} script prepared
 * @param {string} testRunId
 * @param {Pick<Services, 'tokens' | 'tokenPlaces' | 'warn' | 'learn'>} services
 * @returns {(flow: 'before' | 'after', variables?: Variables) => Promise<Variables>}
 *   runs a flow and returns its variables; rejects with the error that ended it
 */
function createScriptFlows(script, testRunId, services) {
  /** @type {ReturnType<typeof loadFlows> | null} */
  let loaded = null;
  return async (flow, variables = {}) => {
    const scenario = script[flow];
    if (!scenario) return {};
    loaded ??= loadFlows(structuredClone(script), testRunId, services);
    const { compile, createContexts } = await loaded;
    const run = compile(scenario);
    const context = createContexts(variables).create(scenario);
    return new Promise((resolve, reject) => {
      run(context, (error, ended) => (error ? reject(error) : resolve((ended ?? context).vars)));
    });
  };
}

/**
 * @param {Script} script
 * @param {string} testRunId
 * @param {Parameters<typeof createScriptFlows>[2]} services
 */
async function loadFlows(script, testRunId, services) {
  const [{ prepareEngine }, { createSecondRecorder }] = await Promise.all([
    import('./prepare-worker.js'),
    import('../metrics/second-recorder.js'),
  ]);
  return prepareEngine(
    { script, testRunId },
    {
      // Requests of these flows are not part of the load.
      recorder: createSecondRecorder(() => {}),
      samples: { wants: () => false, add() {} },
      sockets: { open: 0 },
      ...services,
    },
  );
}
