/** The machine and the load generator: what spoils a measurement, and what slowed the API from outside. */

import { sum } from '../../../base/math/summary.js';
import { countWorkers } from '../../bottleneck/count-workers.js';
import { countServed } from '../../bottleneck/resources.js';
import { isMachineFull, THRESHOLDS } from '../../bottleneck/thresholds.js';
import { isClosedLoop } from '../../load/load-report.js';
import { finding } from '../statements.js';

/** @import { Statement } from '../../../run/facts/calls.d.ts' */
/** @import { FindingTable } from '../../../run/facts/findings.d.ts' */
/** @import { ProfileReport } from '../../../run/facts/profile-report.d.ts' */
/** @import { FindingRule } from '../statements.js' */

/** Of the CPU of the workers. */
const WORTH_MENTION = 0.1;
const SERVICES = /** @type {const} */ (['database', 'service']);

/** The generator could not keep up, so the figures describe the generator. @type {FindingRule} */
export function findGeneratorLimit({ load, run, bottleneck }) {
  const generator = load?.generator;
  const limit = generator?.signs.find(({ isLimit }) => isLimit);
  const sign = bottleneck?.facts.generator?.sign ?? limit;
  if (!generator || !sign) return [];
  const { workers, lag } = generator;
  const cpus = (run.mergedFrom ?? run).host?.cpus ?? null;
  const hasRoom = cpus === null || workers.length < cpus;
  const facts = { sign, lagP99Ms: lag?.p99Ms ?? null, workers, hasRoom };
  return [finding('generator-limit', 'warn', facts)];
}

/** Processes on a saturated machine take CPU from each other. @type {FindingRule} */
export function findFullMachine({ load, cpu, taskWorkers, run, profile, calls, bottleneck }) {
  const { hostCores, generatorCores, pySpyCores = null, stealCores = null } = cpu ?? {};
  const cpus = run.host?.cpus;
  if (!load || !cpu || !cpus || !hostCores || !generatorCores) return [];
  if (!isMachineFull({ cores: hostCores, cpus })) return [];
  const workerCores = countWorkers(cpu.workers)?.cores ?? 0;
  const taskCores = taskWorkers?.cpu?.cores ?? null;
  const { childCores = null, serviceCores = null } = cpu;
  const besideCores = sum([pySpyCores, taskCores, childCores, serviceCores].map(Number));
  const ownCores = workerCores + generatorCores + besideCores;
  const backgroundCores = Math.max(0, hostCores - ownCores - (stealCores ?? 0));
  const { cpuShare = null, isCpuDoubt = true, requestCpu = null } = bottleneck?.facts ?? {};
  const served = profile?.waits ? countServed(profile.waits) : Infinity;
  const areUnknown = serviceCores === null && served > backgroundCores / 2;
  // A bottleneck that is named stands first. Without one, times of a full machine are not those of a quiet one.
  const isNamed = !['none', 'unknown'].includes(bottleneck?.id ?? 'unknown');
  const queuedPart = (requestCpu?.queuedMs ?? Infinity) / (requestCpu?.responseMs ?? 1);
  const isRemark = isNamed
    ? (cpuShare ?? 1) < THRESHOLDS.mostOfTime
    : queuedPart < THRESHOLDS.hardlyQueued;
  return [
    finding('full-machine', isRemark ? 'info' : 'warn', {
      isDoubt: isCpuDoubt,
      requestCpu,
      hostCores,
      cpus,
      workerCores,
      generatorCores,
      pySpyCores,
      taskCores,
      childCores,
      serviceCores,
      backgroundCores,
      stealCores,
      isBackground: backgroundCores + (stealCores ?? 0) > ownCores,
      mayServe: areUnknown ? findServing(calls?.statements ?? [], profile) : [],
      isClosed: isClosedLoop(load.phases),
    }),
  ];
}

/** Databases inside the process that asks, and builds of them. */
const IN_PROCESS = /sqlite|sqlean|sqlcipher|apsw|duckdb/i;

/**
 * What other processes may do for the API. A call without its name may be any.
 * @param {Pick<Statement, 'kind' | 'system' | 'text'>[]} all
 * @param {ProfileReport | null} profile where no call is known, its packages and files name a database
 * @returns {FindingTable['full-machine']['mayServe']}
 */
function findServing(all, profile) {
  const seen = all.filter(({ text }) => text !== null);
  const served = seen.map(({ kind, system }) =>
    IN_PROCESS.test(system ?? '') ? null : system || kind === 'sql' ? 'database' : 'service',
  );
  // Below an ORM, a driver in C has no frame: its dialect or backend has.
  const files = profile?.table?.frames.map(({ file }) => ({ name: file })) ?? [];
  const isInside = [...files, ...(profile?.packages ?? [])].some(own => IN_PROCESS.test(own.name));
  const possible = isInside ? ['service'] : SERVICES;
  return SERVICES.filter(id => (seen.length === 0 ? possible : served).includes(id));
}

/** CPU time of processes that workers start is in no figure of the workers. @type {FindingRule} */
export function findChildProcesses({ cpu }) {
  const { childCores: cores = null, childMsPerRequest = null, cores: workerCores } = cpu ?? {};
  if (cores === null || !workerCores || cores < workerCores * WORTH_MENTION) return [];
  const facts = { cores, workerCores, perRequestMs: childMsPerRequest };
  return [finding('child-processes', 'warn', facts)];
}

/** Requests don't wait for tasks, but callers that need a task's result may. @type {FindingRule} */
export function findFullTaskWorkers({ taskWorkers }) {
  if (!taskWorkers?.cpu?.isFull) return [];
  const { running, coresEach } = taskWorkers.cpu;
  return [finding('task-workers-full', 'warn', { name: taskWorkers.name, running, coresEach })];
}

/** The API's CPU quota ran out: requests waited although the machine had CPU left. @type {FindingRule} */
export function findThrottledTarget({ load, throttling }) {
  const found = throttling?.target;
  if (!load || !found) return [];
  const { quotaCores, share, throttledMs, pods = null } = found;
  const most = pods?.most.share ?? share;
  if (most <= THRESHOLDS.throttledOften) return [];
  const severity = most >= THRESHOLDS.throttledBottleneck ? 'bad' : 'warn';
  return [finding('cpu-throttled', severity, { quotaCores, share, throttledMs, pods })];
}
