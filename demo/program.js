/** Owns a program from its start to its end, with all that it starts in turn. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Server } from 'node:net' */

/** What a program may see of our environment; the rest, proxies above all, stays out. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];
const POLL_MS = 50;
const STOP_GRACE_MS = 10_000;
const KILL_WAIT_MS = 2_000;
const TAIL_LINES = 15;

/**
 * @typedef {object} Program
 * @property {number} pid also the id of its process group
 * @property {<T>(find: (log: string) => Promise<T | undefined>, timeoutMs: number, signal?: AbortSignal) => Promise<T>} waitFor
 *   what `find` makes of the program's log, as soon as it is something; when the program ends
 *   before that, or takes too long, stops it and throws an error that shows the end of the log
 * @property {() => Promise<void>} stop the stop signal, then SIGKILL for what is left; idempotent
 */

/**
 * Starts a program in a process group of its own, so that Ctrl+C in a terminal does not reach it;
 * on Linux the kernel ends it when we die, however we die.
 * @param {string} title for messages
 * @param {string} file
 * @param {string[]} args never secrets: other users of the machine can read them
 * @param {{env: Record<string, string>, logFile: string, ipc?: boolean, socket?: Server | null,
 *   stopSignal?: NodeJS.Signals}} options `ipc`: open a channel whose end tells the program that we
 *   are gone; `socket`: sent over it, and closed here
 * @returns {Promise<Program>}
 * @throws {Error & {hint: string}} when it can't be started
 */
export async function startProgram(title, file, args, options) {
  const { env, logFile, ipc = false, socket = null, stopSignal = 'SIGTERM' } = options;
  const log = openSync(logFile, 'w');
  const [command = file, ...rest] = [...wrapForParentDeath(), file, ...args];
  const child = spawn(command, rest, {
    detached: true,
    env: { ...pickEnvironment(), ...env },
    stdio: ['ignore', log, log, ...(ipc ? [/** @type {'ipc'} */ ('ipc')] : [])],
  });
  closeSync(log);
  await once(child, 'spawn').catch(cause => {
    const hint = `check that ${command} can be run`;
    throw Object.assign(new Error(`the demo's ${title} can't be started`, { cause }), { hint });
  });
  const pid = /** @type {number} */ (child.pid);
  if (socket) child.send('socket', socket, () => socket.close());

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const killGroup = () => signalGroup(pid, 'SIGKILL');
  process.once('exit', killGroup);
  child.once('exit', () => {
    process.removeListener('exit', killGroup);
    // Once only: a group of which nobody is left gives its number to a stranger, who leads it then.
    if (!isThere(pid)) killGroup();
  });

  /** @type {Promise<void> | undefined} */
  let stopping;
  const stop = () => {
    stopping ??= endProgram();
    return stopping;
  };
  async function endProgram() {
    child.kill(stopSignal);
    await waitUntil(hasEnded, STOP_GRACE_MS);
    if (!hasEnded()) killGroup();
    await waitUntil(() => hasEnded() && (isThere(pid) || !signalGroup(pid, 0)), KILL_WAIT_MS);
  }

  return {
    pid,
    stop,
    async waitFor(find, timeoutMs, signal) {
      const deadlineMs = Date.now() + timeoutMs;
      while (!signal?.aborted) {
        const isOver = hasEnded();
        const text = await readFile(logFile, 'utf8');
        const found = await find(text);
        if (found !== undefined && !isOver) return found;
        if (isOver || Date.now() > deadlineMs) {
          await stop();
          const problem = isOver
            ? 'ended while it was starting'
            : `was not ready after ${timeoutMs / 1000} s`;
          throw describeFailure(title, problem, text);
        }
        await sleep(POLL_MS);
      }
      await stop();
      throw signal.reason;
    },
  };
}

/** Words to put before a command so that the kernel ends it when this process dies. */
function wrapForParentDeath() {
  const wrapper = ['setpriv', '--pdeathsig', 'TERM', '--'];
  canWrap ??=
    process.platform === 'linux' &&
    spawnSync('setpriv', [...wrapper.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
  return canWrap ? wrapper : [];
}

/** @type {boolean | undefined} not every setpriv knows --pdeathsig (BusyBox's does not) */
let canWrap;

/** @returns {Record<string, string>} */
function pickEnvironment() {
  /** @type {Record<string, string>} */
  const env = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/**
 * @param {number} pid of the group's leader @param {NodeJS.Signals | 0} signal
 * @returns {boolean} false when the group has no process left
 */
function signalGroup(pid, signal) {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Of one that has ended it is another with its number. @param {number} pid */
function isThere(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** @param {() => boolean} isTrue @param {number} timeoutMs */
async function waitUntil(isTrue, timeoutMs) {
  const deadlineMs = Date.now() + timeoutMs;
  while (!isTrue() && Date.now() < deadlineMs) await sleep(POLL_MS);
}

/** @param {string} title @param {string} problem @param {string} log */
function describeFailure(title, problem, log) {
  const tail = log.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  const hint =
    'the lines above are the end of its log; if packages are missing, run: node scripts/run.js';
  return Object.assign(new Error(`the demo's ${title} ${problem}\n${tail}`), { hint });
}
