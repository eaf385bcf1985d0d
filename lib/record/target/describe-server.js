/** Describes a server: its processes and which of them serve, its application and addresses. */
import { formatNumberOf } from '../../base/format.js';
import { readCommandLine, readLink } from '../../base/process/process-table.js';
import { findControlSocket, readControlSocket } from './control-socket.js';
import {
  hasConfigFile,
  hasEnvironmentArguments,
  parseGunicornCommand,
} from './gunicorn-command.js';
import { listListeners, listSocketInodes } from './listening-socket.js';
import { findMaster, isGunicorn, listServing } from './process-family.js';
import { findAppName, findKind } from './server-kinds.js';

/**
 * @typedef {object} ServerDescription
 * @property {number} rootPid its first process
 * @property {number | null} masterPid the same process if it only waits for its workers
 * @property {string} kind `gunicorn`, `uvicorn`, …; `python` if not recognised
 * @property {boolean} isForDevelopment it reloads, or is a framework's development server
 * @property {number[]} workers the processes that serve
 * @property {string | null} workerClass of gunicorn: `sync`, `gthread`, `gevent`, …; null if not known
 * @property {number | null} threads concurrent requests per worker; null if not
 *   known, or if threads do not limit it (gevent)
 * @property {string | null} appName `module:callable`
 * @property {string[]} binds addresses, as `127.0.0.1:8000`
 * @property {string | null} cwd null if not readable
 * @property {string | null} [front] the program that has the target's port; empty: the server itself; null: not known
 */

/**
 * Describes a server from `/proc` and, if it is a gunicorn that responds, its control socket.
 * @param {number} rootPid
 * @returns {Promise<ServerDescription>}
 */
export async function describeServer(rootPid) {
  const argv = readCommandLine(rootPid) ?? [];
  const known = findKind(argv);
  const masterPid = findMaster(rootPid);
  const server = {
    rootPid,
    masterPid,
    kind: known?.kind ?? 'python',
    isForDevelopment: known?.isForDevelopment ?? false,
    workers: listServing({ rootPid, masterPid }),
    workerClass: null,
    threads: null,
    appName: findAppName(argv),
    binds: [],
    cwd: readLink(`/proc/${rootPid}/cwd`),
  };
  if (isGunicorn(rootPid)) return describeGunicorn(server, argv);
  return { ...server, binds: listBinds([rootPid, ...server.workers]) ?? [] };
}

/**
 * @param {ServerDescription} server
 * @param {string[]} argv
 * @returns {Promise<ServerDescription>}
 */
async function describeGunicorn(server, argv) {
  const { rootPid, cwd } = server;
  const command = parseGunicornCommand(argv);
  const socket = findControlSocket(rootPid);
  // By default, all gunicorns of a user share one path, so the response may come from another gunicorn.
  const control = socket ? await readControlSocket(socket).catch(() => null) : null;
  const info = control?.masterPid === rootPid ? control : null;
  const workers = server.workers.filter(pid => pid !== info?.dirtyArbiterPid);
  const isHidden = !cwd || hasConfigFile(argv, cwd) || hasEnvironmentArguments(rootPid);
  const isSettled = command?.title === null && !isHidden;
  const workerClass = info?.workerClass ?? command?.workerClass ?? (isSettled ? 'sync' : null);
  return {
    ...server,
    kind: 'gunicorn',
    workers: workers.length > 0 ? workers : (info?.workers ?? []),
    workerClass,
    threads: countThreads(workerClass, info?.threads ?? command?.threads ?? null),
    appName: info?.appName ?? command?.appName ?? null,
    binds: info?.binds ?? listBinds([rootPid, ...workers]) ?? command?.binds ?? [],
  };
}

/** @param {string | null} workerClass @param {number | null} declared */
function countThreads(workerClass, declared) {
  if (workerClass === 'sync') return 1;
  return workerClass === 'gthread' ? declared : null;
}

/** @param {ServerDescription} server as one line of a list to choose from */
export function formatServer(server) {
  const { binds, appName, cwd } = server;
  const where = [appName, cwd && `in ${cwd}`].filter(Boolean).join(' ');
  return `${server.rootPid}: ${binds.join(', ') || 'address unknown'}, ${where || 'application unknown'}, ${server.kind}${countWorkers(server)}`;
}

/** Summarizes a found server in one line. @param {ServerDescription & {how: string}} server */
export function formatFound({ how, ...server }) {
  const role = server.masterPid === null ? 'process' : 'master';
  return `${server.kind} ${role} ${server.rootPid}${countWorkers(server)} (${how})`;
}

/** @param {ServerDescription} server */
function countWorkers({ masterPid, workers }) {
  if (masterPid !== null) return ` with ${formatNumberOf(workers.length, 'worker')}`;
  // The application may have started them, as a pool.
  const own = workers.length - 1;
  return own > 0 ? ` and ${formatNumberOf(own, 'child process', 'child processes')}` : '';
}

/**
 * Addresses of the sockets that these processes hold: with `--reuse-port`, only the workers hold them.
 * @param {number[]} pids
 * @returns {string[] | null} null if none is visible
 */
function listBinds(pids) {
  const inodes = new Set(pids.flatMap(listSocketInodes));
  const binds = listListeners()
    .filter(({ inode }) => inodes.has(inode))
    .map(({ address, port }) => `${address.includes(':') ? `[${address}]` : address}:${port}`);
  return binds.length > 0 ? [...new Set(binds)] : null;
}
