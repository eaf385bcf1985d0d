import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * @typedef {object} Seconds
 * @property {Map<number, number>} requests by the second's start, all workers together
 * @property {Map<number, Set<number>>} watched seconds of which each worker has told how it was itself
 * @property {number} phaseStartMs
 * @property {number} phaseEndMs
 * @property {number | null} aggregate requests as the generator has told at its end
 */

/** @param {string} file `load/metrics.ndjson` @returns {Promise<Seconds>} */
export async function readSeconds(file) {
  /** @type {Seconds} */
  const seconds = {
    requests: new Map(),
    watched: new Map(),
    phaseStartMs: Number.NaN,
    phaseEndMs: Number.NaN,
    aggregate: null,
  };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const record = JSON.parse(line);
    const { kind, fromMs, counters = {} } = record;
    if (kind === 'second') {
      const before = seconds.requests.get(fromMs) ?? 0;
      seconds.requests.set(fromMs, before + (counters['http.requests'] ?? 0));
    } else if (kind === 'generator') {
      const starts = seconds.watched.get(record.worker) ?? new Set();
      seconds.watched.set(record.worker, starts.add(Math.floor(fromMs / 1000) * 1000));
    } else if (kind === 'phase-start') seconds.phaseStartMs = record.t;
    else if (kind === 'phase-end') seconds.phaseEndMs = record.t;
    else if (kind === 'load-end') seconds.aggregate = counters['http.requests'] ?? null;
  }
  return seconds;
}
