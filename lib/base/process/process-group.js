/** A process group that we started, while its number still belongs to it. */

import { tryOr } from '../files/try-or.js';
import { listProcesses, readStartTicks } from './process-table.js';

/**
 * @typedef {object} ProcessGroup
 * @property {number} pid of its leader, and the number of the group
 * @property {Record<string, number>} seen pid → start time of all processes that were seen in it
 * @property {boolean} isLed its leader was alive when last read
 */

/** @param {number} pid of a leader that was just started @returns {ProcessGroup} */
export function trackGroup(pid) {
  return { pid, seen: { [pid]: readStartTicks(pid) ?? 0 }, isLed: true };
}

/**
 * The processes of a group, including zombies. The kernel reuses its number only when the group is empty, so it is ours
 * while it contains a process that was seen in it. Call this when the leader ends: the remaining processes are ours,
 * too, unless there is a new leader with the same number.
 * @param {ProcessGroup} group is updated
 * @param {import('./process-table.js').ProcessStat[]} [processes] all processes
 */
export function listGroup(group, processes = listProcesses()) {
  const members = processes.filter(({ pgid }) => pgid === group.pid);
  const known = members.filter(({ pid, startTicks }) => group.seen[pid] === startTicks);
  const isLeader = (/** @type {{pid: number}} */ { pid }) => pid === group.pid;
  const isOurs = known.length > 0 || (group.isLed && !members.some(isLeader));
  group.isLed &&= known.some(isLeader);
  if (!isOurs) return [];
  for (const { pid, startTicks } of members) group.seen[pid] = startTicks;
  return members;
}

/**
 * @param {ProcessGroup} group
 * @param {NodeJS.Signals | 0} signal
 * @returns {boolean} false if the group is empty
 */
export function signalGroup(group, signal) {
  if (process.platform === 'linux' && listGroup(group).length === 0) return false;
  return tryOr(false, () => process.kill(-group.pid, signal));
}
