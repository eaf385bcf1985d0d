/** py-spy's live view, on the user's terminal. */
import { execa } from 'execa';
import { LoadflameError } from '../../errors.js';
import { inheritEnvironment } from '../../process/bare-environment.js';
import { obtainPrivileges } from './privileges.js';

/** @import { PySpy } from './find-py-spy.js' */

/**
 * Shows what the master and its workers do until the user ends it.
 * @param {{masterPid: number, pySpy: PySpy, rateHz: number}} options
 * @throws {LoadflameError} PYSPY_NO_TERMINAL, PYSPY_FAILED, PYSPY_PERMISSION, PYSPY_NO_PROCESS, …
 */
export async function runPySpyTop({ masterPid, pySpy, rateHz }) {
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw new LoadflameError('PYSPY_NO_TERMINAL');
  const { sudo, mode } = await obtainPrivileges({ pySpy, pid: masterPid });
  const view = [pySpy.path, 'top', '--subprocesses'];
  view.push('--rate', `${rateHz}`, '--pid', `${masterPid}`);
  if (mode === 'nonblocking') view.push('--nonblocking');
  const [file = '', ...args] = sudo ? ['sudo', '--', ...view] : view;
  // Ctrl+C is for py-spy, which ends by it; we have to outlive it to clean up after us.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  try {
    const { exitCode, signal } = await execa(file, args, {
      stdio: 'inherit',
      reject: false,
      ...inheritEnvironment(),
    });
    if (exitCode === 0 || signal === 'SIGINT') return;
    // Its own codes mean something else than ours.
    const tail = `it ended with ${signal ?? `code ${exitCode}`}`;
    throw new LoadflameError(
      'PYSPY_FAILED',
      { pid: masterPid, tail },
      { hint: 'run `loadflame doctor`' },
    );
  } finally {
    process.off('SIGINT', ignore);
  }
}
