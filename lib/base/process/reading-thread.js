import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { LoadflameError } from '../errors.js';

/** Nearly everything made from a line of a record is garbage immediately. */
const YOUNG_HEAP_MB = 8;

/**
 * A thread that reads records: with a small heap for young objects. An error in a job ends it.
 * @template Job, Result
 * @param {string} module address; it calls `answerJobs`
 * @returns {{run: (job: Job, onNote?: (note: any) => void) => Promise<Result>, stop: () => Promise<unknown>}}
 *   `run`: jobs must not overlap
 */
export function startReadingThread(module) {
  const thread = new Worker(new URL(module), {
    workerData: { module },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
  /** @type {PromiseWithResolvers<Result> & {onNote?: (note: any) => void} | null} */
  let asked = null;
  thread.on('message', ({ note, result }) => {
    if (note === undefined) asked?.resolve(result);
    else asked?.onNote?.(note);
  });
  thread.on('error', error => asked?.reject(restoreError(error)));
  thread.on('exit', code => asked?.reject(new Error(`the thread of ${module} ended with ${code}`)));
  return {
    run(job, onNote) {
      asked = { ...Promise.withResolvers(), onNote };
      thread.postMessage(job);
      return asked.promise;
    },
    stop: () => thread.terminate(),
  };
}

/**
 * One job in a thread of its own; starting it takes about 50 ms.
 * @param {string} module
 * @param {any} job
 * @param {(note: any) => void} [onNote]
 * @returns {Promise<any>}
 */
export function runInThread(module, job, onNote) {
  const thread = startReadingThread(module);
  return thread.run(job, onNote).finally(thread.stop);
}

/**
 * In the thread: does the jobs that `startReadingThread` sends.
 * @param {string} module the same address
 * @param {(job: any, note: (note: unknown) => void) => Promise<unknown>} work
 */
export function answerJobs(module, work) {
  if (isMainThread || workerData?.module !== module) return;
  parentPort?.on('message', async job => {
    const result = await work(job, note => parentPort?.postMessage({ note }));
    parentPort?.postMessage({ result });
  });
}

/** Between threads an error loses its class. @param {any} error */
const restoreError = error =>
  error.name === 'LoadflameError' ? new LoadflameError(error.code, error.data, error) : error;
