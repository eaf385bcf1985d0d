/** Owns a program with everything that it starts: one group, ended together, whatever the parent of a process is by now. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openToAppend } from '../../base/files/own-files.js';
import { tryOr } from '../../base/files/try-or.js';
import { pickVariables } from '../../base/process/bare-environment.js';
import { startChild } from '../../base/process/child.js';
import { listGroup, signalGroup, trackGroup } from '../../base/process/process-group.js';
import {
  isProcessAlive,
  isSameProcess,
  listProcesses,
  readProgram,
  readVariable,
} from '../../base/process/process-table.js';
import { listChildren } from '../../record/target/process-family.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Socket } from 'node:net' */
/** @import { ChildEnd } from '../../base/process/child.js' */
/** @import { ProcessGroup } from '../../base/process/process-group.js' */
/** @import { ProcessStat } from '../../base/process/process-table.js' */

const STOP_GRACE_MS = 10_000;

/**
 * @typedef {object} Surroundings
 * @property {string} cwd
 * @property {Record<string, string>} env complete: nothing is inherited
 * @property {string} log file that output is appended to
 */

/**
 * @typedef {object} OwnedGroup
 * @property {number} pid of the leader
 * @property {Promise<ChildEnd>} ended of the leader
 * @property {() => boolean} isAlive
 * @property {(import('node:stream').Readable | null | undefined)[]} streams its output, where no file takes it
 * @property {() => Promise<void>} stop sends the signal to the leader and its program, then to what these leave, then
 *   SIGKILL; idempotent
 */

/**
 * Starts a group that ends with us, even when SIGKILL ends us: its leader gets the stop signal from the kernel, and a
 * reaper ends the rest.
 * @param {string[]} command program and arguments; never through a shell
 * @param {Omit<Surroundings, 'log'> & {log: string | null}} surroundings `log: null`: output goes to `streams`
 * @param {NodeJS.Signals} [stopSignal]
 * @returns {OwnedGroup}
 */
export function startGroup(command, { cwd, env, log }, stopSignal = 'SIGTERM') {
  const [file = '', ...args] = command;
  const mark = randomUUID();
  tell({ keep: { own: null, mark, stopSignal } });
  // The program writes to the file itself, so its last output is there even if we are gone.
  const output = log === null ? 'pipe' : openToAppend(log);
  const child = startChild(file, args, {
    parentDeathSignal: /** @type {'TERM' | 'INT' | 'QUIT'} */ (stopSignal.slice(3)),
    cwd,
    env: { ...env, [MARK_VARIABLE]: mark },
    extendEnv: false,
    stdout: output,
    stderr: output,
  });
  if (typeof output === 'number') closeSync(output);
  const own = child.pid > 0 ? trackGroup(child.pid) : null;
  const group = { own, mark, stopSignal };
  tell({ keep: group });
  child.process.once('exit', () => {
    if (own) listGroup(own);
    tell({ keep: group });
  });

  /** @type {Promise<void> | undefined} */
  let stopping;
  async function end() {
    // Once it has ended, another process may have its pid.
    const program = child.isAlive() ? findProgram(child.pid) : child.pid;
    child.signal(stopSignal);
    if (program !== child.pid) signalProcess(program, stopSignal);
    const timer = new AbortController();
    const deadlineMs = Date.now() + STOP_GRACE_MS;
    const grace = sleep(STOP_GRACE_MS, null, { signal: timer.signal }).catch(() => null);
    await Promise.race([child.ended, grace]);
    timer.abort();
    await endMembers(group, deadlineMs - Date.now(), program);
    await child.ended;
    tell({ forget: mark });
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

/**
 * Some shells replace themselves by their last program; others wait for it, and keep SIGINT from it.
 * @param {number} pid of a shell or of another program
 * @returns {number} of the program that it runs
 */
export function findProgram(pid) {
  const [only, ...more] = readProgram(pid) === SHELL ? listChildren(pid) : [];
  return only === undefined || more.length > 0 ? pid : findProgram(only);
}

const SHELL = realpathSync('/bin/sh');

/** @param {number} pid @param {NodeJS.Signals} signal */
function signalProcess(pid, signal) {
  // It may have ended by itself.
  tryOr(null, () => process.kill(pid, signal));
}

const REAPER = fileURLToPath(new URL('reaper.js', import.meta.url));

/** @type {ChildProcess | null} */
let reaper = null;

/**
 * The reaper hears of a group before its program starts, when its leader is known, and when that has ended: we may be
 * killed in between.
 * @param {{keep: Group} | {forget: string}} message `keep`: end it when we are gone; `forget`: mark of an ended group
 */
function tell(message) {
  reaper ??= startReaper();
  reaper.stdin?.write(`${JSON.stringify(message)}\n`);
}

function startReaper() {
  const child = spawn(process.execPath, [REAPER], {
    cwd: '/',
    detached: true,
    env: pickVariables(),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a reaper, services still get their stop signal from the kernel; the next message starts a new one.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.once('exit', () => {
    reaper = null;
  });
  child.unref();
  /** @type {Socket} */ (child.stdin).unref();
  return child;
}

/** In the environment of every process of a group: daemons leave the group but keep the mark. */
const MARK_VARIABLE = 'LOADFLAME_GROUP';

const POLL_MS = 20;
const KILL_WAIT_MS = 2_000;

/**
 * `own`: null while its leader is unknown, or if it could not start.
 * @typedef {{own: ProcessGroup | null, mark: string, stopSignal: NodeJS.Signals}} Group
 */

/** Members that are alive. @param {Group} group */
function listMembers({ own, mark }) {
  const all = listProcesses();
  const inGroup = own ? listGroup(own, all) : [];
  return all
    .filter(one => inGroup.includes(one) || readVariable(one.pid, MARK_VARIABLE) === mark)
    .filter(({ pid }) => isProcessAlive(pid));
}

/**
 * Ends a group whose leader has had its signal. What the leader left, such as the program of a shell, gets the signal
 * too.
 * @param {Group} group
 * @param {number} graceMs until SIGKILL
 * @param {number} [signalled] pid that already had the signal
 */
export async function endMembers(group, graceMs, signalled) {
  const members = listMembers(group);
  const isOfMember = (/** @type {number} */ parent) => members.some(({ pid }) => pid === parent);
  for (const member of members)
    if (member.pid !== signalled && !isOfMember(member.ppid)) send(member, group.stopSignal);
  if (!(await waitUntilGone(group, graceMs))) await killMembers(group);
}

/** @param {Group} group @param {number} timeoutMs @returns {Promise<boolean>} false: some are left */
async function waitUntilGone(group, timeoutMs) {
  const deadlineMs = Date.now() + timeoutMs;
  while (listMembers(group).length > 0) {
    if (Date.now() > deadlineMs) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/**
 * Ends what is left with SIGKILL, repeatedly while new processes appear.
 * @param {Group} group
 */
async function killMembers(group) {
  const deadlineMs = Date.now() + KILL_WAIT_MS;
  do {
    if (group.own) signalGroup(group.own, 'SIGKILL');
    for (const member of listMembers(group)) send(member, 'SIGKILL');
  } while (!(await waitUntilGone(group, 5 * POLL_MS)) && Date.now() < deadlineMs);
}

/** @param {ProcessStat} member @param {NodeJS.Signals} signal */
function send({ pid, startTicks }, signal) {
  if (isSameProcess(pid, startTicks)) signalProcess(pid, signal);
}
