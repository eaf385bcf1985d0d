/** Manages the workers of the generator, in the main thread. */
import { Worker } from 'node:worker_threads';

/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { FromWorker, ToWorker, WorkerData } from './worker.js' */

/** Time for the workers' plugins to end, and for last records. */
const LAST_WORDS_MS = 8000;

/**
 * Starts the workers and waits until each is ready to run.
 * @param {WorkerData[]} datas one per worker
 * @param {(message: FromWorker, worker: number) => void} onMessage
 * @param {Redactor | null} redactor of this thread, to run the only worker in it; null: each has its own thread
 * @returns {Promise<WorkerPool>}
 * @throws {Error} if a worker can't start: a processor or an engine can't be loaded, …
 */
export async function startWorkers(datas, onMessage, redactor) {
  const workers = datas.map((data, index) =>
    startWorker(data, message => onMessage(message, index), redactor),
  );
  /** @param {ToWorker} message */
  const broadcast = message => {
    for (const { host } of workers) host.post(message);
  };
  // Without one worker, the rest is not the requested load.
  for (const { ended } of workers) void ended.then(error => error && broadcast({ kind: 'stop' }));
  const ended = Promise.all(workers.map(worker => worker.ended)).then(
    errors => errors.find(error => error !== null) ?? null,
  );
  const endAll = () => Promise.all(workers.map(({ host }) => host.end()));
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
 * @property {Promise<Error | null>} ended when all have ended; the error that ended one of them
 * @property {() => Promise<void>} stop
 */

/**
 * The place where a worker runs.
 * @typedef {object} Host
 * @property {(message: ToWorker) => void} post
 * @property {() => unknown} end ends it immediately
 */

/**
 * @param {WorkerData} data
 * @param {(message: FromWorker) => void} onMessage
 * @param {Redactor | null} redactor
 */
function startWorker(data, onMessage, redactor) {
  /** @type {PromiseWithResolvers<void>} */
  const ready = Promise.withResolvers();
  /** @type {PromiseWithResolvers<Error | null>} */
  const ended = Promise.withResolvers();
  const fail = (/** @type {Error} */ error) => {
    ready.reject(error);
    ended.resolve(error);
  };
  const endEarly = () => fail(new Error('a worker ended before its work was done'));
  const take = (/** @type {FromWorker} */ message) => {
    if (message.kind === 'ready') ready.resolve();
    else if (message.kind === 'failed') fail(new Error(message.message));
    else if (message.kind === 'bye') ended.resolve(null);
    else onMessage(message);
    // Timers of hooks would keep the thread alive.
    if (message.kind === 'failed' || message.kind === 'bye') void host.end();
  };
  /** @type {Host} */
  const host = redactor ? startHere() : startThread();
  ready.promise.catch(() => {});
  return { host, ready: ready.promise, ended: ended.promise };

  function startThread() {
    const thread = new Worker(new URL('./worker-thread.js', import.meta.url), { workerData: data });
    thread.on('message', take);
    thread.once('error', fail);
    thread.once('exit', endEarly);
    return {
      post: (/** @type {ToWorker} */ message) => thread.postMessage(message),
      end: () => thread.terminate(),
    };
  }

  /** Runs the worker in this thread: only then is the engine loaded here. */
  function startHere() {
    const own = /** @type {Redactor} */ (redactor);
    const worker = import('./worker.js').then(({ createWorker }) =>
      createWorker(data, { tell: take, redactor: own }),
    );
    const run = async () => (await worker).run();
    run().then(
      () => take({ kind: 'bye' }),
      error => fail(new Error(own.redactText(String(error.message)))),
    );
    return {
      post: async (/** @type {ToWorker} */ message) => (await worker).take(message),
      end: endEarly,
    };
  }
}
