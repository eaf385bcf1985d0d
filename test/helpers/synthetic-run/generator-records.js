/** The load generator's records of itself. */
import { Sketch } from '../../../lib/base/math/sketch.js';

/** @typedef {import('./defaults.js').CompleteSpec} CompleteSpec */
/** @typedef {import('./simulate.js').Second} Second */

/** @param {CompleteSpec} spec @param {Second} second @param {number} worker */
export function buildGenerator({ generator, model, random }, second, worker) {
  const arrivals = second.requests.flat().reduce((sum, n) => sum + n, 0);
  const lag = new Sketch();
  for (let i = 0; i < Math.min(arrivals, 100); i++)
    lag.accept(generator.lagMs * (0.5 + random.uniform()));
  const delay = generator.delayP99Ms * (0.8 + 0.4 * random.uniform());
  return {
    t: second.fromMs + 1002,
    kind: 'generator',
    fromMs: second.fromMs,
    lengthMs: 1000,
    worker,
    cpuMs: 1000 * (generator.cores ?? generator.utilization) * (0.97 + 0.06 * random.uniform()),
    utilization: Math.min(1, generator.utilization * (0.98 + 0.04 * random.uniform())),
    delayMs: { p50: delay / 10, p99: delay, max: delay * 1.5 },
    ...(model === 'open' && arrivals > 0 && { lagMs: lag.toJson() }),
    arrivals: model === 'open' ? arrivals : 0,
    skipped: generator.skippedPerSec,
    sockets: second.users,
    gcMaxMs: 2,
    rssBytes: 150e6,
  };
}
