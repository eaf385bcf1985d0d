/**
 * The CPU time of children that no sample shows: of those that came and went between two samples, and
 * what others used between their last sample and their end. A parent that waits for a child is told all
 * that the child used (`childCpuMs`); what samples have shown of it before is taken off.
 */
import { keyOf } from './take-snapshot.js';

/** @typedef {import('../../process-table.js').ProcessStat} ProcessStat */

/**
 * @returns {(family: ProcessStat[], snapshot: import('./take-snapshot.js').Snapshot, claimed: ReadonlySet<number>) => number}
 *   to be called at each sample with all processes of a group; ms since the first call, never falling.
 *   What parents that are `claimed` (recorded elsewhere) are told is not counted.
 */
export function createUnseenCounter() {
  /** Living ones as they were sampled last. @type {Map<number, ProcessStat> | null} */
  let before = null;
  let unseenMs = 0;
  return (family, { byPid }, claimed) => {
    const earlier = before;
    /** @type {Map<number, ProcessStat>} */
    const now = new Map();
    for (const stat of family) {
      const last = sameAs(stat, earlier?.get(stat.pid));
      // A zombie has no samples: what it used since its last one is known when its parent has waited.
      if (stat.state === 'Z') now.set(stat.pid, last ?? { ...stat, cpuMs: 0, childCpuMs: 0 });
      else now.set(stat.pid, stat);
    }
    before = now;
    if (!earlier) return 0;
    const shown = sumVanished(earlier, byPid);
    for (const stat of family) {
      if (stat.state === 'Z' || claimed.has(stat.pid)) continue;
      const last = sameAs(stat, earlier.get(stat.pid));
      // One that was found late, and not born since, may have had children long ago.
      if (!last && !earlier.has(stat.ppid)) continue;
      const toldMs = stat.childCpuMs - (last?.childCpuMs ?? 0);
      unseenMs += Math.max(0, toldMs - (shown.get(stat.pid) ?? 0));
    }
    return unseenMs;
  };
}

/** @param {ProcessStat} stat @param {ProcessStat | undefined} earlier */
function sameAs(stat, earlier) {
  return earlier && keyOf(earlier) === keyOf(stat) ? earlier : undefined;
}

/**
 * What samples have shown of processes that are gone, by the nearest ancestor that is not.
 * @param {Map<number, ProcessStat>} earlier
 * @param {Map<number, ProcessStat>} byPid
 * @returns {Map<number, number>} pid → ms
 */
function sumVanished(earlier, byPid) {
  /** @type {Map<number, number>} */
  const sums = new Map();
  const isGone = (/** @type {ProcessStat} */ stat) => !sameAs(stat, byPid.get(stat.pid));
  for (const stat of earlier.values()) {
    if (!isGone(stat)) continue;
    let heir = earlier.get(stat.ppid);
    while (heir && isGone(heir)) heir = earlier.get(heir.ppid);
    if (heir) sums.set(heir.pid, (sums.get(heir.pid) ?? 0) + stat.cpuMs + stat.childCpuMs);
  }
  return sums;
}
