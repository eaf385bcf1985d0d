/** Finding the gunicorn that serves the target, by the most trustworthy source that knows one. */
import { readFileSync } from 'node:fs';
import { LoadflameError } from '../errors.js';
import { isProcessAlive, listProcesses, readCommandLine, readStat } from '../process-table.js';
import { defaultControlSocket, readControlSocket } from './control-socket.js';
import { describeGunicorn, formatGunicorn } from './describe-gunicorn.js';
import { parseGunicornCommand } from './gunicorn-command.js';
import { findListeners, findSocketOwners } from './listening-socket.js';
import { locateTarget } from './local-target.js';
import { climbToMaster, isPython, listDescendants, listWorkers } from './process-family.js';

/** @import { GunicornDescription } from './describe-gunicorn.js' */

/** @typedef {GunicornDescription & {how: string}} FoundGunicorn */

/**
 * @typedef {object} FindOptions
 * @property {number | null} [pid] the user named it (`--pid`, `GUNICORN_PID`)
 * @property {string | null} [controlSocket] path of gunicorn's control socket
 * @property {string | null} [pidFile] path of gunicorn's pid file
 * @property {number | null} [childPid] a process that we started and that is, or started, gunicorn
 * @property {string | null} [target] URL of the API
 */

/**
 * Finds the gunicorn master of the target. What the user names is final; then come, for a target on
 * this machine, the default control socket, the owner of the target's port, and at last command lines.
 * @param {FindOptions} [options]
 * @returns {Promise<FoundGunicorn>}
 * @throws {LoadflameError} GUNICORN_PID_WRONG, GUNICORN_CONTROL_SOCKET, GUNICORN_PID_FILE,
 *   GUNICORN_NOT_FOUND; GUNICORN_AMBIGUOUS with `data.candidates`: GunicornDescription[]
 */
export async function findGunicorn(options = {}) {
  const { masterPid, how } = await locateMaster(options);
  return { ...(await describeGunicorn(masterPid)), how };
}

/**
 * @param {FindOptions} options
 * @returns {Promise<{masterPid: number, how: string}>}
 */
async function locateMaster({ pid, controlSocket, pidFile, childPid, target }) {
  if (pid) return fromPid(pid, `pid ${pid}, as given`);
  if (controlSocket) return fromControlSocket(controlSocket);
  if (pidFile) return fromPidFile(pidFile);
  if (childPid) {
    const masters = mastersAmong([childPid, ...listDescendants(childPid)]);
    if (masters.length > 0) return choose(masters, 'started by loadflame');
  }
  const place = target ? await locateTarget(target) : null;
  if (place && !place.isLocal) {
    throw new LoadflameError(
      'GUNICORN_NOT_FOUND',
      { why: `${place.host} is not this machine` },
      {
        hint: 'py-spy only sees processes of its own machine: run loadflame there, or load-test alone with `npm run tests:all`',
      },
    );
  }
  const masters = listMasters();
  const told = await readControlSocket(defaultControlSocket()).catch(() => null);
  if (told && isProcessAlive(told.masterPid)) {
    const servesTarget = place && told.binds.some(bind => bind.endsWith(`:${place.port}`));
    const isOnlyOne = masters.every(master => master === told.masterPid);
    if (servesTarget || (isOnlyOne && !place)) {
      return { masterPid: told.masterPid, how: `control socket ${defaultControlSocket()}` };
    }
  }
  const onPort = place ? findOwnersOfPort(place) : { masters: [], other: null };
  if (onPort.masters.length > 0) return choose(onPort.masters, `owner of port ${place?.port}`);
  if (masters.length > 0) return choose(masters, 'the only gunicorn by command line');
  throw new LoadflameError('GUNICORN_NOT_FOUND', {
    why: onPort.other ?? 'no process on this machine is a gunicorn master',
  });
}

