/** Groups of processes that a user named: found again at every sample, because processes come and go. */
import {
  createMainFinder,
  keyOf,
  listAncestors,
  listFamily,
  takeSnapshot,
} from './find-main-processes.js';

/** @import { ProcessStat } from '../../process/process-table.js' */
/** @import { Selector, Snapshot } from './find-main-processes.js' */

/**
 * @typedef {object} RecordedGroup
 * @property {string} name
 * @property {Selector} selector its main processes
 * @property {'all' | 'children' | 'main'} members main processes and all below them; only those; or only these
 */

/**
 * @typedef {object} GroupSample
 * @property {{stat: ProcessStat, role: string}[]} processes each in one group only, the first that it is in.
 *   CPU time counts from the start of the process, or from when it was found if that was later.
 * @property {{name: string, processes: number, unseenCpuMs: number}[]} groups
 */

/**
 * @param {RecordedGroup[]} groups
 * @throws {SyntaxError} a regular expression that is none
 */
export function createGroupWatch(groups) {
  const watched = groups.map(({ name, selector, members }) => ({
    name,
    members,
    findMains: createMainFinder(selector),
    countUnseen: createUnseenCounter(),
  }));
  /** Processes of the last sample, and what they had used when they were found. @type {Map<string, number> | null} */
  let known = null;
  /** Of all processes: who was not there was born since. @type {Set<string>} */
  let before = new Set();

  return {
    /**
     * @param {object} others
     * @param {Iterable<number>} others.recorded processes that are recorded already
     * @param {Iterable<number>} others.ours loadflame's own, with all below them
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
        const unseenMs = countUnseen(family, snapshot, taken);
        const living = family.filter(
          stat =>
            stat.state !== 'Z' &&
            !taken.has(stat.pid) &&
            isMember(members, mains.includes(stat.pid)),
        );
        for (const stat of living) {
          taken.add(stat.pid);
          const key = keyOf(stat);
          const isFoundLate = known !== null && before.has(key);
          const usedMs = known?.get(key) ?? (isFoundLate ? stat.cpuMs : 0);
          now.set(key, usedMs);
          result.processes.push({ stat: { ...stat, cpuMs: stat.cpuMs - usedMs }, role: name });
        }
        const unseenCpuMs = members === 'main' ? 0 : unseenMs;
        result.groups.push({ name, processes: living.length, unseenCpuMs });
      }
      known = now;
      before = new Set([...snapshot.byPid.values()].map(keyOf));
      return result;
    },
  };
}

/** @param {RecordedGroup['members']} members @param {boolean} isMain */
function isMember(members, isMain) {
  return members === 'all' || isMain === (members === 'main');
}

/**
 * Ourselves and those above us (whose command lines name what is measured), and what we run to measure;
 * not what else is below us: a study starts the services that it measures.
 * @param {Snapshot} snapshot @param {Iterable<number>} ours
 */
function listOwn(snapshot, ours) {
  const below = listFamily(
    snapshot,
    [...ours].filter(pid => pid !== process.pid),
  );
  return new Set([
    process.pid,
    ...listAncestors(snapshot, process.pid),
    ...below.map(({ pid }) => pid),
  ]);
}

// -- The CPU time of children that no sample shows: of those that came and went between two samples, and
//    what others used between their last sample and their end. A parent that waits for a child is told all
//    that the child used (`childCpuMs`); what samples have shown of it before is taken off.

/**
 * @returns {(family: ProcessStat[], snapshot: Snapshot, claimed: ReadonlySet<number>) => number}
 *   to be called at each sample with all processes of a group; ms since the first call, never falling.
 *   What parents that are `claimed` (recorded elsewhere) are told is not counted.
 */
function createUnseenCounter() {
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
      const reportedMs = stat.childCpuMs - (last?.childCpuMs ?? 0);
      unseenMs += Math.max(0, reportedMs - (shown.get(stat.pid) ?? 0));
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
