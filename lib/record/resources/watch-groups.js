/** Groups of processes that a user named: found again at every sample, because processes come and go. */
import { createUnseenCounter } from './count-unseen-cpu.js';
import { createMainFinder } from './find-main-processes.js';
import { keyOf, listAncestors, listFamily, takeSnapshot } from './take-snapshot.js';

/** @typedef {import('../../process-table.js').ProcessStat} ProcessStat */

/**
 * @typedef {object} RecordedGroup
 * @property {string} name
 * @property {import('./find-main-processes.js').Selector} selector its main processes
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
 * @param {import('./take-snapshot.js').Snapshot} snapshot @param {Iterable<number>} ours
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
