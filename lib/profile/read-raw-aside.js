/** Reads large recordings in a thread of its own, so that the load can be summed up meanwhile. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readRawSegments } from './read-raw.js';

/** @import { Profile } from './profile.d.ts' */

/** @typedef {Parameters<typeof readRawSegments>} Request */

/** All that it makes of a line is garbage at once. */
const YOUNG_HEAP_MB = 8;

/**
 * As `readRawSegments`; starting the thread takes about 50 ms.
 * @param {Request} request
 * @returns {Promise<Profile>}
 */
export function readRawSegmentsAside(...request) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { request },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    });
    worker.once('message', profile => resolve(Object.freeze(profile)));
    worker.once('error', reject);
    worker.once('exit', code => reject(new Error(`the thread that reads ended with ${code}`)));
  });
}

if (!isMainThread && workerData?.request && parentPort)
  parentPort.postMessage(await readRawSegments(.../** @type {Request} */ (workerData.request)));
