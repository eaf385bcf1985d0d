/**
 * Measures how much load the machine can take before the run: the script's users without their pauses, in a closed
 * loop, while the profiler and everything else on the machine run.
 */
import { rmSync } from 'node:fs';
import { analyse } from '../analysis/analyse-run.js';
import { FEW_SAMPLES } from '../analysis/judge/quality/profile.js';
import { buildLoadReport } from '../analysis/load/load-report.js';
import { readFolder } from '../analysis/read/read-folder.js';
import { makeTempFolder } from '../base/process/temp-folder.js';
import { readScript } from '../load/script/read-script.js';
import { closedLoop, WARM_UP, withoutPauses } from './choose-load.js';
import { measureRun } from './measure-run.js';

/** @import { WarmUp } from '../run/facts/quality.d.ts' */
/** @import { SessionOptions } from './session.js' */

/** The next request always waits for a free worker: two users more than workers. */
const USERS = 4;
const TIMES = { ...WARM_UP, durationSec: 5 };
/** From the start of the load: on a slow machine users need long to finish. */
const MOST_MS = 30_000;
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
 * @throws {import('../base/errors.js').LoadflameError} INTERRUPTED, LOAD_CRASHED, and what a run throws
 */
export async function measureCapacity({ script, mostMs = MOST_MS, ...options }) {
  const scenarios = withoutPauses(readScript(script).script.scenarios);
  const root = makeTempFolder();
  const limit = new AbortController();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const load = { script, options: { overrides: { scenarios } } };
    const onLoad = () => {
      timer = setTimeout(() => limit.abort(), mostMs);
    };
    const run = { ...options, root, load, isTargetReady: true, onLoad };
    const { folder } = await measureRun(run, closedLoop(USERS, TIMES), limit.signal);
    const read = await readFolder(folder);
    // Users end their scenario after the phase, so each of them has sent all of its requests.
    const { http, users } = buildLoadReport(read.records) ?? {};
    const requestsPerUser = (http?.requests ?? 0) / (users?.created ?? 1);
    const { report } = await analyse(read);
    return chooseRate(report, requestsPerUser, options.config.get('PROFILE_RATE'));
  } finally {
    clearTimeout(timer);
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * @param {import('../run/facts/report.d.ts').Report} report of the measured phase
 * @param {number} requestsPerUser
 * @param {number} rateHz of samples
 * @returns {WarmUp}
 */
function chooseRate({ load, cpu }, requestsPerUser, rateHz) {
  const takenPerSec = requestsPerUser > 0 ? (load?.http.meanRatePerSec ?? 0) / requestsPerUser : 0;
  const ratePerSec = Math.max(0.01, Number((takenPerSec * SENT).toPrecision(2)));
  const samplesPerSec = (cpu?.cores ?? 0) * SENT * rateHz;
  const length = Math.min(LONGEST_SEC, Math.max(SHORTEST_SEC, SAMPLES / samplesPerSec));
  return {
    takenPerSec,
    ratePerSec,
    isSmall: samplesPerSec * LONGEST_SEC < FEW_SAMPLES,
    settings: {
      ARRIVAL_RATE: String(ratePerSec),
      MAX_VIRTUAL_USERS: String(Math.max(LEAST_USERS, Math.ceil(ratePerSec * STALL_SEC))),
      WARM_UP_DURATION: '0',
      RAMP_DURATION: '0',
      DURATION: String(Math.round(length)),
    },
  };
}
