/** The processes of another machine or container, from the output of `tail` on its `/proc`. */
import { parseStat } from '../../base/process/process-table.js';
import { isFamilyByCommand } from './process-family.js';
import { findKind, isPythonCommand } from './server-kinds.js';

/** A shell command. Processes that end meanwhile are missing from its output. */
export const LIST_PROCESSES = 'tail -n +1 /proc/[0-9]*/stat /proc/[0-9]*/cmdline 2>/dev/null';
const FILE = /\n?==> \/proc\/(\d+)\/(stat|cmdline) <==\n/;

/** @typedef {import('../../base/process/process-table.js').ProcessStat & {argv: string[]}} ListedProcess */

/** @param {string} text @returns {ListedProcess[]} */
export function readProcessList(text) {
  const [, ...parts] = text.split(FILE);
  /** @type {Map<string, {stat?: string, cmdline?: string}>} */
  const found = new Map();
  for (let at = 0; at < parts.length; at += 3) {
    const [pid = '', name = '', content] = parts.slice(at, at + 3);
    found.set(pid, { ...found.get(pid), [name]: content });
  }
  return [...found.values()].flatMap(({ stat = '', cmdline = '' }) => {
    const argv = cmdline.split('\0').slice(0, -1);
    return /^\d+ \(.*\) [^Z]/s.test(stat) ? [{ ...parseStat(stat), argv }] : [];
  });
}

/**
 * The first process of the Python server: known kinds take precedence, then the one with the most workers.
 * @param {ListedProcess[]} list
 * @returns {{rootPid: number, masterPid: number | null, kind: string, startTicks: number, argv: string[]} | null}
 *   `masterPid`: the same process if it only waits for its workers
 */
export function findListedServer(list) {
  const servers = list.flatMap(process => {
    const { pid: rootPid, argv, startTicks } = process;
    const kind = findKind(argv);
    const isFirst = !list.some(({ pid }) => pid === process.ppid && isWorkerOf(process, pid, list));
    if (!isPythonCommand(argv) || kind?.runsTasks || !isFirst) return [];
    const workers = listListedWorkers(list, rootPid).length;
    const onlyWaits = kind?.kind === 'gunicorn' || (kind !== null && workers > 0);
    const masterPid = onlyWaits ? rootPid : null;
    return { rootPid, masterPid, kind: kind?.kind ?? 'python', startTicks, argv, workers };
  });
  servers.sort((a, b) => b.workers - a.workers || a.rootPid - b.rootPid);
  return servers.find(({ kind }) => kind !== 'python') ?? servers[0] ?? null;
}

/** @param {ListedProcess[]} list @param {number} rootPid */
export function listListedWorkers(list, rootPid) {
  return list.filter(process => isWorkerOf(process, rootPid, list));
}

/**
 * @param {ListedProcess} process
 * @param {number} rootPid
 * @param {ListedProcess[]} list
 */
function isWorkerOf({ ppid, argv }, rootPid, list) {
  const root = list.find(({ pid }) => pid === rootPid);
  if (!root || ppid !== rootPid) return false;
  return isFamilyByCommand(argv, root.argv, () => isPythonCommand(root.argv));
}
