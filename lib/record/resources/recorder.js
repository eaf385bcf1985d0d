/** Records CPU time and memory of a run's processes, and of the whole machine, once a second. */
import { entryOf } from '../../base/files/maps.js';
import { sum } from '../../base/math/summary.js';
import { startAlignedInterval } from '../../base/process/aligned-interval.js';
import { findCpuCgroups, readQuota, readThrottling } from '../../base/process/cgroups.js';
import {
  readPssBytes,
  readStat,
  readText,
  readThreadTimes,
} from '../../base/process/process-table.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { WORKER_CHILDREN, WORKER_SERVICES } from '../../run/run-folder.js';
import { keyOf } from './find-main-processes.js';
import { createGroupWatch } from './watch-groups.js';

/** @import { CpuCgroup } from '../../base/process/cgroups.js' */
/** @import { ProcessStat } from '../../base/process/process-table.js' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { RecordedGroup } from './watch-groups.js' */

/** Clock ticks per second in `/proc/stat`; 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;
/** Roles of the measuring processes; more is recorded of the others. */
const OURS = ['generator', 'py-spy', 'loadflame'];

/**
 * @typedef {object} ResourceRecorder
 * @property {() => void} sampleNow a sample between two seconds: at the edges of the load
 * @property {() => void} stop takes the last sample; idempotent
 */

/**
 * Appends samples from now on. A process's CPU time is authoritative: profile samples only distribute it.
 * A process that ends leaves its last sample.
 * @param {object} options
 * @param {() => {pid: number, role: string}[]} options.roles called before every sample
 * @param {RecordedGroup[]} options.groups recorded in addition
 * @param {() => number[]} options.helpers other processes of ours, excluded from all groups
 * @param {RunFiles} options.files
 * @param {(error: Error) => void} [options.onWriteError] once
 * @param {number} [options.intervalMs]
 * @returns {ResourceRecorder}
 */
export function startResourceRecorder(options) {
  const { roles, groups, helpers, files, onWriteError, intervalMs = 1000 } = options;
  // Without /proc the CPU time of processes is unknown.
  if (readHost() === null) return { sampleNow: () => {}, stop: () => {} };
  const writer = createNdjsonWriter(files.processes, { onError: onWriteError });
  const throttling = createThrottlingWatch();
  const watch = groups.length > 0 ? createGroupWatch(groups) : null;
  const readPss = createPssReader();
  const readThreads = createThreadReader();
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
    const pss = readPss(processes.flatMap(process => (isOurs(process) ? [] : [process.stat])));
    for (const { stat, role } of processes) {
      const { pid, cpuMs, rssBytes, threads, startTicks } = stat;
      const pssBytes = pss.get(pid);
      writer.append('sample', { t, pid, role, cpuMs, rssBytes, pssBytes, threads, startTicks });
    }
    const workers = known.flatMap(({ stat, role }) => (role === 'worker' ? [stat] : []));
    for (const threads of readThreads(workers)) writer.append('threads', { t, ...threads });
    for (const group of found?.groups ?? []) {
      const isOwn = [WORKER_CHILDREN, WORKER_SERVICES].includes(group.name);
      const isNone = isOwn && !group.processes && !group.unseenCpuMs;
      if (!isNone) writer.append('group', { t, ...group });
    }
    writer.append('host', { t, ...readHost() });
    const members = processes.map(({ stat, role }) => ({ pid: stat.pid, role }));
    for (const cgroup of throttling.sample(members)) writer.append('cgroup', { t, ...cgroup });
  };
  let isStopped = false;
  const end = startAlignedInterval(sampleNow, intervalMs);
  sampleNow();
  return {
    sampleNow,
    stop: () => {
      if (isStopped) return;
      isStopped = true;
      end();
      sampleNow();
    },
  };
}

/**
 * CPU time of all processors since boot. Time that a hypervisor took away (steal) counts as busy: it was not
 * available.
 * @returns {{busyMs: number, totalMs: number, stealMs: number, cpus: number, pressureMs?: number} | null} null
 *   without `/proc`; `pressureMs`: time in which a process waited for a CPU (PSI), if the kernel counts it
 */
function readHost() {
  const text = readText('/proc/stat');
  if (text === null) return null;
  // user, nice, system, idle, iowait, irq, softirq, steal; the first two include guest time.
  const ticks = (/^cpu +(.*)$/m.exec(text)?.[1] ?? '').split(' ', 8).map(Number);
  const [idle = 0, ioWait = 0] = ticks.slice(3, 5);
  const totalMs = sum(ticks) * MS_PER_TICK;
  const pressureMs = /^some .*total=(\d+)$/m.exec(readText('/proc/pressure/cpu') ?? '')?.[1];
  return {
    busyMs: totalMs - (idle + ioWait) * MS_PER_TICK,
    totalMs,
    stealMs: (ticks[7] ?? 0) * MS_PER_TICK,
    cpus: text.match(/^cpu\d/gm)?.length ?? 1,
    ...(pressureMs === undefined ? {} : { pressureMs: Number(pressureMs) / 1000 }),
  };
}

// -- Proportional set size of processes, at a bounded cost.

