/**
 * How processes are related, as `/proc` shows it: children, the family of processes that are one server,
 * and who of it serves.
 */
import { readdirSync, readFileSync } from 'node:fs';
import {
  isProcessAlive,
  listProcesses,
  readCommandLine,
  readLink,
  readStat,
  readVariable,
} from '../process/process-table.js';
import { parseGunicornCommand } from './gunicorn-command.js';
import {
  listListeningInodes,
  listOpenFiles,
  listPolledInodes,
  listSocketInodes,
  listUnixSockets,
} from './listening-socket.js';
import { findKind, isPythonName } from './server-kinds.js';

/** In the environment of the process that Flask's reloader starts: it serves. */
const RELOADED = 'WERKZEUG_RUN_MAIN';

/**
 * Is it a Python process? By its executable; where we may not read that, by its command line.
 * @param {number} pid
 */
export function isPython(pid) {
  const program = readLink(`/proc/${pid}/exe`);
  if (program !== null) return isPythonName(program.replace(/ \(deleted\)$/, ''));
  const argv = readCommandLine(pid) ?? [];
  return isPythonName(argv[0] ?? '') || findKind(argv) !== null;
}

/**
 * From any process of a server to the first one of it.
 * @param {number} pid
 * @returns {number} `pid` itself when it is no worker
 */
export function climbToRoot(pid) {
  for (let at = pid; ; ) {
    const parent = readStat(at)?.ppid;
    if (!parent || !isOfFamily(at, parent)) return at;
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

/**
 * Is the child a process of the same server? It was forked from this Python parent or runs the same
 * command again (a reloader), or it says so in its title (`setproctitle`), or `multiprocessing` made it.
 * @param {number} child @param {number} parent
 */
function isOfFamily(child, parent) {
  return isFamilyByCommand(readCommandLine(child) ?? [], readCommandLine(parent) ?? [], () =>
    isPython(parent),
  );
}

/**
 * @param {string[]} childArgv
 * @param {string[]} parentArgv
 * @param {() => boolean} isParentPython
 */
export function isFamilyByCommand(childArgv, parentArgv, isParentPython) {
  if (childArgv.length === 0 || parentArgv.length === 0) return false;
  const childTitle = parseGunicornCommand(childArgv)?.title;
  const parentTitle = parseGunicornCommand(parentArgv)?.title;
  if (childTitle) return childTitle === 'worker' && parentTitle === 'master';
  if (!isParentPython()) return false;
  if (describeProgram(childArgv) === describeProgram(parentArgv)) return true;
  const parentKind = findKind(parentArgv)?.kind;
  // What an application of gunicorn's starts in the master is no worker of it.
  if (isOfMultiprocessing(childArgv)) return parentKind !== 'gunicorn';
  return parentKind !== undefined && findKind(childArgv)?.kind === parentKind;
}

/** A reloader names the interpreter by its path where a person did not. @param {string[]} argv */
function describeProgram([first = '', ...rest]) {
  return [isPythonName(first) ? 'python' : first, ...rest].join('\0');
}

/** A process of `multiprocessing` that runs code of its parent; no resource tracker. @param {string[]} argv */
function isOfMultiprocessing(argv) {
  return argv.some(word => /^from multiprocessing\.(spawn|forkserver) import/.test(word));
}

/** It makes processes for its parent and runs nothing else. @param {number} pid */
function isForkServer(pid) {
  const isOne = (/** @type {number} */ of) =>
    (readCommandLine(of) ?? []).some(word => word.startsWith('from multiprocessing.forkserver'));
  return isOne(pid) && !isOne(readStat(pid)?.ppid ?? 0);
}

/**
 * The processes that a server's first process has started for itself and that are alive now: without
 * `dirty-arbiter`, resource trackers, other programs, and a new master of gunicorn that USR2 started.
 * @param {number} rootPid
 * @returns {number[]} oldest first
 */
export function listWorkers(rootPid) {
  return listChildren(rootPid)
    .filter(pid => isOfFamily(pid, rootPid) && isProcessAlive(pid))
    .flatMap(pid => (isForkServer(pid) ? listWorkers(pid) : isSecondMaster(pid) ? [] : pid));
}

/**
 * The processes that serve, now.
 * @param {{rootPid: number, masterPid: number | null}} server
 * @returns {number[]} the first one first
 */
export function listServing({ rootPid, masterPid }) {
  const children = listWorkers(rootPid);
  return masterPid === rootPid ? children : [rootPid, ...children];
}

/**
 * The first process of a server where it only waits for the others, and that can be seen: it is
 * gunicorn's, a reloader's, or it does not wait for connections as its children do. In doubt it serves:
 * a parent taken for a worker adds a few samples, but the samples of a worker taken for a parent are lost.
 * @param {number} rootPid
 * @returns {number | null}
 */
export function findMaster(rootPid) {
  if (isGunicorn(rootPid)) return rootPid;
  const children = listWorkers(rootPid);
  const mark = readVariable(rootPid, RELOADED);
  // A process whose environment we may not read shows us nothing.
  if (children.length === 0 || mark === null) return null;
  const listening = listListeningInodes();
  const isAny = (/** @type {string[]} */ inodes) => inodes.some(inode => listening.has(inode));
  const holds = (/** @type {number} */ pid) => isAny(listSocketInodes(pid));
  const polls = (/** @type {number} */ pid) => isAny(listPolledInodes(pid));
  const onlyWaits =
    (mark === undefined && children.some(pid => readVariable(pid, RELOADED) === 'true')) ||
    (!holds(rootPid) && children.some(holds)) ||
    (!polls(rootPid) && children.some(polls));
  return onlyWaits ? rootPid : null;
}

/** By its command line or, where an application embeds it, by the files with which it watches its workers. @param {number} pid */
export function isGunicorn(pid) {
  if (parseGunicornCommand(readCommandLine(pid) ?? []) !== null) return true;
  return listOpenFiles(pid).some(file => /\/wgunicorn-[^/]*$/.test(file));
}

/**
 * Without a process title the dirty arbiter and a new master (USR2) look like workers. They have
 * children of their own; so may a worker whose application forks, therefore their own marks count.
 * @param {number} pid
 */
function isSecondMaster(pid) {
  if (!listChildren(pid).some(child => isOfFamily(child, pid))) return false;
  if (readVariable(pid, 'GUNICORN_FD') !== undefined) return true;
  return listUnixSockets(pid).some(file => /\/gunicorn-dirty-[^/]*\/arbiter/.test(file));
}
