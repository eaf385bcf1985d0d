/** Has a second process watch over what we start, in case that we are killed. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { makeEnvironment } from './service-environment.js';

const KEEPER = fileURLToPath(new URL('keeper.js', import.meta.url));

/** @type {import('node:child_process').ChildProcess | null} */
let keeper = null;

/**
 * A group is told before its program is started, and again when its leader is known: we may be killed in
 * between.
 * @param {import('./group-members.js').Group} group ended when we are gone
 */
export function keepGroup(group) {
  tell({ keep: group });
}

/** @param {string} mark of a group that has ended: the number of its leader may soon be another's */
export function forgetGroup(mark) {
  tell({ forget: mark });
}

/** @param {object} message */
function tell(message) {
  keeper ??= startKeeper();
  keeper.stdin?.write(`${JSON.stringify(message)}\n`);
}

function startKeeper() {
  const child = spawn(process.execPath, [KEEPER], {
    cwd: '/',
    detached: true,
    env: makeEnvironment({}),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without it services still get their stop signal from the kernel; a new one is started for the next.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.once('exit', () => {
    keeper = null;
  });
  child.unref();
  /** @type {import('node:net').Socket} */ (child.stdin).unref();
  return child;
}
