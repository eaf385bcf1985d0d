/** Reads large recordings in a thread of its own, so that the load can be summed up meanwhile. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { startReadingThread } from '../../base/process/reading-thread.js';
import { readRawSegments } from './read-raw.js';
import { readSamples } from './read-samples.js';

/** @import { Profile } from './profile.d.ts' */

const READERS = { raw: readRawSegments, samples: readSamples };

/** @typedef {typeof READERS} Readers */

/**
 * As `readRawSegments` or `readSamples`; starting the thread takes about 50 ms.
 * @template {keyof Readers} Name
 * @param {Name} reader
 * @param {Parameters<Readers[Name]>} request
 * @returns {Promise<Profile>}
 */
export function readInThread(reader, ...request) {
  return new Promise((resolve, reject) => {
    const worker = startReadingThread(import.meta.url, { reader, request });
    worker.once('message', profile => resolve(Object.freeze(profile)));
    worker.once('error', reject);
    worker.once('exit', code => reject(new Error(`the thread that reads ended with ${code}`)));
  });
}

if (!isMainThread && workerData?.request && parentPort) {
  const read = READERS[/** @type {keyof Readers} */ (workerData.reader)];
  parentPort.postMessage(await read(.../** @type {[any]} */ (workerData.request)));
}
