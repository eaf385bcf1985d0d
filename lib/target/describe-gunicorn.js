/** What can be told of a gunicorn: its workers, class, application and addresses. */
import { readlinkSync } from 'node:fs';
import path from 'node:path';
import { readCommandLine } from '../process-table.js';
import { defaultControlSocket, findControlSocket, readControlSocket } from './control-socket.js';
import {
  hasConfigFile,
  hasEnvironmentArguments,
  parseGunicornCommand,
} from './gunicorn-command.js';
import { listListeners, listSocketInodes } from './listening-socket.js';
import { listWorkers } from './process-family.js';

/**
 * @typedef {object} GunicornDescription
 * @property {number} masterPid
 * @property {number[]} workers
 * @property {string | null} workerClass `sync`, `gthread`, `gevent`, …; null when nothing says
 * @property {number | null} threads requests that a worker serves at the same time; null when nothing
 *   says, and where it is not a number of threads (gevent)
 * @property {string | null} appName `module:callable`
 * @property {string[]} binds addresses, as `127.0.0.1:8000`
 * @property {string | null} cwd null where we may not look
 */

/**
 * Describes a gunicorn from `/proc` and, where it answers, its control socket.
 * @param {number} masterPid
 * @returns {Promise<GunicornDescription>}
 */
export async function describeGunicorn(masterPid) {
  const argv = readCommandLine(masterPid) ?? [];
  const command = parseGunicornCommand(argv);
  const cwd = readCwd(masterPid);
  const socket = command?.controlSocket
    ? path.resolve(cwd ?? '.', command.controlSocket)
    : (findControlSocket(masterPid) ?? defaultControlSocket());
  // All gunicorns of a user share the default path: whoever answers must be the one we ask about.
  const told = await readControlSocket(socket).catch(() => null);
  const info = told?.masterPid === masterPid ? told : null;
  const workers = listWorkers(masterPid).filter(pid => pid !== info?.dirtyArbiterPid);
  const isSettled =
    command?.title === null &&
    cwd &&
    !hasConfigFile(argv, cwd) &&
    !hasEnvironmentArguments(masterPid);
  const workerClass = info?.workerClass ?? command?.workerClass ?? (isSettled ? 'sync' : null);
  return {
    masterPid,
    workers: workers.length > 0 ? workers : (info?.workers ?? []),
    workerClass,
    threads: countThreads(workerClass, info?.threads ?? command?.threads ?? null),
    appName: info?.appName ?? command?.appName ?? null,
    binds: info?.binds ?? listBinds(masterPid, workers) ?? command?.binds ?? [],
    cwd,
  };
}

/** @param {string | null} workerClass @param {number | null} declared */
function countThreads(workerClass, declared) {
  if (workerClass === 'sync') return 1;
  return workerClass === 'gthread' ? declared : null;
}

/** @param {GunicornDescription} gunicorn one line for a list to choose from */
export function formatGunicorn({ masterPid, workers, appName, binds, cwd }) {
  const where = [appName, cwd && `in ${cwd}`].filter(Boolean).join(' ');
  const count = `${workers.length} worker${workers.length === 1 ? '' : 's'}`;
  return `${masterPid}: ${binds.join(', ') || 'address unknown'}, ${where || 'application unknown'}, ${count}`;
}

/**
 * Addresses of the sockets that master or workers hold (with `--reuse-port` only the workers do).
 * @param {number} masterPid @param {number[]} workers
 * @returns {string[] | null} null when none can be seen
 */
function listBinds(masterPid, workers) {
  const inodes = new Set([masterPid, ...workers].flatMap(listSocketInodes));
  const binds = listListeners()
    .filter(({ inode }) => inodes.has(inode))
    .map(({ address, port }) => `${address.includes(':') ? `[${address}]` : address}:${port}`);
  return binds.length > 0 ? [...new Set(binds)] : null;
}

/** @param {number} pid */
function readCwd(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
