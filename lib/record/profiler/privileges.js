/** May py-spy look into this process: as it is, only without pausing it, or only under sudo? */
import { execa } from 'execa';
import { LoadflameError } from '../../errors.js';
import { readPySpyError } from './read-py-spy-error.js';
import { askPassword, canAskPassword, signalUnderSudo, underSudo } from './sudo.js';

/**
 * @typedef {object} Access
 * @property {boolean} sudo py-spy has to run under sudo
 * @property {boolean} asksPassword sudo wants a password, on this terminal
 * @property {'blocking' | 'nonblocking'} mode `nonblocking` where the system forbids to pause a process
 */

/** @typedef {import('./find-py-spy.js').PySpy} PySpy */

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
