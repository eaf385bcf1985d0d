/** Whether py-spy may read a process, directly or only under sudo, and whether it has to pause it. */
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { inheritEnvironment } from '../../base/process/bare-environment.js';
import { readCommandLine, readText } from '../../base/process/process-table.js';
import { listDescendants } from '../target/process-family.js';
import { readPySpyError } from './read-py-spy-error.js';

/** @import { PySpy } from './find-py-spy.js' */

/**
 * @typedef {object} Access
 * @property {boolean} sudo py-spy has to run under sudo
 * @property {boolean} asksPassword sudo asks for a password, on this terminal
 * @property {'blocking' | 'nonblocking'} mode blocking: py-spy needs pauses to see which threads sleep
 * @property {string | null} python version of the process; null while unknown
 */

/**
 * Tries py-spy once on a process, starting with the least privileges.
 * @param {{pySpy: PySpy, pid: number}} what
 * @returns {Promise<Access>}
 * @throws {LoadflameError} PYSPY_PERMISSION, PYSPY_NO_PROCESS, PYSPY_NOT_PYTHON, PYSPY_PTRACE_BLOCKED,
 *   PYSPY_FAILED
 */
export async function probePrivileges(what) {
  try {
    return { sudo: false, asksPassword: false, ...(await tryModes(what, false)) };
  } catch (refused) {
    if (!isPermission(refused) || process.getuid?.() === 0) throw refused;
    return probeSudo(what, refused);
  }
}

/** @param {{pySpy: PySpy, pid: number}} what @param {LoadflameError} refused without sudo @returns {Promise<Access>} */
async function probeSudo(what, refused) {
  const open = findForeignWriter(what.pySpy.path);
  if (open !== null && (await hasSudo())) {
    throw new LoadflameError('PYSPY_PERMISSION', refused.data, {
      hint: `sudo is not used: ${open} can be changed by others than you and root, and so can what root would run. Take that right away (chmod go-w), or install py-spy elsewhere and set PYSPY`,
    });
  }
  try {
    const access = { sudo: true, asksPassword: false, ...(await tryModes(what, true)) };
    // Only root may signal root's py-spy: without that, no segment could ever be closed.
    if (await signalUnderSudo(what.pid, '0')) return access;
  } catch (error) {
    if (!isPermission(error)) throw error;
    // sudo can ask on a terminal; the mode can only be determined once the password is known.
    if (process.stdin.isTTY && process.stderr.isTTY && (await hasSudo()))
      return { sudo: true, asksPassword: true, mode: 'nonblocking', python: null };
    throw refused;
  }
  throw new LoadflameError('PYSPY_PERMISSION', refused.data, {
    hint: `sudo lets you run ${what.pySpy.path} but not kill, which ends it: allow both`,
  });
}

/** @param {unknown} error @returns {error is LoadflameError} */
export const isPermission = error =>
  error instanceof LoadflameError && error.code === 'PYSPY_PERMISSION';

/**
 * Like `probePrivileges`, but ready to record: if sudo needs a password, it asks now and not in the middle of a
 * recording.
 * @param {{pySpy: PySpy, pid: number}} what
 * @returns {Promise<Access>}
 * @throws {LoadflameError} like `probePrivileges`
 */
export async function obtainPrivileges(what) {
  const access = await probePrivileges(what);
  if (!access.asksPassword) return access;
  if (!(await runSudo(['-v'], { stdio: 'inherit' })))
    throw readPySpyError('sudo: incorrect password', what.pid);
  return { ...access, ...(await tryModes(what, true)) };
}

/** Before Python 3.11, py-spy must pause a process to see which threads sleep; otherwise it reports all as running. */
const TELLS_SLEEP = 11;
/** Reading a running process may fail by chance. */
const TRIES = 3;

/** @param {{pySpy: PySpy, pid: number}} what @param {boolean} sudo */
function tryModes({ pySpy, pid }, sudo) {
  return chooseMode(pauses => tryPySpy(pySpy, pid, { sudo, pauses }), process.platform);
}

/**
 * Pausing shifts samples to where code enters the kernel, and costs throughput. It is used only if there is no other
 * way to see which threads run.
 * @param {(pauses: boolean) => Promise<Look>} look
 * @param {string} platform
 * @returns {Promise<Pick<Access, 'mode' | 'python'>>}
 * @throws {LoadflameError} why py-spy can't read the process
 */
export async function chooseMode(look, platform) {
  let seen = await look(false);
  for (let tries = 1; seen.refused?.code === 'PYSPY_FAILED' && tries < TRIES; tries++)
    seen = await look(false);
  if (seen.refused) throw seen.refused;
  const { python } = seen;
  const minor = Number(/^3\.(\d+)/.exec(python ?? '')?.[1] ?? 0);
  if (platform === 'linux' && minor >= TELLS_SLEEP) return { mode: 'nonblocking', python };
  const { refused } = await look(true);
  if (refused && refused.code !== 'PYSPY_PTRACE_BLOCKED') throw refused;
  return { mode: refused ? 'nonblocking' : 'blocking', python };
}

