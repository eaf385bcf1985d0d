/** All processes at one moment, with who belongs to whom. One look at `/proc` serves all groups. */
import { listProcesses } from '../../process/process-table.js';

/** @import { ProcessStat } from '../../process/process-table.js' */

/**
 * @typedef {object} Snapshot
 * @property {Map<number, ProcessStat>} byPid zombies, too: what they used is told by nobody else yet
 * @property {Map<number, ProcessStat[]>} childrenOf parent → children
 */

/** @returns {Snapshot} */
export function takeSnapshot() {
  const processes = listProcesses();
  return {
    byPid: new Map(processes.map(stat => [stat.pid, stat])),
    childrenOf: Map.groupBy(processes, ({ ppid }) => ppid),
  };
}

/** A pid that is used again is another process. @param {ProcessStat} stat */
export const keyOf = ({ pid, startTicks }) => `${pid} ${startTicks}`;

/**
 * Some processes and all below them.
 * @param {Snapshot} snapshot
 * @param {Iterable<number>} pids
 * @param {ReadonlySet<number>} [except] is not entered
 * @returns {ProcessStat[]}
 */
export function listFamily({ byPid, childrenOf }, pids, except = new Set()) {
  /** @type {Map<number, ProcessStat>} */
  const found = new Map();
  const open = [...pids].flatMap(pid => byPid.get(pid) ?? []);
  for (let stat = open.pop(); stat; stat = open.pop()) {
    if (found.has(stat.pid) || except.has(stat.pid)) continue;
    found.set(stat.pid, stat);
    open.push(...(childrenOf.get(stat.pid) ?? []));
  }
  return [...found.values()];
}

/** @param {Snapshot} snapshot @param {number} pid @returns {number[]} the parent first */
export function listAncestors({ byPid }, pid) {
  const ancestors = [];
  for (let at = byPid.get(pid); at?.ppid; at = byPid.get(at.ppid)) ancestors.push(at.ppid);
  return ancestors;
}
