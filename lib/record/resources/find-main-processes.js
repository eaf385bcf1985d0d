/** Finds the main processes of a group: those that the user's selector matches, without their descendants. */
import { listProcesses, readCommandLine, readText } from '../../base/process/process-table.js';
import { findSocketOwners, listListeners } from '../target/listening-socket.js';

/** @import { ProcessStat } from '../../base/process/process-table.js' */

/**
 * @typedef {{pid: number} | {pidFile: string} | {port: number} | {commandLine: string} | {find: () => number[]}} Selector
 *   `port`: the processes that listen there; `commandLine`: a regular expression; `find`: their pids now
 */

/** Reading the open files of all processes is slow: while none listens, search only at every nth sample. */
const LOOK_EVERY = 5;

/**
 * @param {Selector} selector
 * @returns {(snapshot: Snapshot) => number[]} called once a second
 * @throws {SyntaxError} for an invalid regular expression
 */
export function createMainFinder(selector) {
  const find = createFinder(selector);
  return snapshot => {
    const found = new Set(find(snapshot).filter(pid => snapshot.byPid.has(pid)));
    const isBelow = (/** @type {number} */ pid) =>
      listAncestors(snapshot, pid).some(ancestor => found.has(ancestor));
    return [...found].filter(pid => !isBelow(pid));
  };
}

/** @param {Selector} selector @returns {(snapshot: Snapshot) => number[]} */
function createFinder(selector) {
  if ('pid' in selector) return () => [selector.pid];
  if ('find' in selector) return selector.find;
  if ('pidFile' in selector) return () => [Number.parseInt(readText(selector.pidFile) ?? '', 10)];
  if ('port' in selector) return createPortFinder(selector.port);
  return createCommandFinder(new RegExp(selector.commandLine));
}

/** Keeps the listeners while all of them live. @param {number} port @returns {(snapshot: Snapshot) => number[]} */
function createPortFinder(port) {
  /** @type {ProcessStat[]} */
  let owners = [];
  let looks = 0;
  return ({ byPid }) => {
    const areThere = owners.every(one => (sameAs(one, byPid.get(one.pid))?.state ?? 'Z') !== 'Z');
    if (owners.length > 0 ? !areThere : looks++ % LOOK_EVERY === 0) {
      const listeners = listListeners().filter(listener => listener.port === port);
      const pids = findSocketOwners(new Set(listeners.map(({ inode }) => inode)));
      owners = pids.flatMap(pid => byPid.get(pid) ?? []);
    }
    return owners.map(({ pid }) => pid);
  };
}

/**
 * Reads command lines again each time: just after its fork a process has its parent's, and many set a title later.
 * @param {RegExp} pattern @returns {(snapshot: Snapshot) => number[]}
 */
function createCommandFinder(pattern) {
  return ({ byPid }) =>
    [...byPid.keys()].filter(pid => pattern.test((readCommandLine(pid) ?? []).join(' ')));
}

// -- All processes at one moment, with their children. One reading of `/proc` serves all groups.

/**
 * @typedef {object} Snapshot
 * @property {Map<number, ProcessStat>} byPid includes zombies: no other record has their CPU time yet
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

/** Identifies a process even if its pid is reused. @param {ProcessStat} stat */
export const keyOf = ({ pid, startTicks }) => `${pid} ${startTicks}`;

/** @param {ProcessStat} stat @param {ProcessStat | undefined} other @returns {ProcessStat | undefined} `other`, if it is the same process */
export function sameAs(stat, other) {
  return other && keyOf(other) === keyOf(stat) ? other : undefined;
}

/**
 * Some processes and all their descendants.
 * @param {Snapshot} snapshot
 * @param {Iterable<number>} pids
 * @param {ReadonlySet<number>} [except] these and what only they lead to are left out
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
