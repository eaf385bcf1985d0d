/** CPU time of the thread that asks. */
import { readFileSync } from 'node:fs';

const NS_PER_MS = 1e6;
const US_PER_MS = 1000;

/**
 * @returns {number | null} ms since the thread began; null where the system does not tell
 */
export function readThreadCpuMs() {
  // Node 22 does not have it.
  const usage = process.threadCpuUsage?.();
  return usage ? (usage.user + usage.system) / US_PER_MS : readSchedstatMs();
}

/**
 * `thread-self` is the thread that opens the file, so the reading has to be synchronous: anything
 * else opens it in a thread of libuv's pool. The first number is the time on a CPU (Linux,
 * Documentation/scheduler/sched-stats.rst).
 * @returns {number | null}
 */
export function readSchedstatMs() {
  try {
    const ns = Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);
    return Number.isFinite(ns) ? ns / NS_PER_MS : null;
  } catch {
    return null;
  }
}
