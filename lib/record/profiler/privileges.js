/** May py-spy look into this process: as it is, only without pausing it, or only under sudo? */
import { execa } from 'execa';
import { LoadflameError } from '../../errors.js';
import { readCommandLine } from '../../process-table.js';
import { listDescendants } from '../../target/process-family.js';
import { readPySpyError } from './read-py-spy-error.js';

/** @import { PySpy } from './find-py-spy.js' */

/**
 * @typedef {object} Access
 * @property {boolean} sudo py-spy has to run under sudo
 * @property {boolean} asksPassword sudo wants a password, on this terminal
 * @property {'blocking' | 'nonblocking'} mode `nonblocking` where the system forbids to pause a process
 */

/**
 * Tries py-spy once on a process, in the order of least force.
 * @param {{pySpy: PySpy, pid: number}} what
 * @returns {Promise<Access>}
 * @throws {LoadflameError} PYSPY_PERMISSION, PYSPY_NO_PROCESS, PYSPY_NOT_PYTHON, PYSPY_PTRACE_BLOCKED,
 *   PYSPY_FAILED
 */
export async function probePrivileges({ pySpy, pid }) {
  const refused = await tryPySpy(pySpy, pid, {});
  if (!refused) return { sudo: false, asksPassword: false, mode: 'blocking' };
  if (refused.code === 'PYSPY_PTRACE_BLOCKED') {
    if (await tryPySpy(pySpy, pid, { nonblocking: true })) throw refused;
    return { sudo: false, asksPassword: false, mode: 'nonblocking' };
  }
  if (refused.code !== 'PYSPY_PERMISSION' || process.getuid?.() === 0) throw refused;
  const underSudoToo = await tryPySpy(pySpy, pid, { sudo: true });
  if (!underSudoToo) {
    // Ending a py-spy of root needs a signal of root: without it no segment could ever be closed.
    if (await signalUnderSudo(pid, '0'))
      return { sudo: true, asksPassword: false, mode: 'blocking' };
    throw new LoadflameError('PYSPY_PERMISSION', refused.data, {
      hint: `sudo lets you run ${pySpy.path} but not kill, which ends it: allow both`,
    });
  }
  if (underSudoToo.code !== 'PYSPY_PERMISSION') throw underSudoToo;
  if (canAskPassword() && (await hasSudo())) {
    return { sudo: true, asksPassword: true, mode: 'blocking' };
  }
  throw refused;
}

/**
 * The same, made ready to record: where sudo wants a password it is asked for now, and not in the
 * middle of a recording.
 * @param {{pySpy: PySpy, pid: number}} what
 * @returns {Promise<Access>}
 * @throws {LoadflameError} as `probePrivileges`
 */
export async function obtainPrivileges(what) {
  const access = await probePrivileges(what);
  if (!access.asksPassword) return access;
  const isGiven = await askPassword();
  const refused = isGiven
    ? await tryPySpy(what.pySpy, what.pid, { sudo: true })
    : readPySpyError('sudo: incorrect password', what.pid);
  if (refused) throw refused;
  return access;
}

/**
 * One look into the process. Without `--subprocesses`, which hides all reasons behind one message.
 * @param {PySpy} pySpy @param {number} pid
 * @param {{nonblocking?: boolean, sudo?: boolean}} how
 * @returns {Promise<LoadflameError | null>} null: it works
 */
async function tryPySpy(pySpy, pid, { nonblocking = false, sudo = false }) {
  const look = [pySpy.path, 'dump', '--pid', `${pid}`, ...(nonblocking ? ['--nonblocking'] : [])];
  const [file = pySpy.path, ...args] = sudo ? underSudo(look) : look;
  const result = await execa(file, args, {
    reject: false,
    stdin: 'ignore',
    stdout: 'ignore',
    timeout: 20_000,
    env: { RUST_BACKTRACE: '0' },
  });
  if (!result.failed) return null;
  if (sudo && result.exitCode === undefined) return readPySpyError('sudo: Permission denied', pid);
  return readPySpyError(String(result.stderr || result.shortMessage), pid);
}

async function hasSudo() {
  return !(await execa('sudo', ['--version'], { stdio: 'ignore', reject: false })).failed;
}

// -- sudo, for py-spy alone and only where it is needed.

/** sudo forgets a password after 5 to 15 minutes, by distribution. */
const REFRESH_MS = 60_000;

/**
 * The command line that runs a program as root without ever asking: what has to be asked for was
 * asked before the recording began.
 * @param {string[]} command
 */
export function underSudo(command) {
  return ['sudo', '-n', '--', ...command];
}

/** Is there a terminal on which sudo can ask for a password? */
function canAskPassword() {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

/** Lets sudo ask for the password, on the terminal. @returns {Promise<boolean>} whether it was given */
async function askPassword() {
  const { failed } = await execa('sudo', ['-v'], { stdio: 'inherit', reject: false });
  return !failed;
}

/**
 * Keeps the password fresh while a recording lasts.
 * @returns {() => void} ends that
 */
export function keepSudoFresh() {
  const timer = setInterval(() => {
    execa('sudo', ['-n', '-v'], { stdio: 'ignore', reject: false });
  }, REFRESH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Sends a signal to a process of root that we started through sudo; sudo itself would not hand it on.
 * Signal 0 only asks whether sudo lets us.
 * @param {number} pid @param {'INT' | 'KILL' | '0'} signal
 * @returns {Promise<boolean>} whether sudo did it
 */
export async function signalUnderSudo(pid, signal) {
  const [file = 'sudo', ...args] = underSudo(['kill', `-${signal}`, `${pid}`]);
  const { failed } = await execa(file, args, { stdio: 'ignore', reject: false, timeout: 10_000 });
  return !failed;
}

/**
 * The program below a sudo: sudo may put a monitor of its own in between.
 * @param {number} sudoPid @param {string} program absolute path
 * @returns {number | null}
 */
export function findUnderSudo(sudoPid, program) {
  return listDescendants(sudoPid).find(pid => readCommandLine(pid)?.[0] === program) ?? null;
}
