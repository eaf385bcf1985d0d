/** What the rules of the limit judge by, gathered from the report. */
import { measurePressure } from './pressure.js';
import { isUneven } from './uneven.js';

/** @typedef {import('../report.d.ts').Report} Report */

/**
 * @typedef {Pick<Report, 'run' | 'load' | 'profile'> & {balance?: Report['balance'],
 *   throttling?: Pick<import('../throttling.js').Throttling, 'target'>}} LimitInput
 */

/**
 * @typedef {object} LimitFacts
 * @property {import('../report.d.ts').GeneratorSign | null} sign why the generator was the limit
 * @property {import('./pressure.js').Pressure} pressure
 * @property {{count: number, mean: number, max: number, min: number, threads: number | null} | null} workers
 *   cores in use of each; null where their CPU time is not known
 * @property {{cores: number, cpus: number} | null} host in use, all processes
 * @property {number | null} quotaCores that a container may use, when it was held back at it
 * @property {NonNullable<Report['profile']>['waits']} waits
 * @property {import('../costs.d.ts').BalanceGroup | null} unevenBackends
 */

/** @param {LimitInput & {load: NonNullable<Report['load']>}} input @returns {LimitFacts} */
export function gatherLimitFacts({ run, load, profile, balance, throttling }) {
  const hostCores = profile?.cpu.hostCores ?? null;
  const quota = throttling?.target ?? null;
  return {
    sign: load.generator?.signs.find(({ isLimit }) => isLimit) ?? null,
    pressure: measurePressure(load),
    workers: profile && countCores(profile),
    host: hostCores === null || !run.host ? null : { cores: hostCores, cpus: run.host.cpus },
    quotaCores: quota && quota.share >= THROTTLED ? quota.quotaCores : null,
    waits: profile?.waits ?? null,
    unevenBackends: balance?.backends && isUneven(balance.backends) ? balance.backends : null,
  };
}

/** Share of its periods in which a container was held back. */
const THROTTLED = 0.25;

/** @param {NonNullable<Report['profile']>} profile @returns {LimitFacts['workers']} */
function countCores({ workers, waits }) {
  const cores = workers.flatMap(worker => worker.cores ?? []);
  if (cores.length === 0) return null;
  const slots = waits?.slots ?? null;
  return {
    count: cores.length,
    mean: cores.reduce((sum, n) => sum + n, 0) / cores.length,
    max: Math.max(...cores),
    min: Math.min(...cores),
    threads: slots === null ? null : Math.round(slots / cores.length),
  };
}
