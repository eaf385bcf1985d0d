/** The main processes of a group: those that the user's words say, without what is below them. */
import { listProcesses, readCommandLine, readText } from '../../process/process-table.js';
import { findSocketOwners, listListeners } from '../../target/listening-socket.js';

/** @import { ProcessStat } from '../../process/process-table.js' */

/**
 * @typedef {{pid: number} | {pids: number[]} | {pidFile: string} | {port: number} | {commandLine: string}} Selector
 *   `port`: of those who listen; `commandLine`: a regular expression
 */

/** To look into the open files of all processes takes long, so nobody who listens is looked for now and then. */
const LOOK_EVERY = 5;

/**
 * @param {Selector} selector
 * @returns {(snapshot: Snapshot) => number[]} asked once a second
 * @throws {SyntaxError} a regular expression that is none
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
  if ('pids' in selector) return () => selector.pids;
  if ('pidFile' in selector) return () => [Number.parseInt(readText(selector.pidFile) ?? '', 10)];
  if ('port' in selector) return createPortFinder(selector.port);
  return createCommandFinder(new RegExp(selector.commandLine));
}

/** Those who listen are kept as long as all of them live. @param {number} port @returns {(snapshot: Snapshot) => number[]} */
function createPortFinder(port) {
  /** @type {Map<number, string>} pid → which process that was */
  let owners = new Map();
  let looks = 0;
  return ({ byPid }) => {
    const isThere = (/** @type {number} */ pid, /** @type {string} */ key) => {
      const stat = byPid.get(pid);
      return stat !== undefined && stat.state !== 'Z' && keyOf(stat) === key;
    };
    const areThere = owners.size > 0 && [...owners].every(([pid, key]) => isThere(pid, key));
    if (!areThere && (owners.size > 0 || looks++ % LOOK_EVERY === 0)) {
      const listeners = listListeners().filter(listener => listener.port === port);
      const pids = findSocketOwners(new Set(listeners.map(({ inode }) => inode)));
      owners = new Map(
        pids.flatMap(pid => {
          const stat = byPid.get(pid);
          return stat ? [[pid, keyOf(stat)]] : [];
        }),
      );
    }
    return [...owners.keys()];
  };
}

/**
 * Read again each time: just after its fork a process has the command line of its parent, and many give themselves a
 * title.
 * @param {RegExp} pattern @returns {(snapshot: Snapshot) => number[]}
 */
function createCommandFinder(pattern) {
  return ({ byPid }) =>
    [...byPid.keys()].filter(pid => pattern.test((readCommandLine(pid) ?? []).join(' ')));
}

// -- All processes at one moment, with who belongs to whom. One look at `/proc` serves all groups.

/**
 * @typedef {object} Snapshot
 * @property {Map<number, ProcessStat>} byPid also zombies: no other record has their CPU time yet
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
