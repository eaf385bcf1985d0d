/** How busy everybody else keeps the machine: a share that is off beside them says little of a way of sampling. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readStat } from '../../lib/process-table.js';
import { listDescendants } from '../../lib/target/process-family.js';

/** Kernel clock ticks per second as `/proc` counts them. */
const TICKS_PER_SEC = 100;

/** @typedef {{busyMs: number, ownMs: number, ms: number}} Use */

/** CPU of the machine, and of us with all that we started, since their start. @returns {Use} */
export function readUse() {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1);
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line
    .split(/\s+/)
    .map(Number);
  const busyMs = ((user + nice + system + irq + softirq) * 1000) / TICKS_PER_SEC;
  const ownMs = [process.pid, ...listDescendants(process.pid)]
    .map(pid => readStat(pid)?.cpuMs ?? 0)
    .reduce((sum, ms) => sum + ms, 0);
  return { busyMs, ownMs, ms: performance.now() };
}

/** @param {Use} before @param {Use} after while nothing of ours ended @returns {number} cores that others used */
export function measureOthers(before, after) {
  const others = after.busyMs - before.busyMs - (after.ownMs - before.ownMs);
  return Math.max(0, others) / (after.ms - before.ms);
}

/**
 * How long threads of a process and of those below it waited for a core while they were runnable, since
 * their start (second field of `schedstat`, ns).
 * @param {number} pid
 * @returns {number | null} ms; null where the kernel does not count it
 */
export function readQueuedMs(pid) {
  try {
    return [pid, ...listDescendants(pid)]
      .flatMap(own => readdirSync(`/proc/${own}/task`).map(tid => `/proc/${own}/task/${tid}`))
      .map(task => Number(readFileSync(`${task}/schedstat`, 'latin1').split(' ')[1]) / 1e6)
      .reduce((sum, ms) => sum + ms, 0);
  } catch {
    return null;
  }
}

/** Others may use so much of a core. */
export const CALM_CORES = 0.25;
const LOOK_MS = 250;
const RESUME_MS = 150;

/**
 * Waits until others leave the machine alone; our own load rests meanwhile, so that they get done.
 * @param {{pause: () => void, resume: () => void}} load
 * @param {number} patienceMs of all calls together
 * @returns {() => Promise<void>} comes back at once when the patience is used up
 */
export function createCalm(load, patienceMs) {
  let leftMs = patienceMs;
  return async () => {
    let isPaused = false;
    while (leftMs > 0) {
      const before = readUse();
      await sleep(LOOK_MS);
      if (measureOthers(before, readUse()) < CALM_CORES) break;
      load.pause();
      isPaused = true;
      leftMs -= LOOK_MS;
    }
    if (!isPaused) return;
    load.resume();
    await sleep(RESUME_MS);
  };
}
