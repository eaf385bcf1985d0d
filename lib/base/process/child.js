/** Owns a child process to its end: starts it in its own group, stops it by its own pid, and waits for it. */
import { ChildProcess, spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { inheritEnvironment, pickVariables } from './bare-environment.js';
import { listGroup, signalGroup, trackGroup } from './process-group.js';
import { isProcessAlive } from './process-table.js';

/** By then its last output has been read; only another program can still hold the pipe. */
const DRAIN_MS = 2000;

/** @import { ProcessGroup } from './process-group.js' */

/**
 * @typedef {object} OwnedChild
 * @property {number} pid
 * @property {ChildProcess} process
 * @property {Promise<ChildEnd>} ended settles when the process has ended, and its output has or 2 s have
 *   passed; never rejects
 * @property {() => boolean} isAlive
 * @property {(signal: NodeJS.Signals) => boolean} signal to this process only; false if it has ended
 * @property {(options?: StopOptions) => Promise<ChildEnd>} stop signal, wait, SIGKILL; idempotent. With `groupGraceMs`
 *   SIGTERM, that wait and SIGKILL go to the whole group
 */

/**
 * @typedef {object} ChildEnd
 * @property {number | null} exitCode
 * @property {string | null} signal that ended it
 * @property {Error | null} error why it could not be started
 */

/** @typedef {{signal?: NodeJS.Signals, graceMs?: number}} StopOptions */

/**
 * @typedef {Omit<import('node:child_process').SpawnOptions, 'stdio'> & Partial<Record<'stdin' | 'stdout' | 'stderr', Output>> & {
 *   extendEnv?: boolean, ipc?: boolean, parentDeathSignal?: 'TERM' | 'INT' | 'QUIT' | 'KILL', groupGraceMs?: number
 * }} ChildOptions
 */

/** @typedef {'pipe' | 'ignore' | 'inherit' | number} Output a number: an open file */

/**
 * Starts a program that we will end. It gets its own process group, so that Ctrl+C in a terminal reaches only
 * loadflame, and on Linux it ends with us even if we are killed with SIGKILL.
 * @param {string} file
 * @param {string[]} args never secrets: every user of the machine can read them
 * @param {ChildOptions} [options] `groupGraceMs`: the rest of its group is ended with it; `env` is added to ours
 *   without its secrets, unless `extendEnv` is false
 * @returns {OwnedChild}
 */
export function startChild(file, args, options = {}) {
  const { parentDeathSignal = 'TERM', groupGraceMs, stdin = 'ignore', ipc, ...others } = options;
  const { stdout = 'pipe', stderr = 'pipe' } = options;
  const [program, programArgs] = hasSetpriv()
    ? ['setpriv', ['--pdeathsig', parentDeathSignal, '--', file, ...args]]
    : [file, args];
  const child = spawnOrFail(program, programArgs, {
    detached: true,
    ...others,
    stdio: [stdin, stdout, stderr, ...(ipc ? [/** @type {const} */ ('ipc')] : [])],
    ...(others.extendEnv !== false && inheritEnvironment(others.env)),
  });
  const pid = child.pid ?? -1;
  const group = groupGraceMs === undefined || pid < 0 ? null : trackGroup(pid);
  /** @type {Promise<ChildEnd>} */
  const ended = new Promise(resolve => {
    child.on('error', error => {
      // Otherwise a message or a signal to it failed.
      if (pid < 0) resolve({ exitCode: null, signal: null, error });
    });
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, error: null }));
  });
  let over = false;
  child.once('exit', () => {
    const timer = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, DRAIN_MS);
    ended.then(() => clearTimeout(timer));
    if (!group) return;
    listGroup(group);
    void stop();
  });
  ended.then(() => {
    over = true;
  });
  const isAlive = () => !over && pid > 0 && isProcessAlive(pid);
  /** @param {NodeJS.Signals} signal */
  const signal = signal => isAlive() && child.kill(signal);

  /** @type {Promise<ChildEnd> | undefined} */
  let stopping;
  /** @param {StopOptions} [stopOptions] */
  const stopOne = async ({ signal: first = 'SIGTERM', graceMs = 5000 } = {}) => {
    if (signal(first)) {
      const timer = setTimeout(signal, graceMs, 'SIGKILL');
      await ended;
      clearTimeout(timer);
    }
    return ended;
  };
  /** @param {StopOptions} [stopOptions] */
  const stop = stopOptions => {
    if (!group) return stopOne(stopOptions);
    stopping ??= stopGroup(group, groupGraceMs ?? 0).then(() => ended);
    return stopping;
  };
  return { pid, process: child, ended, isAlive, signal, stop };
}

/** Called once, also when the child ends by itself. @param {ProcessGroup} group @param {number} graceMs */
async function stopGroup(group, graceMs) {
  const deadline = Date.now() + graceMs;
  signalGroup(group, 'SIGTERM');
  while (signalGroup(group, 0) && Date.now() < deadline) await sleep(20);
  signalGroup(group, 'SIGKILL');
}

/** @type {boolean | undefined} */
let setprivFound;

/** `setpriv` (util-linux) sets the parent-death signal, which Node cannot do. */
function hasSetpriv() {
  const options = { stdio: /** @type {const} */ ('ignore'), env: pickVariables() };
  setprivFound ??=
    process.platform === 'linux' &&
    spawnSync('setpriv', ['--pdeathsig', 'TERM', '--', 'true'], options).status === 0;
  return setprivFound;
}

/**
 * Reports a failed start like a later error.
 * @param {string} file @param {string[]} args @param {import('node:child_process').SpawnOptions} options
 */
function spawnOrFail(file, args, options) {
  try {
    return spawn(file, args, options);
  } catch (error) {
    const child = new ChildProcess();
    process.nextTick(() => child.emit('error', error));
    return child;
  }
}
