/** CPU time and memory of a process and everything that it has started. */
import { listProcesses } from '../../lib/process-table.js';

/**
 * @typedef {object} TreeUsage
 * @property {number} cpuMs user + system time since the start, processes included that have ended
 *   (their parent has waited for them); the kernel counts in steps of 10 ms
 * @property {number} rssBytes resident memory, summed over the processes: pages that two of them
 *   share (the program itself, libraries) count twice
 * @property {number[]} pids that are alive, the root first
 */

/**
 * @param {number} rootPid
 * @param {import('../../lib/process-table.js').ProcessStat[]} [table]
 * @returns {TreeUsage} of zeros once the root has ended
 */
export function measureTree(rootPid, table = listProcesses()) {
  /** @type {Map<number, import('../../lib/process-table.js').ProcessStat[]>} */
  const children = Map.groupBy(table, stat => stat.ppid);
  const usage = { cpuMs: 0, rssBytes: 0, pids: /** @type {number[]} */ ([]) };
  const waiting = table.filter(stat => stat.pid === rootPid);
  for (let stat = waiting.shift(); stat; stat = waiting.shift()) {
    usage.cpuMs += stat.cpuMs + stat.childCpuMs;
    usage.rssBytes += stat.rssBytes;
    usage.pids.push(stat.pid);
    waiting.push(...(children.get(stat.pid) ?? []));
  }
  return usage;
}

/**
 * Samples a tree until it is told to stop.
 * @param {number} rootPid
 * @param {number} [intervalMs] none: samples are only taken when asked for
 */
export function watchTree(rootPid, intervalMs) {
  /** @type {{atMs: number, usage: TreeUsage}[]} */
  const samples = [];
  const sample = () => {
    const usage = measureTree(rootPid);
    if (usage.pids.length > 0) samples.push({ atMs: performance.now(), usage });
    return usage;
  };
  sample();
  const timer = intervalMs === undefined ? undefined : setInterval(sample, intervalMs);
  return {
    samples,
    sample,
    /** the most memory that a sample saw */
    peakRssBytes: () => Math.max(0, ...samples.map(({ usage }) => usage.rssBytes)),
    stop: () => clearInterval(timer),
  };
}
