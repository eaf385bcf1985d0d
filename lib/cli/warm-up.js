/**
 * How much load the machine takes, found out before the run: the script's own users without their pauses, in a
 * closed loop, while the profiler and all else that shares the machine are at work.
 */
import { rmSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { FEW_SAMPLES } from '../analysis/judge/quality/profile.js';
import { buildLoadReport } from '../analysis/load/load-report.js';
import { measureProcesses } from '../analysis/read/cpu.js';
import { readRun } from '../analysis/read/read-run.js';
import { least, sum } from '../math/summary.js';
import { findCpuCgroups, readQuota } from '../process/cgroups.js';
import { interruptible, throwIfInterrupted } from '../process/interruptible.js';
import { makeTempFolder } from '../process/temp-folder.js';
import { readScript } from '../record/load/script/read-script.js';
import { readHost } from '../record/resources/recorder.js';
import { runSession } from '../session.js';

/** @import { WarmUp } from '../facts/quality.d.ts' */
/** @import { SessionOptions } from '../session.js' */

/** Two workers always have the next request there: two more wait. */
const USERS = 4;
const DURATION_SEC = 8;
/** From the start of the load: on a slow machine users need long to come to their end. */
const MOST_MS = 30_000;
/** In the first seconds code is compiled, connections are made, and queues fill. */
const NOT_COUNTED_MS = 3000;
/** Without any load: what others on the machine take. */
const LOOK_MS = 2000;
/** Few requests wait at half of what it takes, and others on the machine may take some more. */
const SENT = 0.5;
/** Where others leave less than half of what it needs nothing holds, whatever is sent. */
const LEAST_FITTING = 0.5;
/** Half as many again as a report asks for: some of them wait. */
const SAMPLES = FEW_SAMPLES * 1.5;
/** Of load: with all the rest it is about a minute. */
const [SHORTEST_SEC, LONGEST_SEC] = [30, 40];
/** So long may the target stand still until arrivals are dropped. */
const STALL_SEC = 15;
const LEAST_USERS = 20;

/**
 * @param {Omit<SessionOptions, 'root' | 'load'> & {script: string, mostMs?: number}} options
 * @returns {Promise<WarmUp>} the load that the machine takes with ease
 * @throws {import('../errors.js').LoadflameError} INTERRUPTED, and what a run throws
 */
export async function warmUp({ script, mostMs = MOST_MS, ...options }) {
  const { config, signal } = options;
  const { scenarios } = readScript(script).script;
  const overrides = {
    config: { phases: [{ name: 'warm-up', duration: DURATION_SEC, users: USERS }] },
    scenarios: withoutPauses(scenarios),
  };
  const root = makeTempFolder();
  const limit = new AbortController();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const { freeCores, cpus, quotaCores } = await findFreeCores(signal);
    const load = { script, options: { overrides } };
    const { files } = await runSession({
      ...{ ...options, root, load, isTargetReady: true },
      signal: AbortSignal.any([signal, limit.signal]),
      onLoad() {
        timer = setTimeout(() => limit.abort(), mostMs);
      },
    });
    throwIfInterrupted(signal);
    const { requestsPerSec, cores, workerCores } = await measure(files.folder);
    // It had CPU that others want, too.
    const fitting = Math.min(1, freeCores / cores);
    const isFull = fitting < LEAST_FITTING;
    const sent = SENT * (isFull ? 1 : fitting);
    const takenPerSec = requestsPerSec / countPerUser(scenarios);
    const ratePerSec = Math.max(0.01, Number((takenPerSec * sent).toPrecision(2)));
    const samplesPerSec = workerCores * sent * config.get('PROFILE_RATE');
    const seconds = Math.min(LONGEST_SEC, Math.max(SHORTEST_SEC, SAMPLES / samplesPerSec));
    return {
      takenPerSec,
      ratePerSec,
      freeCores,
      cores,
      cpus,
      quotaCores,
      isFull,
      isSmall: samplesPerSec * LONGEST_SEC < FEW_SAMPLES,
      settings: {
        ARRIVAL_RATE: String(ratePerSec),
        MAX_VIRTUAL_USERS: String(Math.max(LEAST_USERS, Math.ceil(ratePerSec * STALL_SEC))),
        WARM_UP_DURATION: '0',
        RAMP_DURATION: '0',
        DURATION: String(Math.round(seconds)),
      },
    };
  } finally {
    clearTimeout(timer);
    rmSync(root, { recursive: true, force: true });
  }
}

/** What is idle, as far as a quota lets us have it. @param {AbortSignal} signal */
async function findFreeCores(signal) {
  const before = readHost();
  await interruptible(signal, sleep(LOOK_MS));
  const after = readHost();
  const cpus = after?.cpus ?? os.availableParallelism();
  const busy =
    before && after ? (after.busyMs - before.busyMs) / (after.totalMs - before.totalMs) : 0;
  const quota = least(findCpuCgroups('self').flatMap(cgroup => readQuota(cgroup) ?? []));
  const quotaCores = quota < cpus ? quota : null;
  return { cpus, quotaCores, freeCores: Math.min(cpus * (1 - busy), quota) };
}

/** What came out of the loop, once it was under way. @param {string} folder */
async function measure(folder) {
  const records = await readRun(folder);
  const { phases = [], seconds = [] } = buildLoadReport(records) ?? {};
  const startMs = (phases[0]?.startMs ?? 0) + NOT_COUNTED_MS;
  const endMs = startMs + DURATION_SEC * 1000 - NOT_COUNTED_MS;
  const lengthMs = endMs - startMs;
  const inside = seconds.filter(second => second.startMs >= startMs && second.startMs < endMs);
  const used = measureProcesses(records.processes, [{ startMs, endMs }]);
  const coresOf = (/** @type {typeof used} */ uses) =>
    sum(uses.map(({ cpuMs }) => cpuMs)) / lengthMs;
  return {
    requestsPerSec: (sum(inside.map(({ requests }) => requests)) * 1000) / lengthMs,
    cores: coresOf(used),
    workerCores: coresOf(used.filter(({ role }) => role === 'worker')),
  };
}

/** @param {any[]} steps @returns {any[]} */
function withoutPauses(steps) {
  return steps.flatMap(step => {
    if (step.think !== undefined) return [];
    const nested = step.flow ? 'flow' : step.loop ? 'loop' : null;
    return nested ? { ...step, [nested]: withoutPauses(step[nested]) } : step;
  });
}

/** Requests of a user of the script, on average. @param {any[]} scenarios */
function countPerUser(scenarios) {
  const weights = scenarios.map(({ weight = 1 }) => weight);
  const counts = scenarios.map(({ flow }, at) => countRequests(flow) * weights[at]);
  return sum(counts) / sum(weights);
}

/** @param {any[]} steps @returns {number} */
function countRequests(steps) {
  return sum(
    steps.map(({ loop, count = 1, get, post, put, delete: remove }) =>
      loop ? count * countRequests(loop) : (get ?? post ?? put ?? remove) ? 1 : 0,
    ),
  );
}
