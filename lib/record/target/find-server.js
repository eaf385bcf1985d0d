/** Finds the server of the target, from the most trustworthy source available. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../base/errors.js';
import {
  isProcessAlive,
  listProcesses,
  readCommandLine,
  readLink,
  readStat,
} from '../../base/process/process-table.js';
import { describeServer, formatServer } from './describe-server.js';
import { parseGunicornCommand } from './gunicorn-command.js';
import {
  findListeners,
  findSocketOwners,
  listConnections,
  listListeners,
  listListeningInodes,
  listSocketInodes,
} from './listening-socket.js';
import { locateTarget } from './local-target.js';
import {
  climbToRoot,
  isGunicorn,
  isPython,
  listDescendants,
  listWorkers,
} from './process-family.js';
import { findKind } from './server-kinds.js';

/** @import { ServerDescription } from './describe-server.js' */

/** @typedef {ServerDescription & {how: string}} FoundServer */

/**
 * @typedef {object} FindOptions
 * @property {number | null} [pid] named by the user (`--pid`, `SERVER_PID`)
 * @property {string | null} [pidFile] a file with the pid of its first process
 * @property {number | null} [childPid] a process that we started, and that is or started the server
 * @property {string | null} [target] URL of the API
 */

/**
 * Finds the first process of the target's server. A process that the user names is final. Otherwise, for a target on
 * this machine: the owner of the target's port, then the server to which that owner forwards. Command lines are used
 * only without a target, or if its port leads into a container.
 * @param {FindOptions} [options]
 * @returns {Promise<FoundServer>}
 * @throws {LoadflameError} SERVER_PID_WRONG, SERVER_PID_FILE, SERVER_NOT_FOUND; SERVER_AMBIGUOUS with
 *   `data.candidates`: ServerDescription[]
 */
export async function findServer(options = {}) {
  const { rootPid, how } = await locateRoot(options);
  const server = await describeServer(rootPid);
  return { ...server, how, front: await findFront(options.target, server) };
}

/**
 * The program that has the target's port in front of the server. Its name is untrusted.
 * @param {string | null | undefined} target @param {ServerDescription} server
 * @returns {Promise<string | null>} empty: the server has it; null: not known
 */
async function findFront(target, { rootPid, workers }) {
  const place = target ? await locateTarget(target) : null;
  const { owners } = place?.isLocal ? findOwnersOfPort(place) : { owners: [] };
  if (owners.some(pid => [rootPid, ...workers].includes(pid))) return '';
  return /^[\w.-]{1,40}$/.exec(nameProgram(owners[0]))?.[0] ?? null;
}

/**
 * @param {FindOptions} options
 * @returns {Promise<{rootPid: number, how: string}>}
 */
async function locateRoot({ pid, pidFile, childPid, target }) {
  if (pid) return fromPid(pid, `pid ${pid}, as given`);
  if (pidFile) return fromPidFile(pidFile);
  if (childPid) {
    const roots = rootsAmong([childPid, ...listDescendants(childPid)]);
    const known = roots.filter(isKnown);
    const servers = known.length > 0 ? known : roots.filter(isListening);
    if (servers.length > 0) return choose(servers, 'started by loadflame');
  }
  const place = target ? await locateTarget(target) : null;
  if (place && !place.isLocal) {
    const hint =
      'py-spy only sees processes of its own machine: run loadflame there, or load-test alone, without --profile';
    throw notFound(`${place.host} is not this machine`, hint);
  }
  const servers = listServers();
  if (!place || !target) {
    if (servers.length > 0) return choose(servers, 'the only server by command line');
    throw notFound('no process on this machine is one by its command line');
  }
  const { owners, other } = findOwnersOfPort(place);
  const roots = rootsAmong(owners);
  if (roots.length > 0) return choose(roots, `owner of port ${place.port}`);
  const behind = await followConnections(target, place.port, owners);
  if (behind.length > 0)
    return choose(behind, `behind ${nameProgram(owners[0])} on port ${place.port}`);
  // A port that is mapped into a container has no owner here, or is owned by Docker's proxy.
  const isMapped = other === null || owners.some(pid => nameProgram(pid) === 'docker-proxy');
  const contained = isMapped ? servers.filter(isElsewhere) : [];
  if (contained.length > 0) return choose(contained, 'the only server in a container');
  throw notFound(other ?? `nothing listens on port ${place.port}`);
}

/** @param {string} why @param {string} [hint] */
const notFound = (why, hint) => new LoadflameError('SERVER_NOT_FOUND', { why }, { hint });

/** @param {number | undefined} pid */
function nameProgram(pid) {
  return path.basename((pid && readCommandLine(pid)?.[0]?.split(/[: ]/)[0]) || '');
}

/** Whether it has a network namespace of its own. @param {number} pid */
function isElsewhere(pid) {
  const network = readLink(`/proc/${pid}/ns/net`);
  return network !== null && network !== readLink('/proc/self/ns/net');
}

/** Requests sent through a proxy to see which connections they use; a port with other traffic shows nothing. */
const FOLLOWED_REQUESTS = 8;
const QUIET_MS = 300;
const FOLLOW_MS = 3000;

/**
 * First processes of the Python servers to which these processes (nginx, HAProxy …) forward requests: the proxies are
 * connected to them, or open as many new connections to them as we send requests.
 * @param {string} target
 * @param {number} ownPort
 * @param {number[]} proxies
 * @returns {Promise<number[]>}
 */
