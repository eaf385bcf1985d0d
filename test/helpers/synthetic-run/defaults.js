/** A spec with everything in it that was left out. */
import { createRandom } from './random.js';

/** @typedef {import('./synthetic-run.d.ts').SyntheticSpec} SyntheticSpec */
/** @typedef {import('./synthetic-run.d.ts').SyntheticEndpoint} SyntheticEndpoint */

/** Two endpoints of a small API: 10 ms of CPU each, 40 % of it in auth. @type {SyntheticEndpoint[]} */
const ENDPOINTS = [
  {
    name: 'GET /api/v1/services/',
    view: 'list_services',
    file: 'queue_management/resources/lookups.py',
    ratePerSec: 20,
    cpuMs: { 'auth:local': 4, business: 3, 'database:execute': 2, serialization: 1 },
  },
  {
    name: 'GET /api/v1/citizens/',
    view: 'list_citizens',
    file: 'queue_management/resources/citizens.py',
    ratePerSec: 10,
    cpuMs: { 'auth:local': 4, business: 1, 'database:load': 4, serialization: 1 },
  },
];

/**
 * @param {SyntheticSpec} spec
 * @throws {Error} a start that is no whole second, no endpoints
 */
export function completeSpec(spec) {
  const seed = spec.seed ?? 1;
  const random = createRandom(seed);
  const startMs = spec.startMs ?? 1_795_211_100_000;
  if (startMs % 1000 !== 0) throw new Error(`startMs ${startMs} is not a whole second`);
  const workers = spec.workers ?? 2;
  const cpuOfRun = random.factor(spec.betweenRuns?.cpuSigma ?? 0);
  const latencyOfRun = random.factor(spec.betweenRuns?.latencySigma ?? 0);
  const { cpuFactor = 1 } = spec;
  const factorOf = (/** @type {string} */ work) =>
    cpuOfRun * (typeof cpuFactor === 'number' ? cpuFactor : (cpuFactor[work] ?? 1));
  const endpoints = (spec.endpoints ?? ENDPOINTS).map(endpoint => {
    const cpuMs = Object.entries(endpoint.cpuMs).map(([work, ms]) => ({
      work,
      ms: ms * factorOf(work),
    }));
    return {
      ...endpoint,
      view: endpoint.view ?? nameView(endpoint.name),
      file: endpoint.file ?? 'queue_management/resources/views.py',
      works: cpuMs,
      cpuSumMs: cpuMs.reduce((sum, { ms }) => sum + ms, 0),
      waitSumMs: Object.values(endpoint.waitMs ?? {}).reduce((sum, ms) => sum + ms, 0),
      errorShare: endpoint.errorShare ?? 0,
      status: endpoint.status ?? 500,
    };
  });
  return {
    ...spec,
    seed,
    random,
    id: spec.id ?? `20261121-000000-synthetic-${seed}`,
    startMs,
    phases: (spec.phases ?? [{ name: 'sustained', durationSec: spec.durationSec ?? 60 }]).map(
      ({ name, durationSec, factor = 1, toFactor = factor }) => ({
        name,
        durationSec,
        factor,
        toFactor,
      }),
    ),
    model: spec.model ?? 'closed',
    endpoints,
    workers,
    threads: spec.threads ?? 4,
    workerShares: toShares(spec.workerWeights ?? new Array(workers).fill(1)),
    backends: spec.backends ?? [],
    coresPerWorker: spec.coresPerWorker ?? 1,
    companion: spec.companion ?? false,
    profile: spec.profile ?? true,
    waits: spec.waits ?? true,
    rateHz: spec.rateHz ?? 50,
    segmentMs: spec.segmentMs ?? 5000,
    samplesPerCpu: spec.samplesPerCpu ?? 1,
    variants: spec.variants ?? 2,
    background: Object.entries(spec.background ?? {}),
    cpuSpread: spec.cpuSpread ?? 0.5,
    latencySigma: spec.latencySigma ?? 0.35,
    latencyFactor: latencyOfRun * (spec.latencyFactor ?? 1),
    blockSigma: spec.blockSigma ?? 0,
    memory: { startBytes: 80e6, bytesPerSec: 0, ...spec.memory },
    errorBursts: spec.errorBursts ?? [],
    restarts: spec.restarts ?? [],
    generator: {
      workers: 1,
      utilization: 0.2,
      delayP99Ms: 2,
      lagMs: 0.6,
      skippedPerSec: 0,
      ...spec.generator,
    },
    cpus: spec.cpus ?? 8,
    otherCores: spec.otherCores ?? 0.1,
  };
}

/** @typedef {ReturnType<typeof completeSpec>} CompleteSpec */

/** `GET /api/v1/services/:id` → `get_services_id` @param {string} endpoint */
function nameView(endpoint) {
  const words = endpoint
    .toLowerCase()
    .replace('/api/v1', '')
    .match(/[a-z0-9]+/g);
  return (words ?? ['index']).join('_');
}

/** @param {number[]} weights */
export function toShares(weights) {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map(weight => weight / sum);
}