/** @typedef {{refused: LoadflameError | null, python: string | null}} Look `refused`: null if it works */

/**
 * The command that reads a process once. Without `--subprocesses`, which hides all reasons behind one message.
 * @param {string} file of py-spy @param {number} pid @param {boolean} pauses
 */
export function describeDump(file, pid, pauses) {
  return [file, 'dump', '--pid', `${pid}`, ...(pauses ? [] : ['--nonblocking'])];
}

/** @param {string} stdout of `py-spy dump` */
export const readPython = stdout => /^Python v(\d+\.\d+\.\d+)/m.exec(stdout)?.[1] ?? null;

/** @param {PySpy} pySpy @param {number} pid @param {{pauses: boolean, sudo: boolean}} how @returns {Promise<Look>} */
async function tryPySpy(pySpy, pid, { pauses, sudo }) {
  const look = describeDump(pySpy.path, pid, pauses);
  const [file = pySpy.path, ...args] = sudo ? underSudo(look) : look;
  const { execa } = await import('execa');
  const result = await execa(file, args, {
    reject: false,
    stdin: 'ignore',
    timeout: 20_000,
    ...inheritEnvironment({ RUST_BACKTRACE: '0' }),
  });
  const python = readPython(result.stdout);
  if (!result.failed) return { refused: null, python };
  const said =
    sudo && result.exitCode === undefined
      ? 'sudo: Permission denied'
      : String(result.stderr || result.shortMessage);
  return { refused: readPySpyError(said, pid), python };
}

/**
 * A user who can write a program, or a folder or link on the way to it, can have anything run in its place.
 * @param {string} program absolute
 * @returns {string | null} the first place that users other than us and root can change
 */
export function findForeignWriter(program) {
  for (let place = program; ; place = path.dirname(place)) {
    const stats = lstatSync(place);
    const isLink = stats.isSymbolicLink();
    if (![0, process.geteuid?.()].includes(stats.uid)) return place;
    if (!isLink && isOpenToOthers(stats)) return place;
    const behind = isLink
      ? findForeignWriter(path.resolve(path.dirname(place), readlinkSync(place)))
      : null;
    if (behind !== null) return behind;
    if (place === path.dirname(place)) return null;
  }
}

const [GROUP_WRITES, OTHERS_WRITE, STICKY] = [0o020, 0o002, 0o1000];

/** In a sticky folder, such as /tmp, users can't replace files of others. @param {import('node:fs').Stats} stats */
function isOpenToOthers({ mode, gid }) {
  if (mode & STICKY) return false;
  return Boolean(mode & OTHERS_WRITE || (mode & GROUP_WRITES && !isOwnGroup(gid)));
}

/** Many systems give each user a private group with the same rights. @param {number} gid */
function isOwnGroup(gid) {
  const uid = process.geteuid?.();
  if (gid !== 0 && gid !== uid) return false;
  const [own] = readEntry('/etc/passwd', uid);
  const [, , , members] = readEntry('/etc/group', gid);
  return members?.split(',').every(name => name === '' || name === own) ?? false;
}

/** The fields of a user's or group's line; none in a container without that line. @param {string} file @param {number | undefined} id */
function readEntry(file, id) {
  const lines = (readText(file) ?? '').split('\n').map(line => line.split(':'));
  return lines.find(fields => fields[2] === String(id)) ?? [];
}

const hasSudo = () => runSudo(['--version'], { stdio: 'ignore' });

// -- sudo, for py-spy alone and only if needed.

/**
 * The command line that runs a program as root without asking: sudo asked before the recording began. It forgets a
 * password 5 to 15 minutes after its last use, which was for the last segment.
 * @param {string[]} command
 */
export const underSudo = command => ['sudo', '-n', '--', ...command];

/** @param {string[]} args @param {import('execa').Options} options @returns {Promise<boolean>} whether it succeeded */
async function runSudo(args, options) {
  const { execa } = await import('execa');
  const how = { ...options, ...inheritEnvironment(), reject: false };
  return !(await execa('sudo', args, how)).failed;
}

/**
 * Sends a signal to a process of root that we started through sudo; sudo itself would not forward it.
 * Signal 0 only checks whether sudo allows it.
 * @param {number} pid @param {'INT' | 'KILL' | '0'} signal
 * @returns {Promise<boolean>} whether sudo did it
 */
export async function signalUnderSudo(pid, signal) {
  const [, ...args] = underSudo(['kill', `-${signal}`, `${pid}`]);
  return runSudo(args, { stdio: 'ignore', timeout: 10_000 });
}

/**
 * The program that sudo runs: sudo may insert a monitor process of its own.
 * @param {number} sudoPid @param {string} program absolute path
 * @returns {number | null}
 */
export function findUnderSudo(sudoPid, program) {
  return listDescendants(sudoPid).find(pid => readCommandLine(pid)?.[0] === program) ?? null;
}
