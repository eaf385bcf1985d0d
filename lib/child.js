/** Owning a child process to its end: started in its own group, stopped by its own pid, waited for. */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { inheritEnvironment, pickBareEnvironment } from './bare-environment.js';
import { listGroup, signalGroup, trackGroup } from './process-group.js';
import { isProcessAlive } from './process-table.js';

/** What it printed last is read by then; whoever still holds its output is another program. */
const DRAIN_MS = 2000;

/** @import { ProcessGroup } from './process-group.js' */

/**
 * @typedef {object} OwnedChild
 * @property {number} pid
 * @property {import('execa').ResultPromise} process
 * @property {Promise<ChildEnd>} ended settles when the process has ended, and its output has or 2 s have
 *   passed; never rejects
 * @property {() => boolean} isAlive
 * @property {(signal: NodeJS.Signals) => boolean} signal to this process only; false if it has ended
 * @property {(options?: StopOptions) => Promise<ChildEnd>} stop signal, wait, SIGKILL; idempotent;
 *   of one with `groupGraceMs` SIGTERM, wait so long, SIGKILL, to it and what it started
 */

/**
 * @typedef {object} ChildEnd
 * @property {number | null} exitCode
 * @property {string | null} signal that ended it
 * @property {boolean} killed it did not heed the signal in time and got SIGKILL
 * @property {Error | null} error why it could not be started
 */

/** @typedef {{signal?: NodeJS.Signals, graceMs?: number}} StopOptions */

/**
 * Starts a program that we will end. It gets its own process group, so that Ctrl+C in a terminal
 * reaches loadflame alone, and on Linux it dies with us even when we are killed with SIGKILL.
 * @param {string} file
 * @param {string[]} args never secrets: every user of the machine can read them
 * @param {import('execa').Options & {parentDeathSignal?: 'TERM' | 'INT' | 'QUIT' | 'KILL', groupGraceMs?: number}} [options]
 *   `groupGraceMs`: what it leaves of its group is ended with it; `env` is added to ours, without what
 *   is secret in it, unless `extendEnv` is false
 * @returns {OwnedChild}
 */
export function startChild(file, args, options = {}) {
  const { parentDeathSignal = 'TERM', groupGraceMs, ...others } = options;
  const [program, programArgs] = hasSetpriv()
    ? ['setpriv', ['--pdeathsig', parentDeathSignal, '--', file, ...args]]
    : [file, args];
  const child = execa(program, programArgs, {
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stdin: 'ignore',
    ...others,
    ...(others.extendEnv !== false && inheritEnvironment(others.env)),
  });
  const pid = child.pid ?? -1;
  const group = groupGraceMs === undefined || pid < 0 ? null : trackGroup(pid);
  let killed = false;
  /** @type {Promise<ChildEnd>} */
  const ended = Promise.resolve(child).then(result => ({
    exitCode: result.exitCode ?? null,
    signal: result.signal ?? null,
    killed,
    error:
      result.failed && result.exitCode === undefined && !result.signal ? asError(result) : null,
  }));
  let over = false;
  child.nodeChildProcess.once('exit', () => {
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
  /** Once only, and begun at its end. @param {ProcessGroup} group @param {number} graceMs */
  const stopGroup = async (group, graceMs) => {
    const deadline = Date.now() + graceMs;
    signalGroup(group, 'SIGTERM');
    while (signalGroup(group, 0) && Date.now() < deadline) await sleep(20);
    signalGroup(group, 'SIGKILL');
    return ended;
  };

  /** @param {StopOptions} [stopOptions] */
  const stopOne = async ({ signal: first = 'SIGTERM', graceMs = 5000 } = {}) => {
    if (signal(first)) {
      const timer = setTimeout(() => {
        killed = true;
        signal('SIGKILL');
      }, graceMs);
      await ended;
      clearTimeout(timer);
    }
    return ended;
  };
  /** @param {StopOptions} [stopOptions] */
  const stop = stopOptions => {
    if (!group) return stopOne(stopOptions);
    stopping ??= stopGroup(group, groupGraceMs ?? 0);
    return stopping;
  };
  return { pid, process: child, ended, isAlive, signal, stop };
}

/** @type {boolean | undefined} */
let setprivFound;

/** `setpriv` (util-linux) sets the parent-death signal, which Node can't. */
function hasSetpriv() {
  setprivFound ??=
    process.platform === 'linux' &&
    spawnSync('setpriv', ['--pdeathsig', 'TERM', '--', 'true'], {
      stdio: 'ignore',
      env: pickBareEnvironment(),
    }).status === 0;
  return setprivFound;
}

/** @param {unknown} result */
function asError(result) {
  return result instanceof Error ? result : new Error(String(result));
}
