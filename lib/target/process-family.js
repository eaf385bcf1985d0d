/** How processes are related, as `/proc` shows it: children, forks, and from a worker to its master. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import {
  isProcessAlive,
  listProcesses,
  readCommandLine,
  readStat,
  readVariable,
} from '../process-table.js';
import { isPythonName, parseGunicornCommand } from './gunicorn-command.js';
import { listUnixSockets } from './listening-socket.js';

/**
 * Is it a Python process? By its executable; where we may not read that, by its command line.
 * @param {number} pid
 */
export function isPython(pid) {
  try {
    return isPythonName(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''));
  } catch {
    const argv = readCommandLine(pid) ?? [];
    return isPythonName(argv[0] ?? '') || parseGunicornCommand(argv) !== null;
  }
}

/**
 * From any process of a gunicorn to its master: a worker is forked, so its parent is Python with the
 * same command line (or, with `setproctitle`, one that says it is the master).
 * @param {number} pid
 * @returns {number} `pid` itself when it is nobody's worker
 */
export function climbToMaster(pid) {
  for (let at = pid; ; ) {
    const parent = readStat(at)?.ppid;
    if (!parent || !isForkOf(at, parent)) return at;
    at = parent;
  }
}

/** All processes below this one. @param {number} pid @returns {number[]} */
export function listDescendants(pid) {
  return listChildren(pid).flatMap(child => [child, ...listDescendants(child)]);
}

/** Its direct children, of all its threads. @param {number} pid @returns {number[]} */
export function listChildren(pid) {
  try {
    // A child belongs to the thread that forked it.
    return readdirSync(`/proc/${pid}/task`)
      .flatMap(tid => readFileSync(`/proc/${pid}/task/${tid}/children`, 'latin1').split(' '))
      .flatMap(text => (text ? Number(text) : []));
  } catch {
    // The kernel lacks `children`, or the process went away while we read.
    return listProcesses()
      .filter(({ ppid }) => ppid === pid)
      .map(one => one.pid);
  }
}

/** Was the child forked, not executed, from this Python parent? @param {number} child @param {number} parent */
export function isForkOf(child, parent) {
  const childArgv = readCommandLine(child) ?? [];
  const parentArgv = readCommandLine(parent) ?? [];
  if (childArgv.length === 0 || parentArgv.length === 0) return false;
  const childTitle = parseGunicornCommand(childArgv)?.title;
  const parentTitle = parseGunicornCommand(parentArgv)?.title;
  if (childTitle) return childTitle === 'worker' && parentTitle === 'master';
  return childArgv.join('\0') === parentArgv.join('\0') && isPython(parent);
}

/**
 * The workers that are alive now: children of the master without `dirty-arbiter`, resource trackers,
 * helpers of `multiprocessing`, and a new master that USR2 started.
 * @param {number} masterPid
 * @returns {number[]} oldest first
 */
export function listWorkers(masterPid) {
  return listChildren(masterPid).filter(
    pid => isForkOf(pid, masterPid) && isProcessAlive(pid) && !isSecondMaster(pid),
  );
}

/**
 * Without a process title the dirty arbiter and a new master (USR2) look like workers. They have
 * children of their own; so may a worker whose application forks, therefore their own marks count.
 * @param {number} pid
 */
function isSecondMaster(pid) {
  if (!listChildren(pid).some(child => isForkOf(child, pid))) return false;
  if (readVariable(pid, 'GUNICORN_FD') !== undefined) return true;
  return listUnixSockets(pid).some(file => /\/gunicorn-dirty-[^/]*\/arbiter/.test(file));
}
