/** What happens in every second: who asks for what, who serves it, what it costs. */
import { toShares } from './defaults.js';
import { WORKS } from './works.js';

/** @typedef {import('./defaults.js').CompleteSpec} CompleteSpec */

/** A core or a pool of threads is never used up to the last bit. */
const FULL = 0.97;

/**
 * @typedef {object} Second
 * @property {number} fromMs
 * @property {number} users at work
 * @property {boolean} isSaturated more is wanted than can be done
 * @property {number[][]} requests per endpoint, per worker; of the first backend only where there are several
 * @property {number[]} elsewhere per endpoint, requests of other backends
 * @property {number[]} latencyMs per endpoint, median
 * @property {number[][][]} cpuMs per worker, per endpoint, per work of it
 * @property {number[]} workerMs CPU per worker, background work included
 */

/**
 * Wanted rates meet what CPU and threads allow. Below, latency grows as in a queue; above, it follows
 * from Little's law: all users wait.
 * @param {CompleteSpec} spec
 * @returns {Second[]}
 */
export function simulate(spec) {
  const { random, endpoints, workers } = spec;
  const backendShares = toShares(
    spec.backends.length > 0 ? spec.backends.map(({ weight }) => weight) : [1],
  );
  const first = backendShares[0] ?? 1;
  const limits = findLimits(spec);
  const users =
    spec.users ?? Math.max(2, Math.ceil((2.5 * limits.ratePerSec * limits.serviceMs) / 1000));
  /** @type {Second[]} */
  const seconds = [];
  /** @type {number[][][]} per worker, endpoint, work */
  let blocks = [];
  for (const [at, factor] of listFactors(spec).entries()) {
    if (at % 5 === 0) {
      blocks = Array.from({ length: workers }, () =>
        endpoints.map(({ works }) => works.map(() => random.factor(spec.blockSigma))),
      );
    }
    const wanted = limits.ratePerSec * factor;
    const done = Math.min(wanted, limits.capacityPerSec);
    const slowdown = slowDown({ wanted, done, users, ...limits });
    const counts = endpoints.map(endpoint =>
      random.poisson((endpoint.ratePerSec * factor * done) / wanted),
    );
    const here = counts.map(count => (first < 1 ? random.binomial(count, first) : count));
    const requests = here.map(count => random.divide(count, spec.workerShares));
    const cpuMs = Array.from({ length: workers }, (_, worker) =>
      endpoints.map(({ works }, e) => {
        const n = requests[e]?.[worker] ?? 0;
        const noise =
          n > 0 ? Math.max(0, 1 + (random.normal() * spec.cpuSpread) / Math.sqrt(n)) : 0;
        return works.map(({ ms }, k) => n * ms * noise * (blocks[worker]?.[e]?.[k] ?? 1));
      }),
    );
    seconds.push({
      fromMs: spec.startMs + at * 1000,
      users,
      isSaturated: wanted > limits.capacityPerSec,
      requests,
      elsewhere: counts.map((count, e) => count - (here[e] ?? 0)),
      latencyMs: endpoints.map(endpoint => medianOf(endpoint, spec, slowdown)),
      cpuMs,
      workerMs: cpuMs.map(
        perEndpoint => sum(perEndpoint.map(sum)) + sum(spec.background.map(([, ms]) => ms)),
      ),
    });
  }
  return seconds;
}

/**
 * What CPU and threads allow, at the mix of requests that is wanted.
 * @param {CompleteSpec} spec
 */
export function findLimits(spec) {
  const ratePerSec = sum(spec.endpoints.map(endpoint => endpoint.ratePerSec));
  const mean = (/** @type {(endpoint: CompleteSpec['endpoints'][number]) => number} */ of) =>
    sum(spec.endpoints.map(endpoint => of(endpoint) * endpoint.ratePerSec)) / ratePerSec;
  const cpuMs = mean(({ cpuSumMs }) => cpuSumMs);
  const serviceMs = mean(({ cpuSumMs, waitSumMs }) => cpuSumMs + waitSumMs);
  const background = sum(spec.background.map(([, ms]) => ms));
  const fullest = Math.max(...spec.workerShares);
  const backends = spec.backends.map(({ weight }) => weight);
  const first = backends.length > 0 ? (toShares(backends)[0] ?? 1) : 1;
  // The fullest worker decides: its share of the requests does not shrink because it is full.
  const share = fullest * first;
  const byCpu = (FULL * 1000 * spec.coresPerWorker - background) / cpuMs / share;
  const bySlots = (FULL * 1000 * spec.threads) / serviceMs / share;
  return {
    ratePerSec,
    cpuMs,
    serviceMs,
    share,
    byCpu,
    bySlots,
    capacityPerSec: Math.min(byCpu, bySlots),
    highestFactor: Math.max(...spec.phases.flatMap(({ factor, toFactor }) => [factor, toFactor])),
  };
}

/** How many times the service time an answer takes. @param {{wanted: number, done: number, users: number, serviceMs: number, capacityPerSec: number}} state */
function slowDown({ wanted, done, users, serviceMs, capacityPerSec }) {
  const most = Math.max(1, ((0.95 * users) / done / serviceMs) * 1000);
  if (wanted > capacityPerSec) return most;
  const busy = wanted / capacityPerSec;
  return Math.min(most, 1 + (0.5 * busy ** 2) / Math.max(0.01, 1 - busy));
}

/** @param {CompleteSpec['endpoints'][number]} endpoint @param {CompleteSpec} spec @param {number} slowdown */
function medianOf({ latencyMs, cpuSumMs, waitSumMs }, spec, slowdown) {
  if (latencyMs) return latencyMs.median * spec.latencyFactor;
  // the mean of a log-normal distribution is above its median
  const mean = (cpuSumMs + waitSumMs + 0.5) * slowdown * spec.latencyFactor;
  return mean * Math.exp(-(spec.latencySigma ** 2) / 2);
}

/** Of each second. @param {CompleteSpec} spec */
function listFactors({ phases }) {
  return phases.flatMap(({ durationSec, factor, toFactor }) =>
    Array.from(
      { length: durationSec },
      (_, i) => factor + ((toFactor - factor) * (i + 0.5)) / durationSec,
    ),
  );
}

/** @param {string} work */
export function workOf(work) {
  const found = WORKS[work];
  if (!found) throw new Error(`There is no work ${work}: ${Object.keys(WORKS).join(', ')}`);
  return found;
}

/** @param {number[]} numbers */
export function sum(numbers) {
  return numbers.reduce((total, n) => total + n, 0);
}
