/** CPU time and memory of the processes of a run, and of the whole machine, once a second. */
import { readFileSync } from 'node:fs';
import { readStat } from '../../process-table.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { createThrottlingWatch } from './watch-throttling.js';

/** Clock ticks per second in `/proc/stat`; 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/**
 * @typedef {object} ResourceRecorder
 * @property {string | null} reason why nothing is recorded; null where it is
 * @property {() => void} sampleNow a sample between two seconds: at the edges of the load
 * @property {() => void} stop takes the last sample; idempotent
 */

/**
 * Appends samples from now on. A process' CPU time is the truth that profile samples only split up;
 * a process that ends leaves its last sample.
 * @param {object} options
 * @param {() => {pid: number, role: string}[]} options.roles asked before every sample
 * @param {import('../../run/run-folder.js').RunFiles} options.files
 * @param {(error: Error) => void} [options.onWriteError] once
 * @param {number} [options.intervalMs]
 * @returns {ResourceRecorder}
 */
export function startResourceRecorder({ roles, files, onWriteError, intervalMs = 1000 }) {
  if (readHost() === null) {
    const reason = `${process.platform} has no /proc: the CPU time of processes is not known`;
    return { reason, sampleNow: () => {}, stop: () => {} };
  }
  const writer = createNdjsonWriter(files.processes, { onError: onWriteError });
  const throttling = createThrottlingWatch();
  const sampleNow = () => {
    const t = Date.now();
    const processes = roles();
    for (const { pid, role } of processes) {
      const stat = readStat(pid);
      if (!stat || stat.state === 'Z') continue;
      const { cpuMs, rssBytes, threads, startTicks } = stat;
      writer.append('sample', { t, pid, role, cpuMs, rssBytes, threads, startTicks });
    }
    writer.append('host', { t, ...readHost() });
    for (const cgroup of throttling.sample(processes)) writer.append('cgroup', { t, ...cgroup });
  };
  let isStopped = false;
  const timer = setInterval(sampleNow, intervalMs);
  sampleNow();
  return {
    reason: null,
    sampleNow,
    stop: () => {
      if (isStopped) return;
      isStopped = true;
      clearInterval(timer);
      sampleNow();
    },
  };
}

/**
 * CPU time of all processors since boot. Time that a hypervisor took away (steal) counts as busy: it
 * was not there to be used.
 * @returns {{busyMs: number, totalMs: number, cpus: number} | null} null without `/proc`
 */
function readHost() {
  let text;
  try {
    text = readFileSync('/proc/stat', 'latin1');
  } catch {
    return null;
  }
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = (
    /^cpu +(.*)$/m.exec(text)?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  const busy = user + nice + system + irq + softIrq + steal;
  return {
    busyMs: busy * MS_PER_TICK,
    totalMs: (busy + idle + ioWait) * MS_PER_TICK,
    cpus: text.match(/^cpu\d/gm)?.length ?? 1,
  };
}
