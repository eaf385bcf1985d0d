/** What runs the report's benchmark builds reports of. */

/**
 * @typedef {object} Size
 * @property {string} name
 * @property {number} minutes of load
 * @property {number} endpoints
 * @property {number} workers
 * @property {number} samples
 * @property {number} stacks distinct ones
 * @property {number} requestsPerSec
 */

/** @type {Size} The one that the limits are about: an hour of everything. */
export const HOUR = {
  name: 'an hour',
  minutes: 60,
  endpoints: 40,
  workers: 8,
  samples: 2_000_000,
  stacks: 50_000,
  requestsPerSec: 100,
};

/** One thing changed at a time, from a size at which all of them are quick. */
const BASE = { ...HOUR, minutes: 15, samples: 250_000, stacks: 12_500 };
/** @type {(Size & {changed: string})[]} */
export const GROWTH = [
  { ...BASE, name: 'base', changed: '' },
  { ...BASE, name: '2 × the stacks', stacks: 25_000, changed: 'stacks' },
  { ...BASE, name: '4 × the stacks', stacks: 50_000, changed: 'stacks' },
  { ...BASE, name: '2 × the time', minutes: 30, changed: 'windows' },
  { ...BASE, name: '4 × the time', minutes: 60, changed: 'windows' },
  { ...BASE, name: '4 × the samples', samples: 1_000_000, changed: 'samples' },
  { ...BASE, name: '10 × the requests', requestsPerSec: 1000, changed: 'requests' },
];

const RATE_HZ = 100;
/** Parts of a request's CPU: those below the view have stacks of their own for each endpoint. */
const WORKS = {
  'auth:introspect': 0.2,
  'auth:tls-context': 0.15,
  business: 0.2,
  'database:execute': 0.15,
  'database:load': 0.15,
  serialization: 0.1,
  framework: 0.05,
};
const COMMON_WORKS = 3;
const OWN_WORKS = Object.keys(WORKS).length - COMMON_WORKS;

/**
 * A synthetic run of a size: CPU per request follows from samples and requests.
 * @param {Size} size
 * @returns {import('../../../test/helpers/synthetic-run/synthetic-run.d.ts').SyntheticSpec}
 */
export function specOf({ minutes, endpoints, workers, samples, stacks, requestsPerSec }) {
  const cpuMsPerSec = (samples / (minutes * 60) / RATE_HZ) * 1000;
  const cpuMs = cpuMsPerSec / requestsPerSec;
  return {
    seed: 7,
    durationSec: minutes * 60,
    workers,
    rateHz: RATE_HZ,
    // eight busy threads may use more than a worker's core for a moment, and that changes nothing here
    coresPerWorker: 4,
    variants: Math.ceil(stacks / (endpoints * OWN_WORKS + COMMON_WORKS)),
    endpoints: Array.from({ length: endpoints }, (_, i) => ({
      name: `GET /api/v1/resource-${i}/:id`,
      view: `get_resource_${i}`,
      file: `queue_management/resources/resource_${i}.py`,
      ratePerSec: requestsPerSec / endpoints,
      cpuMs: Object.fromEntries(
        Object.entries(WORKS).map(([work, share]) => [work, share * cpuMs]),
      ),
      waitMs: { database: 20 },
    })),
  };
}
