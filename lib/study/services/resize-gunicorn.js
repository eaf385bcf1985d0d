/** More or fewer workers for a gunicorn that goes on serving. */
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../errors.js';
import { throwIfInterrupted } from '../../process/interruptible.js';
import { isSameProcess, readStartTicks } from '../../process/process-table.js';
import { listWorkers } from '../../target/process-family.js';

/** @import { Stats } from 'node:fs' */

const POLL_MS = 50;
/** So long nothing may change before the workers count as those that stay. */
const STABLE_MS = 300;
const TIMEOUT_MS = 60_000;
/** Longer than any machine is up, and long ago by the calendar. */
const LONGEST_UPTIME_SEC = 1e9;

/** @typedef {{deadlineMs: number, signal: AbortSignal, isAlive: () => boolean}} Wait `isAlive`: the master of then */

/**
 * Resizes one worker at a time with TTIN and TTOU, which every gunicorn understands.
 * @param {number} masterPid
 * @param {number} workers at least 1
 * @param {{signal: AbortSignal, timeoutMs?: number}} options
 * @returns {Promise<number[]>} pids of the workers, all of them past their boot
 * @throws {LoadflameError} STUDY_RESIZE_FAILED, INTERRUPTED
 */
export async function resizeGunicorn(masterPid, workers, { signal, timeoutMs = TIMEOUT_MS }) {
  const deadlineMs = Date.now() + timeoutMs;
  if (!Number.isInteger(workers) || workers < 1) {
    throw failure(masterPid, workers, 'a number of workers is whole and at least 1');
  }
  const startTicks = readStartTicks(masterPid);
  const isAlive = () => isSameProcess(masterPid, startTicks);
  for (;;) {
    const now = await waitUntilStable(masterPid, workers, { deadlineMs, signal, isAlive });
    if (now.length === workers) return now;
    if (!isAlive()) throw failure(masterPid, workers, 'the master has ended');
    send(masterPid, workers, now.length < workers ? 'SIGTTIN' : 'SIGTTOU');
    const isChanged = () => listWorkers(masterPid).length !== now.length;
    while (isAlive() && !isChanged())
      await pause(masterPid, workers, { deadlineMs, signal, isAlive });
  }
}

/**
 * How many workers a gunicorn has that somebody else runs, and a way back to so many.
 * @param {number} masterPid
 * @returns {() => Promise<void>} throws STUDY_RESIZE_FAILED; nothing where it is gone
 */
export function rememberWorkers(masterPid) {
  const before = listWorkers(masterPid).length;
  const startTicks = readStartTicks(masterPid);
  return async () => {
    if (!isSameProcess(masterPid, startTicks)) return;
    await resizeGunicorn(masterPid, before, { signal: new AbortController().signal });
  };
}

/**
 * @param {number} masterPid @param {number} workers @param {Wait} wait
 * @returns {Promise<number[]>} the workers, when all have booted and none came or went for a while
 */
async function waitUntilStable(masterPid, workers, wait) {
  let last = '';
  let sinceMs = Date.now();
  for (;;) {
    const pids = listWorkers(masterPid);
    const isSame = pids.join() === last && pids.length > 0 && pids.every(hasBooted);
    if (!isSame) sinceMs = Date.now();
    else if (Date.now() - sinceMs >= STABLE_MS) return pids;
    last = pids.join();
    await pause(masterPid, workers, wait);
  }
}

/** @param {number} masterPid @param {number} workers @param {Wait} wait */
async function pause(masterPid, workers, { deadlineMs, signal, isAlive }) {
  throwIfInterrupted(signal);
  if (!isAlive()) throw failure(masterPid, workers, 'the master has ended');
  if (Date.now() > deadlineMs) {
    const pids = listWorkers(masterPid);
    const booting = pids.filter(pid => !hasBooted(pid)).length;
    const why = `it still has ${pids.length}${booting > 0 ? `, ${booting} of them booting` : ''}`;
    throw failure(masterPid, workers, why);
  }
  await sleep(POLL_MS);
}

/** @param {number} masterPid @param {number} workers @param {NodeJS.Signals} name */
function send(masterPid, workers, name) {
  try {
    process.kill(masterPid, name);
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw failure(
      masterPid,
      workers,
      code === 'EPERM' ? 'it belongs to another user' : 'it has ended',
    );
  }
}

/**
 * Has the worker loaded its application? From then on it shows signs of life on a temporary file that it
 * shares with the master (`gunicorn/workers/workertmp.py`): it sets the file's time to the monotonic
 * clock; before version 21 it switched its mode between 0 and 1.
 * @param {number} pid
 */
function hasBooted(pid) {
  try {
    const files = readdirSync(`/proc/${pid}/fd`)
      .map(fd => `/proc/${pid}/fd/${fd}`)
      .filter(link => /\/wgunicorn-[^/]*$/.test(readlinkSync(link)));
    return files.length > 0 && files.map(link => statSync(link)).every(isSignOfLife);
  } catch {
    return false;
  }
}

/** @param {Stats} stats */
function isSignOfLife({ mtimeMs, mode }) {
  return mtimeMs / 1000 < LONGEST_UPTIME_SEC || (mode & 0o777) <= 1;
}

/** @param {number} pid @param {number} workers @param {string} why */
function failure(pid, workers, why) {
  return new LoadflameError('STUDY_RESIZE_FAILED', { pid, workers, why });
}
