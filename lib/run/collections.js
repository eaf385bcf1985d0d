/** Garbage collections, as the companion reports them. */

/** @import { Collections } from './facts/records.d.ts' */

/**
 * Adds collections to others. The first version of Python stays; of the objects, the most.
 * @param {Collections | undefined} known @param {Collections} own
 * @returns {Collections}
 */
export function addCollections(known, own) {
  const sums = known ?? { python: own.python, objects: 0, sums: {} };
  sums.objects = Math.max(sums.objects, own.objects);
  for (const [key, { count, cpuUs, longestUs }] of Object.entries(own.sums)) {
    const of = sums.sums[key] ?? { count: 0, cpuUs: 0, longestUs: 0 };
    sums.sums[key] = {
      count: of.count + count,
      cpuUs: of.cpuUs + cpuUs,
      longestUs: Math.max(of.longestUs, longestUs),
    };
  }
  return sums;
}
