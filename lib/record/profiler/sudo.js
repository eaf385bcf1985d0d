/** sudo, for py-spy alone and only where it is needed. */
import { execa } from 'execa';
import { readCommandLine } from '../../process-table.js';
import { listDescendants } from '../../target/process-family.js';

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
export function canAskPassword() {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

/** Lets sudo ask for the password, on the terminal. @returns {Promise<boolean>} whether it was given */
export async function askPassword() {
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
