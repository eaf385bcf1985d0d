/** The machine and the load generator: what spoils a measurement, and what slowed the API from outside. */
import { countWorkers } from '../../../bottleneck/count-workers.js';
import { countServed } from '../../../bottleneck/resources.js';
import { isMachineFull, THRESHOLDS } from '../../../bottleneck/thresholds.js';
import { sum } from '../../../math/summary.js';
import { isClosedLoop } from '../../load/load-report.js';
import { finding } from '../statements.js';

/** @import { FindingRule } from '../statements.js' */

/** Of the CPU of the workers. */
const WORTH_MENTION = 0.1;

/** The generator could not keep up, so the figures describe the generator. @type {FindingRule} */
export function findGeneratorLimit({ load, run }) {
  const generator = load?.generator;
  const sign = generator?.signs.find(({ isLimit }) => isLimit);
  if (!generator || !sign) return [];
  const { workers, lag } = generator;
  const cpus = (run.mergedFrom ?? run).host?.cpus ?? null;
  return [
    finding('generator-limit', 'warn', {
      sign,
      lagP99Ms: lag?.p99Ms ?? null,
      workers,
      hasRoom: cpus === null || workers.length < cpus,
    }),
  ];
}

/** Processes on a saturated machine take CPU from each other. @type {FindingRule} */
export function findFullMachine({ load, cpu, taskWorkers, run, profile }) {
  const { hostCores, generatorCores, pySpyCores = null, stealCores = null } = cpu ?? {};
  const cpus = run.host?.cpus;
  if (!load || !cpu || !cpus || !hostCores || !generatorCores) return [];
  if (!isMachineFull({ cores: hostCores, cpus })) return [];
  const workerCores = countWorkers(cpu.workers)?.cores ?? 0;
  const taskCores = taskWorkers?.cpu?.cores ?? null;
  const childCores = cpu.childCores ?? null;
  const ownCores =
    workerCores + generatorCores + sum([pySpyCores, taskCores, childCores].map(Number));
  const backgroundCores = Math.max(0, hostCores - ownCores - (stealCores ?? 0));
  return [
    finding('full-machine', 'warn', {
      hostCores,
      cpus,
      workerCores,
      generatorCores,
      pySpyCores,
      taskCores,
      childCores,
      backgroundCores,
      stealCores,
      isBackground: backgroundCores + (stealCores ?? 0) > ownCores,
      mayServe: !profile?.waits || countServed(profile.waits) > backgroundCores / 2,
      isClosed: isClosedLoop(load.phases),
    }),
  ];
}

/** CPU time of processes that workers start is in no figure of the workers. @type {FindingRule} */
export function findChildProcesses({ cpu }) {
  const { childCores: cores = null, childMsPerRequest = null, cores: workerCores } = cpu ?? {};
  if (cores === null || !workerCores || cores < workerCores * WORTH_MENTION) return [];
  return [
    finding('child-processes', 'warn', { cores, workerCores, perRequestMs: childMsPerRequest }),
  ];
}

/** Requests don't wait for tasks, but callers that need a task's result may. @type {FindingRule} */
export function findFullTaskWorkers({ taskWorkers }) {
  if (!taskWorkers?.cpu?.isFull) return [];
  const { name, cpu } = taskWorkers;
  const { running, coresEach } = cpu;
  return [finding('task-workers-full', 'warn', { name, running, coresEach })];
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
