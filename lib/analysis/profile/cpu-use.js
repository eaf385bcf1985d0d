/** CPU use of the server's processes and the machine: known from any recording, with or without stacks. */

import { most, sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { WORKER_CHILDREN, WORKER_SERVICES } from '../../run/run-folder.js';
import { countWorkers } from '../bottleneck/count-workers.js';
import { findEndedWorkers } from '../load/partial-reasons.js';
import { totalLengthMs } from '../read/load/load-totals.js';
import { measureCost } from './profile-costs.js';

/** @import { ProfileAnalysis } from './recording.d.ts' */
/** @import { Recording } from './recording.d.ts' */
/** @import { CpuUse } from '../../run/facts/profile-report.d.ts' */

/** @typedef {Pick<Recording, 'windows' | 'records' | 'processes' | 'threads' | 'host' | 'requests' | 'idleCores'>} CpuRecords */

/**
 * @param {CpuRecords | undefined} recording undefined for a loose file
 * @param {Pick<ProfileAnalysis, 'cpu' | 'base'> | null} analysis of the stacks; null without stacks
 * @returns {CpuUse}
 */
export function describeCpuUse(recording, analysis) {
  const { windows = [], processes = [], requests = null, records = [] } = recording ?? {};
  const idleCores = recording?.idleCores ?? null;
  const [start] = ofKind(records, 'recording-start');
  const lengthMs = totalLengthMs(windows);
  const workersMs = sumCpu(processes, 'worker');
  const coresOf = (/** @type {string} */ role) => {
    const cpuMs = sumCpu(processes, role);
    return cpuMs === null || lengthMs === 0 ? null : cpuMs / lengthMs;
  };
  const { perRequest, basis, samplesToCpu } =
    analysis?.cpu ??
    measureCost({
      ...{ active: 0, rateHz: null, workersMs, requests },
      idleMs: (idleCores?.value ?? 0) * lengthMs,
    });
  const workers = listWorkers(recording, analysis?.base ?? null, lengthMs);
  const counted = countWorkers(workers);
  const [started, ended] = [findStartedWorkers(records), findEndedWorkers(records)];
  return {
    workers,
    processes: counted?.processes ?? null,
    cores: counted?.cores ?? null,
    threads: start?.threads ?? null,
    // A worker that ended without a successor was not restarted.
    workerRestarts: Math.min(started.length, ended.length),
    workersLost: Math.max(0, ended.length - started.length),
    ...{ workersMs, requests, idleCores, perRequest, basis, samplesToCpu },
    generatorCores: coresOf('generator'),
    pySpyCores: coresOf('py-spy'),
    childCores: coresOf(WORKER_CHILDREN),
    serviceCores: coresOf(WORKER_SERVICES),
    childMsPerRequest:
      requests && workersMs !== null ? (sumCpu(processes, WORKER_CHILDREN) ?? 0) / requests : null,
    hostCores: recording?.host?.busyCores ?? null,
    stealCores: recording?.host?.stealCores ?? null,
    crowdedShare: recording?.host?.crowdedShare ?? null,
  };
}

/**
 * @param {CpuRecords | undefined} recording
 * @param {Pick<ProfileAnalysis['base'], 'byPid'> | null} base
 * @param {number} lengthMs
 * @returns {CpuUse['workers']}
 */
function listWorkers(recording, base, lengthMs) {
  const uses = (recording?.processes ?? []).filter(({ role }) => role === 'worker');
  const records = recording?.records ?? [];
  const ended = new Set(findEndedWorkers(records).map(({ pid }) => pid));
  const started = new Set(findStartedWorkers(records).map(({ pid }) => pid));
  const names = new Map(ofKind(records, 'worker-start').map(({ pid, name }) => [pid, name]));
  const pids = new Set([...uses.map(({ pid }) => pid), ...(base?.byPid.keys() ?? [])]);
  return [...pids]
    .sort((a, b) => a - b)
    .map(pid => {
      const use = uses.find(item => item.pid === pid);
      const threads = recording?.threads.filter(thread => thread.pid === pid) ?? [];
      return {
        pid,
        ...(names.get(pid) && { name: names.get(pid) }),
        samples: base && (base.byPid.get(pid) ?? 0),
        cpuMs: use?.cpuMs ?? null,
        cores: use && use.livedMs > 0 ? use.cpuMs / use.livedMs : null,
        livedShare: use && lengthMs > 0 ? use.livedMs / lengthMs : null,
        ...measureWanting(threads, use),
        rssBytesMax: use?.rssBytesMax ?? null,
        startedInRun: started.has(pid),
        endedInRun: ended.has(pid),
      };
    });
}

/** The name users know a worker by: for one in a pod, the pid is our own. @param {CpuUse | null | undefined} cpu @param {number} pid */
export const nameWorker = (cpu, pid) => cpu?.workers.find(own => own.pid === pid)?.name ?? pid;

/**
 * Several threads of a process may want a core at the same time. The least that the process wanted is the most that
 * one of them wanted, or what all of them got.
 * @param {import('./threads.js').ThreadUse[]} threads of a worker
 * @param {import('../read/cpu.js').ProcessUse | undefined} use
 */
function measureWanting(threads, use) {
  if (threads.length === 0 || !use || use.livedMs <= 0) return {};
  const hadMs = sum(threads.map(({ runMs }) => runMs));
  const wantedMs = Math.max(hadMs, most(threads.map(({ runMs, queuedMs }) => runMs + queuedMs)));
  return {
    queuedMs: sum(threads.map(({ queuedMs }) => queuedMs)),
    sliceMs: hadMs / Math.max(1, sum(threads.map(({ slices }) => slices))),
    queuedShare: Math.min(1, (wantedMs - hadMs) / use.livedMs),
    wantedShare: Math.min(1, wantedMs / use.livedMs),
  };
}

/** Workers that existed from the start are recorded a moment after it. */
const START_SLACK_MS = 1000;

/** @param {CpuRecords['records']} records */
function findStartedWorkers(records) {
  const startMs = ofKind(records, 'recording-start')[0]?.t ?? 0;
  return ofKind(records, 'worker-start').filter(({ t }) => t > startMs + START_SLACK_MS);
}

/** @param {import('../read/cpu.js').ProcessUse[]} uses @param {string} role */
export function sumCpu(uses, role) {
  const own = uses.filter(use => use.role === role);
  return own.length > 0 ? sum(own.map(use => use.cpuMs)) : null;
}
