/** CPU time and memory of the processes of a run, and of the whole machine, once a second. */
import { readFileSync } from 'node:fs';
import { readStat } from '../../process-table.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { createDetailReader } from './read-details.js';
import { createGroupWatch } from './watch-groups.js';
import { createThrottlingWatch } from './watch-throttling.js';

/** Clock ticks per second in `/proc/stat`; 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;
/** Roles of those who measure; of the others more is recorded. */
const OURS = ['generator', 'py-spy', 'loadflame'];

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
 * @param {import('./watch-groups.js').RecordedGroup[]} [options.groups] recorded beside them
 * @param {() => number[]} [options.helpers] more processes of ours: they are in no group
 * @param {import('../../run/run-folder.js').RunFiles} options.files
 * @param {(error: Error) => void} [options.onWriteError] once
 * @param {number} [options.intervalMs]
 * @returns {ResourceRecorder}
 */
export function startResourceRecorder({
  roles,
  groups = [],
  helpers = () => [],
  files,
  onWriteError,
  intervalMs = 1000,
}) {
  if (readHost() === null) {
    const reason = `${process.platform} has no /proc: the CPU time of processes is not known`;
    return { reason, sampleNow: () => {}, stop: () => {} };
  }
  const writer = createNdjsonWriter(files.processes, { onError: onWriteError });
  const throttling = createThrottlingWatch();
  const watch = groups.length > 0 ? createGroupWatch(groups) : null;
  const readDetails = createDetailReader();
  const sampleNow = () => {
    const t = Date.now();
    const known = roles().flatMap(({ pid, role }) => {
      const stat = readStat(pid);
      return stat && stat.state !== 'Z' ? [{ stat, role }] : [];
    });
    const isOurs = (/** @type {{role: string}} */ { role }) => OURS.includes(role);
    const found = watch?.sample({
      recorded: known.map(({ stat }) => stat.pid),
      ours: [...known.filter(isOurs).map(({ stat }) => stat.pid), ...helpers()],
    });
    const processes = [...known, ...(found?.processes ?? [])];
    const details = readDetails(
      processes.flatMap(process => (isOurs(process) ? [] : [process.stat])),
    );
    for (const { stat, role } of processes) {
      const { pid, cpuMs, rssBytes, threads, startTicks } = stat;
      const more = details.get(pid);
      writer.append('sample', { t, pid, role, cpuMs, rssBytes, threads, startTicks, ...more });
    }
    for (const group of found?.groups ?? []) writer.append('group', { t, ...group });
    writer.append('host', { t, ...readHost() });
    const members = processes.map(({ stat, role }) => ({ pid: stat.pid, role }));
    for (const cgroup of throttling.sample(members)) writer.append('cgroup', { t, ...cgroup });
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