/** Samples between two readings of a process. */
const PSS_EVERY = 5;
/** For the readings of one sample; processes that it leaves out come first in the next sample. */
const PSS_BUDGET_MS = 5;

/** @returns {(processes: ProcessStat[]) => Map<number, number | null>} bytes by pid; call it at each sample */
function createPssReader() {
  /** @type {Map<string, number>} process → sample in which it was read */
  const readAt = new Map();
  let sample = 0;
  const lastOf = (/** @type {ProcessStat} */ stat) => readAt.get(keyOf(stat)) ?? -PSS_EVERY;
  return processes => {
    sample++;
    const startedAt = performance.now();
    /** @type {Map<number, number | null>} */
    const read = new Map();
    const due = processes.filter(stat => sample - lastOf(stat) >= PSS_EVERY);
    for (const stat of due.sort((a, b) => lastOf(a) - lastOf(b))) {
      read.set(stat.pid, readPssBytes(stat.pid));
      readAt.set(keyOf(stat), sample);
      if (performance.now() - startedAt > PSS_BUDGET_MS) break;
    }
    return read;
  };
}

// -- Scheduler statistics of each thread of the workers.

/** @typedef {[tid: number, runMs: number, queuedMs: number, slices: number]} ThreadLine since the thread's start */

/** Libraries that start threads without Python, by their file names. */
const LIBRARIES = Object.entries({
  OpenBLAS: /\/lib\w*openblas/,
  MKL: /\/libmkl_/,
  OpenMP: /\/lib(?:gomp|iomp5|omp)\b/,
  PyTorch: /\/libtorch_cpu/,
  TensorFlow: /\/libtensorflow/,
  Arrow: /\/libarrow\./,
  Polars: /\/_?polars[\w.-]*\.so/,
  gRPC: /\/grpc\/_cython\/cygrpc/,
});

/**
 * @returns {(processes: ProcessStat[]) => {pid: number, startTicks: number, threads: ThreadLine[], libraries?: string[]}[]}
 *   only processes with threads that ran since the last reading
 */
function createThreadReader() {
  /** @type {Map<string, number>} thread → its CPU time in ms; a slice lasts as long as nobody else wants the core */
  let before = new Map();
  /** @type {Map<string, number>} process → its threads */
  const counts = new Map();
  const listLibraries = (/** @type {ProcessStat} */ stat) => {
    if (stat.threads === (counts.get(keyOf(stat)) ?? 1)) return {};
    counts.set(keyOf(stat), stat.threads);
    const maps = readText(`/proc/${stat.pid}/maps`) ?? '';
    return { libraries: LIBRARIES.flatMap(([name, file]) => (file.test(maps) ? [name] : [])) };
  };
  return processes => {
    /** @type {Map<string, number>} */
    const now = new Map();
    const read = processes.map(stat => ({
      pid: stat.pid,
      startTicks: stat.startTicks,
      ...listLibraries(stat),
      threads: readThreadTimes(stat.pid).flatMap(({ tid, runMs, queuedMs, slices }) => {
        const key = `${keyOf(stat)} ${tid}`;
        now.set(key, runMs);
        return before.get(key) === runMs
          ? []
          : [/** @type {ThreadLine} */ ([tid, round(runMs), round(queuedMs), slices])];
      }),
    }));
    before = now;
    return read.filter(({ threads }) => threads.length > 0);
  };
}

/** @param {number} ms to a hundredth */
const round = ms => Math.round(ms * 100) / 100;

// -- CPU quotas of the cgroups of a run's processes, and how often they were exhausted.

/**
 * Owner of the quota by role; loadflame itself and py-spy send and serve nothing. A group of processes has its own name.
 * @type {Record<string, string | null>}
 */
const ROLES = {
  master: 'target',
  worker: 'target',
  generator: 'generator',
  loadflame: null,
  'py-spy': null,
};

/**
 * @param {{root?: string}} [options] `root`: folder with `/proc` and the cgroups
 */
export function createThrottlingWatch({ root = '/' } = {}) {
  /** @type {Map<number, CpuCgroup[]>} looked up once per process */
  const byPid = new Map();
  return {
    /**
     * One entry per cgroup with a quota, now.
     * @param {{pid: number, role: string}[]} processes
     * @returns {{roles: string[], path: string, quotaCores: number, periods: number, throttled: number, throttledMs: number}[]}
     */
    sample(processes) {
      /** @type {Map<string, {cgroup: CpuCgroup, roles: Set<string>}>} */
      const found = new Map();
      for (const { pid, role } of processes) {
        const whose = ROLES[role] === undefined ? role : ROLES[role];
        if (whose === null) continue;
        for (const cgroup of entryOf(byPid, pid, () => findCpuCgroups(pid, root)))
          entryOf(found, cgroup.folder, () => ({ cgroup, roles: new Set() })).roles.add(whose);
      }
      return [...found.values()].flatMap(({ cgroup, roles }) => {
        const quotaCores = readQuota(cgroup);
        const throttling = quotaCores === null ? null : readThrottling(cgroup);
        if (quotaCores === null || !throttling) return [];
        return { roles: [...roles].sort(), path: cgroup.folder, quotaCores, ...throttling };
      });
    },
  };
}
