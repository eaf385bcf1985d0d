/** Reads large recordings in a thread of its own, so that the load can be summed up meanwhile. */
import { answerJobs, runInThread } from '../../base/process/reading-thread.js';
import { readRawSegments } from './read-raw.js';
import { readSamples } from './read-samples.js';

/** @import { Profile } from './profile.d.ts' */

const READERS = { raw: readRawSegments, samples: readSamples };

/** @typedef {typeof READERS} Readers */

/**
 * As `readRawSegments` or `readSamples`.
 * @template {keyof Readers} Name
 * @param {Name} reader
 * @param {Parameters<Readers[Name]>} request
 * @returns {Promise<Profile>}
 */
export async function readInThread(reader, ...request) {
  return Object.freeze(await runInThread(import.meta.url, { reader, request }));
}

answerJobs(import.meta.url, ({ reader, request }) =>
  READERS[/** @type {keyof Readers} */ (reader)](.../** @type {[any]} */ (request)),
);
