/**
 * Relations between processes, from `/proc`: children, the processes that belong to one server, and which of them
 * serve.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { tryOr } from '../../base/files/try-or.js';
import {
  isProcessAlive,
  listProcesses,
  readCommandLine,
  readLink,
  readStat,
  readVariable,
} from '../../base/process/process-table.js';
import { parseGunicornCommand } from './gunicorn-command.js';
import {
  listListeningInodes,
  listOpenFiles,
  listPolledInodes,
  listSocketInodes,
  listUnixSockets,
} from './listening-socket.js';
import { findKind, isPythonCommand, isPythonName } from './server-kinds.js';

/** Set in the environment of the serving process that Flask's reloader starts. */
const RELOADED = 'WERKZEUG_RUN_MAIN';

/**
 * Whether it is a Python process: by its executable, or by its command line if that is not readable.
 * @param {number} pid
 */
export function isPython(pid) {
  const program = readLink(`/proc/${pid}/exe`);
  if (program !== null) return isPythonName(program.replace(/ \(deleted\)$/, ''));
  return isPythonCommand(readCommandLine(pid) ?? []);
}

/**
 * Finds the first process of a server, from any of its processes.
 * @param {number} pid
 * @returns {number} `pid` itself if it is not a worker
 */
export function climbToRoot(pid) {
  for (let at = pid; ; ) {
    const parent = readStat(at)?.ppid;
    if (!parent || !isOfFamily(at, parent)) return at;
    at = parent;
  }
}

/** All descendants of a process. @param {number} pid @returns {number[]} */
export function listDescendants(pid) {
  return listChildren(pid).flatMap(child => [child, ...listDescendants(child)]);
}

/** Direct children of a process, from all its threads. @param {number} pid @returns {number[]} */
export function listChildren(pid) {
  const folder = `/proc/${pid}/task`;
  // A child belongs to the thread that forked it.
  const texts = tryOr(null, () =>
    readdirSync(folder).map(tid => readFileSync(`${folder}/${tid}/children`, 'latin1')),
  );
  if (texts) return texts.join(' ').split(' ').filter(Boolean).map(Number);
  // The kernel lacks `children`, or the process ended meanwhile.
  const all = listProcesses();
  return all.filter(({ ppid }) => ppid === pid).map(one => one.pid);
}

/**
 * Whether the child belongs to the same server. It does if it was forked from this Python parent, runs the same
 * command again (a reloader), has a matching title (`setproctitle`), or was created by `multiprocessing`.
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
  // A process that a gunicorn application starts in the master is not one of its workers.
  // It runs code of its parent; not a resource tracker.
  if (childArgv.some(word => /^from multiprocessing\.(spawn|forkserver) import/.test(word)))
    return parentKind !== 'gunicorn';
  return parentKind !== undefined && findKind(childArgv)?.kind === parentKind;
}

/** A reloader uses the full path of the interpreter where a person did not. @param {string[]} argv */
function describeProgram([first = '', ...rest]) {
  return [isPythonName(first) ? 'python' : first, ...rest].join('\0');
}

/** Whether it only creates processes for its parent. @param {number} pid */
function isForkServer(pid) {
  const isOne = (/** @type {number} */ of) =>
    (readCommandLine(of) ?? []).some(word => word.startsWith('from multiprocessing.forkserver'));
  return isOne(pid) && !isOne(readStat(pid)?.ppid ?? 0);
}

/**
 * The live processes that a server's first process started for itself: excludes `dirty-arbiter`, resource trackers,
 * other programs, and a new gunicorn master after USR2.
 * @param {number} rootPid
 * @returns {number[]} oldest first
 */
export function listWorkers(rootPid) {
  return listChildren(rootPid)
    .filter(pid => isOfFamily(pid, rootPid) && isProcessAlive(pid))
    .flatMap(pid => (isForkServer(pid) ? listWorkers(pid) : isSecondMaster(pid) ? [] : pid));
}

/**
 * The processes that currently serve.
 * @param {{rootPid: number, masterPid: number | null}} server
 * @returns {number[]} the first process first
 */
export function listServing({ rootPid, masterPid }) {
  const children = listWorkers(rootPid);
  return masterPid === rootPid ? children : [rootPid, ...children];
}

/**
 * The first process of a server if it visibly only waits for the others: it belongs to gunicorn or to a reloader, or
 * it does not wait for connections as its children do. In doubt it counts as serving: a parent that is taken for a
 * worker only adds a few samples, but a worker that is taken for a parent loses its samples.
 * @param {number} rootPid
 * @returns {number | null}
 */
export function findMaster(rootPid) {
  if (isGunicorn(rootPid)) return rootPid;
  const children = listWorkers(rootPid);
  const mark = readVariable(rootPid, RELOADED);
  // A process whose environment is not readable reveals nothing.
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

/**
 * Recognised by its command line or, if embedded in an application, by the files with which it watches its workers.
 * @param {number} pid
 */
export function isGunicorn(pid) {
  if (parseGunicornCommand(readCommandLine(pid) ?? []) !== null) return true;
  return listOpenFiles(pid).some(file => /\/wgunicorn-[^/]*$/.test(file));
}

/**
 * Without process titles, the dirty arbiter and a new master (USR2) look like workers. They have children of their
 * own, but so does a worker whose application forks; therefore their own marks decide.
 * @param {number} pid
 */
function isSecondMaster(pid) {
  if (!listChildren(pid).some(child => isOfFamily(child, pid))) return false;
  if (readVariable(pid, 'GUNICORN_FD') !== undefined) return true;
  return listUnixSockets(pid).some(file => /\/gunicorn-dirty-[^/]*\/arbiter/.test(file));
}
