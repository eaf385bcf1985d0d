/** How busy everybody else keeps the machine: a share that is off beside them says little of a way of sampling. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readStat, readThreadTimes } from '../../lib/base/process/process-table.js';
import { listDescendants } from '../../lib/record/target/process-family.js';

/** @import { ThreadTimes } from '../../lib/base/process/process-table.js' */

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
 * The scheduler's account of the threads of a process and of those below it.
 * @param {number} pid
 * @returns {Map<number, ThreadTimes>} by id; empty where the kernel does not keep it
 */
export function readThreads(pid) {
  const threads = [pid, ...listDescendants(pid)].flatMap(readThreadTimes);
  return new Map(threads.map(times => [times.tid, times]));
}

/**
 * @param {Map<number, ThreadTimes>} before @param {Map<number, ThreadTimes>} after
 * @returns {ThreadTimes[]} of those that ran in between
 */
export function subtractThreads(before, after) {
  return [...after.values()]
    .map(({ tid, runMs, queuedMs, slices }) => {
      const old = before.get(tid) ?? { runMs: 0, queuedMs: 0, slices: 0 };
      return {
        tid,
        runMs: runMs - old.runMs,
        queuedMs: queuedMs - old.queuedMs,
        slices: slices - old.slices,
      };
    })
    .filter(({ slices }) => slices > 0);
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
