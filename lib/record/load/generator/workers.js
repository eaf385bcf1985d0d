/** The worker threads of the generator, as the main thread sees them. */

import { Worker } from 'node:worker_threads';

/** @import { Variables } from '../script.d.ts' */
/** @import { Job } from '../messages.js' */
/** @import { Share } from '../pacing/schedule.js' */
/** @import { WorkerPlan } from './prepare-worker.js' */

/** 4 MB per half of a young generation: 8 give no more requests per CPU-second (five pairs) and cost 7 MB. */
const YOUNG_GENERATION_MB = 12;
/** For plugins of the workers to end, and for last records. */
const LAST_WORDS_MS = 8000;

/**
 * @typedef {object} WorkerData
 * @property {Omit<Job, 'plan'>} job
 * @property {WorkerPlan} plan
 * @property {Share} share
 * @property {boolean} perUrl metrics per URL are wanted
 */

/** @typedef {{kind: 'run', startAtMs: number, variables: Variables}} RunMessage */
/** @typedef {RunMessage | {kind: 'stop'} | {kind: 'tokens', tokens: string[]}} ToWorker */

/**
 * @typedef {{kind: 'ready' | 'bye'}
 *   | {kind: 'failed', message: string}
 *   | {kind: 'phase-start' | 'phase-end', index: number, atMs: number}
 *   | {kind: 'second', record: import('../metrics/periods.js').SecondFields}
 *   | {kind: 'tick', untilMs: number}
 *   | {kind: 'log', args: any[]}
 *   | {kind: 'secrets', secrets: string[]}
 *   | {kind: 'warn' | 'printed', text: string}
 *   | {kind: 'exit-code', code: number}} FromWorker
 */

/**
 * Starts the workers and waits until each is ready to run.
 * @param {WorkerData[]} datas one per worker
 * @param {(message: FromWorker, worker: number) => void} onMessage
 * @returns {Promise<WorkerPool>}
 * @throws {Error} a worker can't be made ready: a processor or an engine that can't be loaded, …
 */
export async function startWorkers(datas, onMessage) {
  const workers = datas.map((data, index) =>
    startWorker(data, message => onMessage(message, index)),
  );
  /** @param {ToWorker} message */
  const broadcast = message => {
    for (const { thread } of workers) thread.postMessage(message);
  };
  // What is left of a load that lost a worker is no load that was asked for.
  for (const { ended } of workers) void ended.then(error => error && broadcast({ kind: 'stop' }));
  const ended = Promise.all(workers.map(worker => worker.ended)).then(
    errors => errors.find(error => error !== null) ?? null,
  );
  const endAll = () => Promise.all(workers.map(({ thread }) => thread.terminate()));
  await Promise.all(workers.map(({ ready }) => ready)).catch(async error => {
    await endAll();
    throw error;
  });
  return {
    broadcast,
    ended,
    async stop() {
      broadcast({ kind: 'stop' });
      const timer = setTimeout(endAll, LAST_WORDS_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * @typedef {object} WorkerPool
 * @property {(message: ToWorker) => void} broadcast
 * @property {Promise<Error | null>} ended all have; with the error that one of them ended by
 * @property {() => Promise<void>} stop
 */

/** @param {WorkerData} data @param {(message: FromWorker) => void} onMessage */
function startWorker(data, onMessage) {
  const thread = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  /** @type {PromiseWithResolvers<void>} */
  const ready = Promise.withResolvers();
  /** @type {PromiseWithResolvers<Error | null>} */
  const ended = Promise.withResolvers();
  const fail = (/** @type {Error} */ error) => {
    ready.reject(error);
    ended.resolve(error);
  };
  thread.on('message', (/** @type {FromWorker} */ message) => {
    if (message.kind === 'ready') ready.resolve();
    else if (message.kind === 'failed') fail(new Error(message.message));
    else if (message.kind === 'bye') ended.resolve(null);
    else onMessage(message);
    // Timers of hooks would keep it.
    if (message.kind === 'failed' || message.kind === 'bye') void thread.terminate();
  });
  thread.once('error', fail);
  thread.once('exit', () => fail(new Error('a worker ended before its work was done')));
  ready.promise.catch(() => {});
  return { thread, ready: ready.promise, ended: ended.promise };
}
