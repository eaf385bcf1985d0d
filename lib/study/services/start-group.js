/** Owns a program with all that it starts in turn: one process group, ended as one. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openToAppend } from '../../files/own-files.js';
import { startChild } from '../../process/child.js';
import { listGroup, trackGroup } from '../../process/process-group.js';
import { killMembers, MARK_VARIABLE } from './group-members.js';
import { makeEnvironment } from './service-environment.js';

/** @import { ChildEnd } from '../../process/child.js' */
/** @import { Group } from './group-members.js' */
/** @import { User } from './service-environment.js' */
/** @import { ChildProcess } from 'node:child_process' */
/** @import { Socket } from 'node:net' */

const STOP_GRACE_MS = 10_000;
const KILL_WAIT_MS = 2_000;

/**
 * @typedef {object} Surroundings
 * @property {string} cwd
 * @property {Record<string, string>} env all of it: nothing is inherited
 * @property {User | null} user null: who we are
 * @property {string} log file that takes what it says, at its end
 */

/**
 * @typedef {object} OwnedGroup
 * @property {number} pid of the leader
 * @property {Promise<ChildEnd>} ended of the leader
 * @property {() => boolean} isAlive
 * @property {(import('node:stream').Readable | null | undefined)[]} streams what it says, where no file takes it
 * @property {() => Promise<void>} stop the signal to the leader, then SIGKILL for all that is left; idempotent
 */

/**
 * It ends with us, also when we are killed by SIGKILL: its leader gets the stop signal from the kernel,
 * and a reaper ends the rest.
 * @param {string[]} command program and arguments; never through a shell
 * @param {Omit<Surroundings, 'log'> & {log: string | null}} surroundings `log: null`: it is read from `streams`
 * @param {NodeJS.Signals} [stopSignal]
 * @returns {OwnedGroup}
 */
export function startGroup(command, { cwd, env, user, log }, stopSignal = 'SIGTERM') {
  const [file = '', ...args] = command;
  const mark = randomUUID();
  watchGroup({ own: null, mark });
  // The program writes to the file itself: its last words are there even when we are gone. Execa takes a
  // descriptor, though its types do not say so.
  const output = log === null ? 'pipe' : /** @type {any} */ (openToAppend(log));
  const child = startChild(file, args, {
    parentDeathSignal: /** @type {'TERM' | 'INT' | 'QUIT'} */ (stopSignal.slice(3)),
    cwd,
    env: { ...env, [MARK_VARIABLE]: mark },
    extendEnv: false,
    stdout: output,
    stderr: output,
    ...(user ? { uid: user.uid, gid: user.gid } : {}),
  });
  if (log !== null) closeSync(output);
  const own = child.pid > 0 ? trackGroup(child.pid) : null;
  const group = { own, mark };
  watchGroup(group);
  child.process.once('exit', () => {
    if (own) listGroup(own);
    watchGroup(group);
  });

  /** @type {Promise<void> | undefined} */
  let stopping;
  async function end() {
    child.signal(stopSignal);
    const timer = new AbortController();
    const grace = sleep(STOP_GRACE_MS, null, { signal: timer.signal }).catch(() => null);
    await Promise.race([child.ended, grace]);
    timer.abort();
    await killMembers(group, KILL_WAIT_MS);
    await child.ended;
    forgetGroup(mark);
  }
  return {
    pid: child.pid,
    ended: child.ended,
    isAlive: child.isAlive,
    streams: [child.process.stdout, child.process.stderr],
    stop() {
      stopping ??= end();
      return stopping;
    },
  };
}

const REAPER = fileURLToPath(new URL('reaper.js', import.meta.url));

/** @type {ChildProcess | null} */
let reaper = null;

/**
 * A group is told before its program is started, again when its leader is known, and when that has ended: we may
 * be killed in between.
 * @param {Group} group ended when we are gone
 */
function watchGroup(group) {
  tell({ keep: group });
}

/** @param {string} mark of a group that has ended */
function forgetGroup(mark) {
  tell({ forget: mark });
}

/** @param {object} message */
function tell(message) {
  reaper ??= startReaper();
  reaper.stdin?.write(`${JSON.stringify(message)}\n`);
}

function startReaper() {
  const child = spawn(process.execPath, [REAPER], {
    cwd: '/',
    detached: true,
    env: makeEnvironment({}),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without it services still get their stop signal from the kernel; a new one is started for the next.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.once('exit', () => {
    reaper = null;
  });
  child.unref();
  /** @type {Socket} */ (child.stdin).unref();
  return child;
}
