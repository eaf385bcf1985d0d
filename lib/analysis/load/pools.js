/** Pools that requests share, as the companion reports them. */
import { countersBelow } from '../../base/math/counters.js';
import { most, sum } from '../../base/math/summary.js';
import { POOLS } from '../../run/pools.js';

/** @import { PoolUse } from '../../run/facts/load-report.d.ts' */

/** Share of all instants. A pool that was known for less was made late, or for one request; or its worker was. */
const LONG_ENOUGH = 0.5;

/** Calls at a pool, mean. @param {PoolUse} pool */
export const countCalls = ({ inUse, waiting }) => (inUse ?? 0) + waiting;

/** @param {Record<string, number>} counters @returns {PoolUse[]} all workers together, the most calls first */
export function buildPools(counters) {
  const instants = countersBelow(counters, POOLS).filter(({ name }) => name.endsWith('.n'));
  const least = LONG_ENOUGH * most([0, ...instants.map(({ count }) => count)]);
  const lasting = instants.filter(({ count }) => count >= least);
  const pools = Map.groupBy(lasting, ({ name }) => name.split('.')[2] ?? '');
  pools.delete('all');
  const uses = [...pools].map(([name, workers]) => {
    const add = (/** @type {string} */ key) =>
      sum(workers.map(one => (counters[POOLS + one.name.replace(/n$/, key)] ?? 0) / one.count));
    const kind = /** @type {PoolUse['kind']} */ (name.replace(/\d$/, ''));
    const capacity = add('size') || null;
    return { kind, capacity, inUse: capacity && add('inUse'), waiting: add('waiting') };
  });
  return uses.sort((a, b) => countCalls(b) - countCalls(a));
}