/** @param {number[]} masters @param {string} how */
async function choose(masters, how) {
  const [masterPid] = masters;
  if (masterPid !== undefined && masters.length === 1) return { masterPid, how };
  const candidates = await Promise.all(masters.map(describeGunicorn));
  throw new LoadflameError('GUNICORN_AMBIGUOUS', {
    count: candidates.length,
    list: candidates.map(one => `\n  ${formatGunicorn(one)}`).join(''),
    example: masterPid,
    candidates,
  });
}

/** @param {number} pid @param {string} how */
function fromPid(pid, how) {
  if (!isProcessAlive(pid)) {
    throw new LoadflameError('GUNICORN_PID_WRONG', { pid, why: 'there is no such process' });
  }
  if (process.platform === 'linux' && !isPython(pid)) {
    const program = readCommandLine(pid)?.[0] ?? 'unknown';
    throw new LoadflameError('GUNICORN_PID_WRONG', { pid, why: `it is ${program}, not Python` });
  }
  const masterPid = climbToMaster(pid);
  if (masterPid === pid) return { masterPid, how };
  return { masterPid, how: `master of worker ${pid}: ${how}` };
}

/** @param {string} file */
function fromPidFile(file) {
  const fail = (/** @type {string} */ why, /** @type {unknown} */ cause = undefined) =>
    new LoadflameError('GUNICORN_PID_FILE', { file, why }, { cause });
  let text;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw fail(`it can not be read (${/** @type {NodeJS.ErrnoException} */ (cause).code})`, cause);
  }
  if (!/^[1-9]\d*$/.test(text)) throw fail('it does not hold a process id');
  try {
    return fromPid(Number(text), `pid file ${file}`);
  } catch (cause) {
    throw fail(`it is stale: ${/** @type {Error} */ (cause).message}`, cause);
  }
}

/** @param {string} socket */
async function fromControlSocket(socket) {
  try {
    const { masterPid } = await readControlSocket(socket);
    return { masterPid, how: `control socket ${socket}` };
  } catch (cause) {
    const why = /** @type {Error} */ (cause).message;
    throw new LoadflameError('GUNICORN_CONTROL_SOCKET', { socket, why }, { cause });
  }
}

/**
 * @param {{port: number, addresses: string[]}} place
 * @returns {{masters: number[], other: string | null}} `other`: who has the port when gunicorn has not
 */
function findOwnersOfPort({ port, addresses }) {
  const listeners = findListeners(port, addresses);
  if (listeners.length === 0) return { masters: [], other: `nobody listens on port ${port}` };
  const owners = findSocketOwners(new Set(listeners.map(({ inode }) => inode)));
  const masters = mastersAmong(owners);
  if (masters.length > 0) return { masters, other: null };
  const [first] = owners;
  const other =
    first === undefined
      ? `port ${port} belongs to a process of user ${listeners[0]?.uid} that we may not look into`
      : `port ${port} belongs to process ${first} (${(readCommandLine(first) ?? []).slice(0, 3).join(' ')}), which is not gunicorn`;
  return { masters: [], other };
}

/**
 * Masters of these processes. An application that embeds gunicorn has its own command line; it is
 * known by its Python children, forked from it. Pid 1 (socket activation) and proxies fall out.
 * @param {number[]} pids
 */
function mastersAmong(pids) {
  const masters = pids
    .filter(pid => readStat(pid) && isPython(pid))
    .map(climbToMaster)
    .filter(
      pid =>
        parseGunicornCommand(readCommandLine(pid) ?? []) !== null || listWorkers(pid).length > 0,
    );
  return [...new Set(masters)];
}

/** All gunicorn masters that can be seen on this machine. @returns {number[]} */
export function listMasters() {
  return listProcesses()
    .filter(({ pid, state }) => {
      if (state === 'Z') return false;
      const command = parseGunicornCommand(readCommandLine(pid) ?? []);
      if (!command || command.title === 'worker' || command.title === 'other') return false;
      return isPython(pid) && climbToMaster(pid) === pid;
    })
    .map(({ pid }) => pid);
}
