/** CPU time and memory of a process and everything that it has started. */
import { readFileSync } from 'node:fs';
import { listProcesses } from '../../lib/base/process/process-table.js';

/**
 * @typedef {object} TreeUsage
 * @property {number} cpuMs user + system time since the start, processes included that have ended
 *   (their parent has waited for them); the kernel counts in steps of 10 ms
 * @property {number} memoryBytes resident memory: what is each process' own, summed, and once the
 *   files that they have mapped, as much as the process with most of it (they run the same program)
 * @property {number[]} pids that are alive, the root first
 */

/**
 * @param {number} rootPid
 * @param {import('../../lib/base/process/process-table.js').ProcessStat[]} [table] of all processes
 * @returns {TreeUsage} of zeros once the root has ended
 */
export function measureTree(rootPid, table = listProcesses()) {
  /** @type {Map<number, import('../../lib/base/process/process-table.js').ProcessStat[]>} */
  const children = Map.groupBy(table, stat => stat.ppid);
  const usage = { cpuMs: 0, memoryBytes: 0, pids: /** @type {number[]} */ ([]) };
  let fileBytes = 0;
  const waiting = table.filter(stat => stat.pid === rootPid);
  for (let stat = waiting.shift(); stat; stat = waiting.shift()) {
    usage.cpuMs += stat.cpuMs + stat.childCpuMs;
    const memory = readMemory(stat.pid);
    usage.memoryBytes += memory.ownBytes;
    fileBytes = Math.max(fileBytes, memory.fileBytes);
    usage.pids.push(stat.pid);
    waiting.push(...(children.get(stat.pid) ?? []));
  }
  usage.memoryBytes += fileBytes;
  return usage;
}

/** @param {number} pid @returns {{ownBytes: number, fileBytes: number}} of zeros when it has ended */
function readMemory(pid) {
  let status = '';
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {}
  const read = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { ownBytes: read('RssAnon') + read('RssShmem'), fileBytes: read('RssFile') };
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
    peakMemoryBytes: () => Math.max(0, ...samples.map(({ usage }) => usage.memoryBytes)),
    stop: () => clearInterval(timer),
  };
}
