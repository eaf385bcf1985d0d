import { LoadflameError } from '../../errors.js';
import { interruptible } from '../../interruptible.js';
import { findProgram } from './find-program.js';
import { describeEnd, measureLog, tailLog } from './log-tail.js';
import { startGroup } from './start-group.js';

const TIMEOUT_MS = 120_000;

/**
 * Runs a command to its end. What it leaves running ends with it.
 * @param {string[]} command
 * @param {import('./start-group.js').Surroundings} surroundings
 * @param {{owner: string, install?: string | null, signal: AbortSignal, timeoutMs?: number}} options
 *   `owner`: whose command it is, for messages
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING, STUDY_COMMAND_FAILED, INTERRUPTED
 */
export async function runCommand(command, surroundings, options) {
  const { owner, install = null, signal, timeoutMs = TIMEOUT_MS } = options;
  requireProgram(command, surroundings, { owner, install });
  const from = measureLog(surroundings.log);
  const group = startGroup(command, surroundings);
  const timer = AbortSignal.timeout(timeoutMs);
  const tooLate = new Promise(resolve => {
    timer.addEventListener('abort', () => resolve(null), { once: true });
  });
  /** @type {import('../../child.js').ChildEnd | null} */
  let end;
  try {
    end = await interruptible(signal, Promise.race([group.ended, tooLate]));
  } finally {
    await group.stop();
  }
  if (end?.exitCode === 0) return;
  throw new LoadflameError('STUDY_COMMAND_FAILED', {
    owner,
    command: command.join(' '),
    end: end ? describeEnd(end) : `not done after ${timeoutMs / 1000} s`,
    tail: tailLog(surroundings.log, from),
  });
}

/**
 * @param {string[]} command
 * @param {{env: Record<string, string>, cwd: string}} surroundings
 * @param {{owner: string, install: string | null}} whose `install`: Debian package
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING
 */
export function requireProgram([program = ''], surroundings, { owner, install }) {
  if (findProgram(program, surroundings)) return;
  const how = install
    ? `\`apt-get install ${install}\` on Debian and Ubuntu`
    : 'put it on the PATH';
  throw new LoadflameError('STUDY_PROGRAM_MISSING', { program, owner, how });
}
