import { createRandom } from '../../../lib/base/math/random.js';

/** @import { SyntheticSpec, WaitKind } from './synthetic-run.d.ts' */

/** Some run or other: load, workers, waiting, errors, a generator that is in trouble. @param {number} seed @returns {SyntheticSpec} */
export function drawSpec(seed) {
  const random = createRandom(seed);
  const among = (/** @type {any[]} */ values) => values[Math.floor(random() * values.length)];
  /** @type {WaitKind | null} */
  const wait = among([null, null, 'database', 'external-call', 'lock', 'pool']);
  const cores = among([1, 2, 4]);
  return {
    seed,
    durationSec: 20,
    model: among(['open', 'closed']),
    users: among([2, 8, 30]),
    workers: among([1, 2, 4]),
    threads: among([1, 4]),
    cpus: cores,
    otherCores: among([0, 0, 0.9 * cores]),
    phases: [{ name: 'load', durationSec: 20, factor: among([0.2, 1]), toFactor: 1 }],
    endpoints: [
      {
        name: 'GET /a/',
        ratePerSec: among([5, 40, 150]),
        cpuMs: { business: 4, [among(['auth:introspect', 'auth:local'])]: among([1, 6]) },
        waitMs: wait ? { [wait]: among([20, 200]) } : {},
        errorShare: among([0, 0, 0, 0.02, 0.3, 0.8]),
        status: among([500, 401, 404, 'ETIMEDOUT']),
      },
    ],
    generator: among([{}, {}, { utilization: 0.97 }, { skippedPerSec: 4 }, { delayP99Ms: 60 }]),
  };
}