async function followConnections(target, ownPort, proxies) {
  if (proxies.length === 0) return [];
  const before = listConnections();
  await sleep(QUIET_MS);
  const quiet = listConnections();
  const signal = AbortSignal.timeout(FOLLOW_MS);
  const requests = Array.from({ length: FOLLOWED_REQUESTS }, async () => {
    const { body } = await fetch(target, { redirect: 'manual', signal });
    await body?.cancel();
  });
  await Promise.allSettled(requests);
  const now = listConnections();
  const held = new Set(proxies.flatMap(listSocketInodes));
  const listeners = listListeners().filter(({ port }) => {
    if (port === ownPort) return false;
    /** @param {typeof now} all @param {typeof now} [known] */
    const toPort = (all, known) =>
      [...all.values()].filter(({ key, ports }) => ports.includes(port) && !known?.has(key));
    if (toPort(now).some(({ inodes }) => inodes.some(inode => held.has(inode)))) return true;
    const isBusy = toPort(quiet, before).length > 0;
    return !isBusy && toPort(now, quiet).length >= FOLLOWED_REQUESTS;
  });
  return rootsAmong(findSocketOwners(new Set(listeners.map(({ inode }) => inode))));
}

/** @param {number[]} roots @param {string} how */
async function choose(roots, how) {
  const [rootPid] = roots;
  if (rootPid !== undefined && roots.length === 1) return { rootPid, how };
  const candidates = await Promise.all(roots.map(describeServer));
  throw new LoadflameError('SERVER_AMBIGUOUS', {
    count: candidates.length,
    list: candidates.map(one => `\n  ${formatServer(one)}`).join(''),
    example: rootPid,
    candidates,
  });
}

/** @param {number} pid @param {string} how */
function fromPid(pid, how) {
  if (!isProcessAlive(pid))
    throw new LoadflameError('SERVER_PID_WRONG', { pid, why: 'there is no such process' });
  if (process.platform === 'linux' && !isPython(pid)) {
    const program = readCommandLine(pid)?.[0] ?? 'unknown';
    throw new LoadflameError('SERVER_PID_WRONG', { pid, why: `it is ${program}, not Python` });
  }
  const rootPid = climbToRoot(pid);
  if (rootPid === pid) return { rootPid, how };
  return { rootPid, how: `parent of worker ${pid}: ${how}` };
}

/** @param {string} file */
function fromPidFile(file) {
  const fail = (/** @type {string} */ why, /** @type {unknown} */ cause = undefined) =>
    new LoadflameError('SERVER_PID_FILE', { file, why }, { cause });
  let text;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw fail(`it cannot be read (${/** @type {NodeJS.ErrnoException} */ (cause).code})`, cause);
  }
  if (!/^[1-9]\d*$/.test(text)) throw fail('it does not hold a process id');
  try {
    return fromPid(Number(text), `pid file ${file}`);
  } catch (cause) {
    throw fail(`it is stale: ${/** @type {Error} */ (cause).message}`, cause);
  }
}

/**
 * @param {{port: number, addresses: string[]}} place
 * @returns {{owners: number[], other: string | null}} `other`: the owner of the port if it is not Python; null
 *   if there is none
 */
function findOwnersOfPort({ port, addresses }) {
  const listeners = findListeners(port, addresses);
  if (listeners.length === 0) return { owners: [], other: null };
  const owners = findSocketOwners(new Set(listeners.map(({ inode }) => inode)));
  const [first] = owners;
  const other =
    first === undefined
      ? `port ${port} belongs to a process of user ${listeners[0]?.uid} that we may not look into`
      : `port ${port} belongs to process ${first} (${(readCommandLine(first) ?? []).slice(0, 3).join(' ')}), which is not Python, and no connection of it leads to a Python server on this machine`;
  return { owners, other };
}

/**
 * The first processes of the given ones, if they are Python; excludes pid 1 (socket activation) and proxies.
 * @param {number[]} pids
 */
function rootsAmong(pids) {
  return [...new Set(pids.filter(pid => readStat(pid) && isPython(pid)).map(climbToRoot))];
}

/** @param {number} pid */
function isKnown(pid) {
  return findKind(readCommandLine(pid) ?? [])?.runsTasks === false || isGunicorn(pid);
}

/** @param {number} pid of a first process */
function isListening(pid) {
  const listening = listListeningInodes();
  const sockets = [pid, ...listWorkers(pid)].flatMap(listSocketInodes);
  return sockets.some(inode => listening.has(inode));
}

/**
 * First processes of all servers on this machine that are recognisable by their command lines.
 * @param {string | null} [taskQueue] find the workers of this queue instead
 * @returns {number[]}
 */
export function listServers(taskQueue = null) {
  return listProcesses()
    .filter(({ pid, state }) => {
      const argv = readCommandLine(pid) ?? [];
      const known = state === 'Z' ? null : findKind(argv);
      if (!known || (known.runsTasks ? known.kind : null) !== taskQueue) return false;
      const title = parseGunicornCommand(argv)?.title;
      if (title === 'worker' || title === 'other') return false;
      return isPython(pid) && climbToRoot(pid) === pid;
    })
    .map(({ pid }) => pid);
}
