/**
 * Measures how much load the machine can take before the run: the script's users without their pauses, in a closed
 * loop, while the profiler and everything else on the machine run.
 */
import { rmSync } from 'node:fs';
import { FEW_SAMPLES } from '../analysis/judge/quality/profile.js';
import { buildLoadReport } from '../analysis/load/load-report.js';
import { measureProcesses } from '../analysis/read/cpu.js';
import { readRun } from '../analysis/read/read-run.js';
import { sum } from '../math/summary.js';
import { throwIfInterrupted } from '../process/interruptible.js';
import { makeTempFolder } from '../process/temp-folder.js';
import { readScript } from '../record/load/script/read-script.js';
import { runSession } from '../session.js';

/** @import { WarmUp } from '../facts/quality.d.ts' */
/** @import { SessionOptions } from '../session.js' */

/** The next request always waits for a free worker: two users more than workers. */
const USERS = 4;
const DURATION_SEC = 8;
/** From the start of the load: on a slow machine users need long to finish. */
const MOST_MS = 30_000;
/** In the first seconds, code is compiled, connections open and queues fill. */
const NOT_COUNTED_MS = 3000;
/** At half of the highest rate few requests queue. */
const SENT = 0.5;
/** 1.5 times the samples that a report needs: some are of waiting threads. */
const SAMPLES = FEW_SAMPLES * 1.5;
/** Length of the load; the whole run takes about a minute. */
const [SHORTEST_SEC, LONGEST_SEC] = [30, 40];
/** How long the target may stall before arrivals are dropped. */
const STALL_SEC = 15;
const LEAST_USERS = 20;

/**
 * @param {Omit<SessionOptions, 'root' | 'load'> & {script: string, mostMs?: number}} options
 * @returns {Promise<WarmUp>} half of the load that the machine can take
 * @throws {import('../errors.js').LoadflameError} INTERRUPTED, and what a run throws
 */
export async function warmUp({ script, mostMs = MOST_MS, ...options }) {
  const { config, signal } = options;
  const overrides = {
    config: { phases: [{ name: 'warm-up', duration: DURATION_SEC, users: USERS }] },
    scenarios: withoutPauses(readScript(script).script.scenarios),
  };
  const root = makeTempFolder();
  const limit = new AbortController();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const load = { script, options: { overrides } };
    const { files } = await runSession({
      ...{ ...options, root, load, isTargetReady: true },
      signal: AbortSignal.any([signal, limit.signal]),
      onLoad() {
        timer = setTimeout(() => limit.abort(), mostMs);
      },
    });
    throwIfInterrupted(signal);
    const { takenPerSec, workerCores } = await measure(files.folder);
    const ratePerSec = Math.max(0.01, Number((takenPerSec * SENT).toPrecision(2)));
    const samplesPerSec = workerCores * SENT * config.get('PROFILE_RATE');
    const seconds = Math.min(LONGEST_SEC, Math.max(SHORTEST_SEC, SAMPLES / samplesPerSec));
    return {
      takenPerSec,
      ratePerSec,
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

/** Measures the closed loop after its first seconds. @param {string} folder */
async function measure(folder) {
  const records = await readRun(folder);
  const load = buildLoadReport(records);
  const startMs = (load?.phases[0]?.startMs ?? 0) + NOT_COUNTED_MS;
  const endMs = startMs + DURATION_SEC * 1000 - NOT_COUNTED_MS;
  const lengthMs = endMs - startMs;
  const inside =
    load?.seconds.filter(second => second.startMs >= startMs && second.startMs < endMs) ?? [];
  const requestsPerUser = load ? load.http.requests / load.users.created : 0;
  const requestsPerSec = (sum(inside.map(({ requests }) => requests)) * 1000) / lengthMs;
  const workers = measureProcesses(records.processes, [{ startMs, endMs }]).filter(
    ({ role }) => role === 'worker',
  );
  return {
    /** new users per second */
    takenPerSec: requestsPerUser > 0 ? requestsPerSec / requestsPerUser : 0,
    workerCores: sum(workers.map(({ cpuMs }) => cpuMs)) / lengthMs,
  };
}

/** @param {any[]} steps of flows, or scenarios @returns {any[]} */
export function withoutPauses(steps) {
  return steps.flatMap(step => {
    if (step.think !== undefined) return [];
    const nested = step.flow ? 'flow' : step.loop ? 'loop' : null;
    return nested ? { ...step, [nested]: withoutPauses(step[nested]) } : step;
  });
}
