/** What holds for each row of the resources of a run, whatever limits it. */

/** @import { Resource } from '../../lib/run/facts/bottleneck.d.ts' */

/** Two measurements of one thing differ by less. */
const MEASURED_TWICE = 1.1;

/**
 * In use is at most the capacity, the throughput at most "at most", and utilisation × capacity is what is in use.
 * @param {Resource[]} rows @param {number | null} perSec throughput
 * @returns {string[]} the rows for which one of these does not hold
 */
export function findBrokenRows(rows, perSec) {
  const broken = rows.filter(({ capacity, inUse, utilisation, queue, mostPerSec }) => {
    const used = inUse ?? 0;
    const isUsed =
      utilisation === null || Math.abs(utilisation * (capacity ?? Infinity) - used) <= 1e-9 * used;
    const isPossible = used >= 0 && used <= (capacity ?? Infinity) && (queue ?? 0) >= 0;
    return !(isUsed && isPossible && (perSec ?? 0) <= (mostPerSec ?? Infinity) * MEASURED_TWICE);
  });
  return broken.map(row => JSON.stringify(row));
}
