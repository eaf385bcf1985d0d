import { Worker } from 'node:worker_threads';

/** Nearly everything made from a line of a record is garbage immediately. */
const YOUNG_HEAP_MB = 8;

/** A thread that reads records: with a small heap for young objects. @param {string} module address @param {unknown} workerData */
export const startReadingThread = (module, workerData) =>
  new Worker(new URL(module), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
