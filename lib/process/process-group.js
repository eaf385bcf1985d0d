/** A process group that we started, for as long as its number is its own. */
import { listProcesses, readStartTicks } from './process-table.js';

/**
 * @typedef {object} ProcessGroup
 * @property {number} pid of its leader, which is the group's number, too
 * @property {Record<string, number>} seen pid → start time, of all that were seen in it
 * @property {boolean} isLed its leader lived when it was last read
 */

/** @param {number} pid of a leader that was started just now @returns {ProcessGroup} */
export function trackGroup(pid) {
  return { pid, seen: { [pid]: readStartTicks(pid) ?? 0 }, isLed: true };
}

/**
 * Who is in it, zombies too. The kernel gives its number to no other group while there is one, so it is ours while
 * a process lives that was seen in it. To be asked when the leader ends: what that leaves is ours, too, as long as
 * no other leader has its number.
 * @param {ProcessGroup} group is kept up to date
 * @param {import('./process-table.js').ProcessStat[]} [processes] all that there are
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
 * @returns {boolean} false: none is left
 */
export function signalGroup(group, signal) {
  if (process.platform === 'linux' && listGroup(group).length === 0) return false;
  try {
    return process.kill(-group.pid, signal);
  } catch {
    return false;
  }
}
