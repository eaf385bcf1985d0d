/** Gathers the facts for the bottleneck rules from the report of a run. */
import { countWorkers } from '../../../bottleneck/count-workers.js';
import { isUneven, THRESHOLDS } from '../../../bottleneck/thresholds.js';
import { scaleEstimate } from '../../../math/intervals.js';
import { mean, sum } from '../../../math/summary.js';
import { totalLengthMs } from '../../load/load-totals.js';
import { measurePressure } from './pressure.js';

/** @import { GatheredFacts, Part, RequestPath } from '../../../facts/bottleneck.d.ts' */
/** @import { Balance, BalanceGroup } from '../../../facts/costs.d.ts' */
/** @import { CpuUse, RequestState, Waits } from '../../../facts/profile-report.d.ts' */
/** @import { TimeRange } from '../../../facts/estimate.d.ts' */
/** @import { Report } from '../../../facts/report.d.ts' */
/** @import { Throttling } from '../../profile/throttling.js' */

/**
 * @typedef {Pick<Report, 'run' | 'cpu' | 'profile' | 'taskWorkers'> & {load: NonNullable<Report['load']>,
 *   costs?: Report['costs'], balance?: Balance | null, throttling?: Pick<Throttling, 'target'>}} RunParts
 */

/** States in which a request itself does something. @type {RequestState[]} */
const DONE = ['database', 'external-call', 'child-process', 'sleep', 'other'];

/** @param {RunParts} parts @returns {GatheredFacts} */
export function gatherRunFacts(parts) {
  const { run, load, cpu, profile, taskWorkers, costs, balance, throttling } = parts;
  const { hostCores = null, generatorCores = null, pySpyCores = null } = cpu ?? {};
  const { stealCores = null, crowdedShare = null, childCores = null } = cpu ?? {};
  const pressure = measurePressure(load);
  const workers = cpu && describeWorkers(cpu, profile?.waits ?? null);
  const sign = load.generator?.signs.find(({ isLimit }) => isLimit) ?? null;
  const quota = throttling?.target ?? null;
  const ours = (workers?.cores ?? 0) + (generatorCores ?? 0) + (pySpyCores ?? 0);
  const used = ours + (childCores ?? 0) + (taskWorkers?.cpu?.cores ?? 0) + (stealCores ?? 0);
  return {
    isSaturated: ['messages', 'short'].includes(pressure.id) ? null : pressure.id !== 'steady',
    pressure,
    generator: sign && { step: null, sign, generatorCores: null, targetCores: null },
    host: hostCores === null || !run.host ? null : { cores: hostCores, cpus: run.host.cpus },
    parts: workers ? [workers] : [],
    workers,
    generatorCores,
    profilerCores: pySpyCores,
    childCores,
    stealCores,
    crowdedShare,
    lostWorkers: (cpu?.workerRestarts ?? 0) + (cpu?.workersLost ?? 0),
    inFlight: compareInFlight(load, profile?.waits ?? null, costs ?? null),
    restCores: hostCores === null ? null : Math.max(0, hostCores - used),
    quota: quota && { roles: [], quotaCores: quota.quotaCores, share: quota.share },
    uneven: findUneven(balance, workers),
    waits: profile?.waits ?? null,
    loopWaits: profile?.loopWaits ?? null,
    paths: profile ? listPaths(profile) : [],
    httpClientCpu: profile?.categories.find(({ id }) => id === 'http-client')?.share.value ?? 0,
    keepsConnections: (load.http.connections.tcp?.count ?? 0) < load.http.requests / 2,
    throughputPerSec: load.http.meanRatePerSec,
    study: null,
  };
}

/**
 * What a request does in functions of the API. Waits for something that other requests hold are left out: a fix
 * shortens those where they are held.
 * @param {NonNullable<Report['profile']>} profile @returns {RequestPath[]}
 */
function listPaths({ hotPaths, waits }) {
  const waiting = (waits?.kinds ?? []).flatMap(({ id, share, where }) =>
    DONE.includes(id)
      ? where.map(place => ({ ...place, kind: id, share: scaleEstimate(share, place.share) }))
      : [],
  );
  const running = hotPaths.map(({ entry: { function: name, file }, share }) => {
    return { kind: /** @type {const} */ ('cpu'), function: name, file, share };
  });
  return [...running, ...waiting];
}

/** @param {CpuUse} cpu @param {Waits | null} waits @returns {Part | null} */
function describeWorkers({ workers, threads: each }, waits) {
  const found = countWorkers(workers);
  if (!found) return null;
  const { coresEach: _, ...counted } = found;
  const slots = waits?.slots ?? waits?.poolThreads ?? null;
  const atATime = Math.max(1, Math.round(counted.processes));
  // Waits show where an event loop serves: it has no slots.
  const threads = !waits ? each : slots === null ? null : Math.round(slots / atATime);
  return { name: 'workers', ...counted, mostCores: null, threads };
}

/**
 * Requests that a client waits for and no worker has started are in the listen backlog or in transit.
 * @param {RunParts['load']} load @param {Waits | null} waits @param {Report['costs']} costs
 * @returns {GatheredFacts['inFlight']}
 */
function compareInFlight({ seconds, windows }, waits, costs) {
  const counts = seconds.flatMap(({ startMs, inFlight }) =>
    windows.some(window => startMs >= window.startMs && startMs < window.endMs)
      ? (inFlight ?? [])
      : [],
  );
  const inside = waits?.slots == null ? countByServer(costs, windows) : countBySlots(waits);
  return counts.length === 0 || inside === null ? null : { client: mean(counts), inside };
}

/** @param {Waits} waits */
function countBySlots({ busySlots, busyThreads, kinds }) {
  const sockets = kinds.find(({ id }) => id === 'socket')?.share.value ?? 0;
  return Math.max(0, busySlots - busyThreads * sockets);
}

/** Little's law with the times that the companion measured. @param {Report['costs']} costs @param {TimeRange[]} windows */
function countByServer(costs, windows) {
  const rows = costs?.endpoints.filter(({ requests }) => requests !== null) ?? [];
  if (rows.length === 0 || rows.some(one => one.serverMsPerRequest === null)) return null;
  const insideMs = sum(rows.map(one => (one.requests ?? 0) * (one.serverMsPerRequest ?? 0)));
  return insideMs / totalLengthMs(windows);
}

/** @param {BalanceGroup} group @returns {{unit: 'requests' | 'cpuMs', counts: number[]}} */
function countWork({ basis, members }) {
  const unit = basis === 'process-cpu' ? 'cpuMs' : 'requests';
  return { unit, counts: members.map(member => member[unit] ?? 0) };
}

/** @param {BalanceGroup | null | undefined} group */
export function isUnevenGroup(group) {
  if (!group) return false;
  const { counts, unit } = countWork(group);
  return isUneven(counts, unit);
}

/** @param {Balance | null | undefined} balance @param {Part | null} workers @returns {GatheredFacts['uneven']} */
function findUneven(balance, workers) {
  const isBusy = workers !== null && workers.busiestCores >= THRESHOLDS.busyWorker;
  for (const of of /** @type {('backends' | 'workers')[]} */ (
    isBusy ? ['backends', 'workers'] : ['backends']
  )) {
    const group = balance?.[of];
    if (group && isUnevenGroup(group)) return { of, ...countWork(group) };
  }
  return null;
}
