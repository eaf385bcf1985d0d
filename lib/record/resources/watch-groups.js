/** Samples the process groups that a user named. Searches for them at every sample, because processes start and end. */
import { addTo } from '../../base/files/maps.js';
import {
  createMainFinder,
  keyOf,
  listAncestors,
  listFamily,
  sameAs,
  takeSnapshot,
} from './find-main-processes.js';

/** @import { ProcessStat } from '../../base/process/process-table.js' */
/** @import { Selector, Snapshot } from './find-main-processes.js' */

/**
 * @typedef {object} RecordedGroup
 * @property {string} name
 * @property {Selector} selector its main processes
 * @property {'all' | 'children' | 'main'} members main processes and descendants; only descendants; only main processes
 */

/**
 * @typedef {object} GroupSample
 * @property {{stat: ProcessStat, role: string}[]} processes each only in the first group that it belongs to.
 *   CPU time counts from the start of the process, or from the sample before it was found if that was later.
 * @property {{name: string, processes: number, unseenCpuMs: number}[]} groups
 */

/**
 * @param {RecordedGroup[]} groups
 * @throws {SyntaxError} for an invalid regular expression
 */
export function createGroupWatch(groups) {
  const watched = groups.map(({ name, selector, members }) => ({
    name,
    members,
    findMains: createMainFinder(selector),
    countUnseen: createUnseenCounter(),
  }));
  /** Processes of the last sample → CPU time that they had used when found. @type {Map<string, number> | null} */
  let known = null;
  /** CPU time of all processes of the last sample: others have started since. @type {Map<string, number>} */
  let before = new Map();

  return {
    /**
     * @param {object} others
     * @param {Iterable<number>} others.recorded processes that are recorded already
     * @param {Iterable<number>} others.ours loadflame's own; their descendants are excluded, too
     * @returns {GroupSample}
     */
    sample({ recorded, ours }) {
      const snapshot = takeSnapshot();
      const own = listOwn(snapshot, ours);
      const taken = new Set(recorded);
      /** @type {Map<string, number>} */
      const now = new Map();
      /** @type {GroupSample} */
      const result = { processes: [], groups: [] };
      for (const { name, members, findMains, countUnseen } of watched) {
        const mains = findMains(snapshot).filter(pid => !own.has(pid));
        const family = listFamily(snapshot, mains, own);
        // The main processes of `children` may be recorded elsewhere, but not what they waited for.
        const claimed =
          members === 'children' ? new Set([...taken].filter(pid => !mains.includes(pid))) : taken;
        const unseenMs = countUnseen(family, snapshot, claimed);
        const living = family
          .filter(({ state, pid }) => state !== 'Z' && !taken.has(pid))
          .filter(({ pid }) => members === 'all' || mains.includes(pid) === (members === 'main'));
        for (const stat of living) {
          taken.add(stat.pid);
          const key = keyOf(stat);
          const usedMs = known?.get(key) ?? before.get(key) ?? 0;
          now.set(key, usedMs);
          result.processes.push({ stat: { ...stat, cpuMs: stat.cpuMs - usedMs }, role: name });
        }
        const unseenCpuMs = members === 'main' ? 0 : unseenMs;
        result.groups.push({ name, processes: living.length, unseenCpuMs });
      }
      known = now;
      before = new Map([...snapshot.byPid.values()].map(stat => [keyOf(stat), stat.cpuMs]));
      return result;
    },
  };
}

/**
 * This process, its ancestors (their command lines name what is measured), and the processes that we run to measure;
 * no other descendants: a study starts the services that it measures.
 * @param {Snapshot} snapshot @param {Iterable<number>} ours
 */
function listOwn(snapshot, ours) {
  const others = [...ours].filter(pid => pid !== process.pid);
  const below = listFamily(snapshot, others).map(({ pid }) => pid);
  return new Set([process.pid, ...listAncestors(snapshot, process.pid), ...below]);
}

// -- The CPU time of children that no sample shows: of those that started and ended between two samples, and what
//    others used between their last sample and their end. When a parent waits for a child, its `childCpuMs` grows by
//    all that the child used; the part that samples have shown before is subtracted.

/**
 * @returns {(family: ProcessStat[], snapshot: Snapshot, claimed: ReadonlySet<number>) => number}
 *   call it at each sample with all processes of a group; returns ms since the first call, which never decrease.
 *   Children of `claimed` parents (recorded elsewhere) are not counted.
 */
function createUnseenCounter() {
  /** The last sample of each process. @type {Map<number, ProcessStat> | null} */
  let before = null;
  let unseenMs = 0;
  return (family, { byPid }, claimed) => {
    const earlier = before;
    /** @type {Map<number, ProcessStat>} */
    const now = new Map();
    for (const stat of family) {
      const last = sameAs(stat, earlier?.get(stat.pid));
      // A zombie is not sampled: what it used since its last sample is known once its parent has waited.
      if (stat.state === 'Z') now.set(stat.pid, last ?? { ...stat, cpuMs: 0, childCpuMs: 0 });
      else now.set(stat.pid, stat);
    }
    before = now;
    if (!earlier) return 0;
    const shown = sumVanished(earlier, byPid);
    for (const stat of family) {
      if (stat.state === 'Z' || claimed.has(stat.pid)) continue;
      const last = sameAs(stat, earlier.get(stat.pid));
      // A process found late that is older than the last sample may have had children long ago.
      if (!last && !earlier.has(stat.ppid)) continue;
      const reportedMs = stat.childCpuMs - (last?.childCpuMs ?? 0);
      unseenMs += Math.max(0, reportedMs - (shown.get(stat.pid) ?? 0));
    }
    return unseenMs;
  };
}

/**
 * The sampled CPU time of processes that are gone, summed by their nearest ancestor that is not.
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
    if (heir) addTo(sums, heir.pid, stat.cpuMs + stat.childCpuMs);
  }
  return sums;
}
