/** Gathers the facts for the bottleneck rules from the report of a run. */

import { scaleEstimate } from '../../../base/math/intervals.js';
import { sum } from '../../../base/math/summary.js';
import { countWorkers } from '../../bottleneck/count-workers.js';
import { MEASURED_TWICE } from '../../bottleneck/resources.js';
import { isMachineFull, isUneven, THRESHOLDS } from '../../bottleneck/thresholds.js';
import { countInFlight } from '../../load/littles-law.js';
import { isWithin, totalLengthMs } from '../../read/load/load-totals.js';
import { findFlat, measurePressure } from './pressure.js';

/** @import { GatheredFacts, LockingStatement, Part, Pressure, RequestPath, Turns } from '../../../run/facts/bottleneck.d.ts' */
/** @import { Balance, BalanceGroup } from '../../../run/facts/costs.d.ts' */
/** @import { CpuUse, RequestState, Waits } from '../../../run/facts/profile-report.d.ts' */
/** @import { TimeRange } from '../../../base/math/estimate.d.ts' */
/** @import { Report } from '../../../run/facts/report.d.ts' */
/** @import { Throttling } from '../../profile/throttling.js' */

/**
 * @typedef {Pick<Report, 'run' | 'cpu' | 'profile' | 'taskWorkers'> & {load: NonNullable<Report['load']>,
 *   costs?: Report['costs'], calls?: Report['calls'], balance?: Balance | null, throttling?: Pick<Throttling, 'target'>, front?: string | null}} RunParts
 */

/** States in which a request itself does something. @type {RequestState[]} */
const DONE = ['database', 'external-call', 'child-process', 'sleep', 'file', 'other'];

/** These show neither a queue nor that there is none. @type {Pressure['id'][]} */
const UNDECIDED = ['messages', 'short', 'backlog'];

/** Commands of Redis that wait for what another process adds. The companion names the option BLOCK of a stream. */
export const WAITS_FOR_ITEM =
  /^(?:B(?:[LR]POP|RPOPLPUSH|LMOVE|LMPOP|ZM?POP(?:MIN|MAX)?)|XREAD(?:GROUP)? BLOCK)\b/;

/** Statements that wait for a lock of the database, or for an item that another process adds. @type {[LockingStatement['by'], RegExp][]} */
const LOCKING = [
  ['row-lock', /\bFOR (?:NO KEY )?(?:UPDATE|SHARE)\b/i],
  ['advisory-lock', /\b(?:pg_advisory_(?:xact_)?lock\w*|GET_LOCK)\s*\(/i],
  ['table-lock', /^\s*LOCK TABLES?\b/i],
  ['message', WAITS_FOR_ITEM],
  ['write-lock', /^\s*BEGIN (?:IMMEDIATE|EXCLUSIVE)\b/i],
];

const WRITE = /^\s*(?:INSERT|UPDATE|DELETE|MERGE|REPLACE)\b/i;
/** Writes or calls of a service under way, or tries of a request, mean: fewer hardly wait for each other. */
const SEVERAL_TIMES = 2;

/**
 * @param {Pick<RunParts, 'calls' | 'load'>} parts
 * @param {(system: string | null) => number} coresOf of the processes that execute a database's statements; 0: not known
 * @returns {LockingStatement | null} null unless it takes most of the time in statements
 */
function findLocking({ calls, load }, coresOf) {
  const { poolMs, databaseMs } = calls?.whole ?? {};
  const inPool = (poolMs?.mean ?? 0) / ((poolMs?.mean ?? 0) + (databaseMs?.mean ?? 0));
  // Waits for a free connection of a pool are no waits for the database.
  if (poolMs && inPool >= THRESHOLDS.mostOfTime)
    return { by: 'connection', share: inPool, meanMs: poolMs.mean };
  const statements = calls?.statements.filter(({ kind }) => ['sql', 'redis'].includes(kind)) ?? [];
  const [most] = statements;
  const share = (most?.ms ?? 0) / sum(statements.map(({ ms }) => ms));
  if (!most || share < THRESHOLDS.mostOfTime) return null;
  const [named] = LOCKING.find(([, pattern]) => pattern.test(most.text ?? '')) ?? [];
  // Writes that calculate nothing wait for each other, or for the disk. SQLite does both under its lock.
  const [atATime, cores] = [most.ms / totalLengthMs(load.windows), coresOf(most.system)];
  const isIdle = atATime >= SEVERAL_TIMES && cores < atATime * THRESHOLDS.smallPart;
  const write = most.system === 'sqlite' ? 'write-lock' : 'row-write';
  const by = named ?? (isIdle && WRITE.test(most.text ?? '') ? write : null);
  return by && { by, share, meanMs: most.meanMs };
}

/** Calls that a quota refused ÷ calls of other services. @param {RunParts['calls']} calls */
function measureRefused(calls) {
  const made = calls?.statements.filter(({ kind }) => kind === 'http') ?? [];
  const countOf = (/** @type {typeof made} */ some) => sum(some.map(({ count }) => count));
  const refused = made.filter(({ text }) => text?.endsWith(': 429'));
  return refused.length > 0 ? countOf(refused) / countOf(made) : 0;
}

/** What takes a turn. A request that waits for a result reads it instead. */
const TAKES = /^\s*(?:SET|INCR|DECR|EVAL|FCALL|[SZ]ADD|HSETNX|INSERT|UPDATE|SELECT pg_try_)/i;

/**
 * Does a request try to take something of a database again and again, in the function where it sleeps most?
 * @param {Pick<RunParts, 'calls' | 'profile'>} parts
 */
function triesAgain({ calls, profile }) {
  const sleep = profile?.waits?.kinds.find(({ id }) => id === 'sleep');
  const { function: name, file } = sleep?.where[0] ?? {};
  const own = calls?.statements.filter(one => one.function === name && one.file === file) ?? [];
  return own.some(({ perRequest, text }) => perRequest >= SEVERAL_TIMES && TAKES.test(text ?? ''));
}

/**
 * New connections per call, at the line whose calls take most time: their time is part of the calls'.
 * @param {RunParts['calls']} calls
 */
function measureOpened(calls) {
  const all = calls?.statements ?? [];
  const { file = null, line, count = 1 } = all.find(({ kind }) => kind === 'http') ?? {};
  const isOpened = (/** @type {(typeof all)[0]} */ one) =>
    one.kind === 'connect' && one.file === file && one.line === line;
  const perCall = sum(all.filter(isOpened).map(one => one.count)) / count;
  return file !== null && perCall >= THRESHOLDS.nearlyAllTime ? perCall : 0;
}

const SERVICE = /^\S+ ([^/\s]+)/;

/** The service that takes most of the time in calls, if they wait for each other. @param {Pick<RunParts, 'calls' | 'load'>} parts @returns {Turns | null} */
function findTurns({ calls, load }) {
  const made = calls?.statements.filter(({ kind }) => kind === 'http') ?? [];
  const nameOf = (/** @type {(typeof made)[0]} */ { text }) => SERVICE.exec(text ?? '')?.[1] ?? '';
  const msOf = (/** @type {typeof made} */ some) => sum(some.map(({ ms }) => ms));
  const [most] = [...Map.groupBy(made, nameOf)].sort(([, a], [, b]) => msOf(b) - msOf(a));
  const [service = '', own = []] = most ?? [];
  const known = own.flatMap(({ aloneMs }) => aloneMs ?? []);
  const [lengthMs, ms] = [totalLengthMs(load.windows), msOf(own)];
  const atATime = ms / lengthMs;
  if (!service || known.length === 0 || atATime < SEVERAL_TIMES) return null;
  const perSec = (1000 * sum(own.map(one => one.count))) / lengthMs;
  const meanMs = (1000 * atATime) / perSec;
  const aloneMs = Math.max(1000 / perSec, Math.min(...known, meanMs));
  return { service, perSec, atATime, meanMs, aloneMs, share: ms / msOf(made) };
}

/** @param {RunParts} parts @returns {GatheredFacts} */
export function gatherRunFacts(parts) {
  const { run, load, profile, cpu, taskWorkers, costs, balance, throttling } = parts;
  const { hostCores = null, generatorCores = null, pySpyCores = null } = cpu ?? {};
  const { stealCores = null, crowdedShare = null, childCores = null } = cpu ?? {};
  const { serviceCores = null } = cpu ?? {};
  const [pressure, { totalTime }] = [measurePressure(load), load.http];
  const byServer = countByServer(costs ?? null, load.windows);
  const workers =
    (cpu && describeWorkers(cpu, profile?.waits ?? null)) ?? describeByCompanion(parts, byServer);
  const limit = load.generator?.signs.find(({ isLimit }) => isLimit) ?? null;
  const quota = throttling?.target ?? null;
  const ours = (workers?.cores ?? 0) + (generatorCores ?? 0) + (pySpyCores ?? 0);
  const taskCores = taskWorkers?.cpu?.cores ?? null;
  const used = ours + sum([childCores, serviceCores, taskCores, stealCores].map(Number));
  const host = hostCores === null || !run.host ? null : { cores: hostCores, cpus: run.host.cpus };
  const restCores = hostCores === null ? null : Math.max(0, hostCores - used);
  const isOfOthers = host !== null && isMachineFull(host) && (restCores ?? 0) > host.cores / 2;
  const others = isOfOthers && { others: { cores: restCores ?? 0, cpus: host.cpus } };
  const sign = limit && { ...limit, ...others };
  return {
    isSaturated: UNDECIDED.includes(pressure.id) ? null : pressure.id !== 'steady',
    pressure,
    flat: pressure.id === 'waiting' ? findFlat(load) : null,
    generator: sign && { step: null, sign, generatorCores: null, targetCores: null },
    host,
    parts: workers ? [workers] : [],
    workers,
    generatorCores,
    profilerCores: pySpyCores,
    childCores,
    serviceCores,
    stealCores,
    crowdedShare,
    lostWorkers: (cpu?.workerRestarts ?? 0) + (cpu?.workersLost ?? 0),
    connectMs: load.http.connections.tcp?.minMs ?? null,
    inFlight: compareInFlight(load, pressure, profile?.waits ?? null, byServer),
    restCores,
    front: parts.front ?? null,
    quota: quota && { roles: [], quotaCores: quota.quotaCores, share: quota.share },
    requestCpu: measureRequestCpu(parts, byServer),
    uneven: findUneven(balance, workers),
    waits: profile?.waits ?? null,
    ...(load.pools && { pools: load.pools }),
    loopWaits: profile?.loopWaits ?? null,
    locking: findLocking(parts, system =>
      Number(system === 'sqlite' ? workers?.cores : serviceCores),
    ),
    refusedShare: measureRefused(parts.calls),
    tries: triesAgain(parts),
    openedPerCall: measureOpened(parts.calls),
    turns: findTurns(parts),
    paths: profile ? listPaths(profile) : [],
    httpClientCpu: profile?.categories.find(({ id }) => id === 'http-client')?.share.value ?? 0,
    keepsConnections: (load.http.connections.tcp?.count ?? 0) < load.http.requests / 2,
    throughputPerSec: load.http.meanRatePerSec,
    areAlone: (totalTime?.p50Ms ?? Infinity) <= (totalTime?.minMs ?? 0) * MEASURED_TWICE,
    study: null,
  };
}

/**
 * What a request does in functions of the API. Waits for something that other requests hold are left out: a fix
 * shortens those where they are held.
 * @param {NonNullable<Report['profile']>} profile @returns {RequestPath[]}
 */
function listPaths({ hotPaths, waits }) {
  const waiting = (waits?.kinds ?? []).flatMap(({ id, share, where, isBound }) =>
    DONE.includes(id) && !isBound
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
  const slots = waits?.slots ?? waits?.poolThreads ?? null;
  const atATime = Math.max(1, Math.round(found.processes));
  // Waits show where an event loop serves: it has no slots.
  const threads = !waits ? each : slots === null ? null : Math.round(slots / atATime);
  return { name: 'workers', ...found, mostCores: null, threads };
}

/** Requests inside a worker at a time, mean: with fewer, none waits for another. */
const SEVERAL = 1.2;

/** Without the system's figures: the CPU that the companion measured in each request. @param {RunParts} parts @param {number | null} byServer @returns {Part | null} */
function describeByCompanion({ load: { windows }, costs, balance }, byServer) {
  const { basis, members = [] } = balance?.workers ?? {};
  const rows = costs?.endpoints ?? [];
  if (basis !== 'companion' || rows.length === 0) return null;
  const costOf = (/** @type {(typeof rows)[number]} */ own) =>
    (own.cpuMsPerRequest?.value ?? 0) + (own.aroundMsPerRequest?.value ?? 0);
  const cpuMs = sum(rows.map(own => (own.requests ?? 0) * costOf(own)));
  const processes = members.length;
  const cores = cpuMs / totalLengthMs(windows);
  const threads = (byServer ?? 0) < SEVERAL * processes ? 1 : null;
  const each = { busiestCores: cores / processes, leastCores: null, mostCores: null };
  return { name: 'workers', processes, cores, ...each, threads };
}

/**
 * Requests that a client waits for and no worker has started are in the listen backlog or in transit.
 * @param {RunParts['load']} load @param {Pressure} pressure @param {Waits | null} waits @param {number | null} byServer
 * @returns {GatheredFacts['inFlight']}
 */
function compareInFlight({ seconds, windows }, pressure, waits, byServer) {
  const counted = countInFlight(seconds.filter(({ startMs }) => isWithin(windows, startMs)));
  // Threads beside an event loop have only a part of its requests; on a busy machine, samples miss some.
  const bySlots = waits?.slots == null ? null : countBySlots(waits);
  const isPart = ['anyio', 'executor'].includes(waits?.poolOf ?? '');
  const inside =
    bySlots === null || (isPart && byServer !== null) ? byServer : Math.max(bySlots, byServer ?? 0);
  if (counted === null || inside === null) return null;
  const { users, share } = pressure.id === 'waiting' ? pressure.facts : { users: 0, share: 0 };
  return { client: Math.max(counted, users * share), inside };
}

/**
 * What the kernel says of a request: CPU time of the workers and of their child processes, and how long their threads
 * waited for a core. Its response time is the one inside the server, where that is known.
 * @param {RunParts} parts @param {number | null} byServer requests in it at a time
 * @returns {GatheredFacts['requestCpu']}
 */
function measureRequestCpu({ load, cpu, profile }, byServer) {
  const { perRequest = null, requests, workers = [], childMsPerRequest } = cpu ?? {};
  const { meanRatePerSec, totalTime } = load.http;
  const waits = profile?.waits ?? null;
  const inside = byServer ?? (waits?.slots ? countBySlots(waits) : null);
  const insideMs = inside !== null && meanRatePerSec > 0 ? (1000 * inside) / meanRatePerSec : 0;
  const queued = workers.flatMap(({ queuedMs }) => queuedMs ?? []);
  const queuedMs = queued.length > 0 && requests ? sum(queued) / requests : null;
  // Threads wait before and between requests, too.
  const isInside = insideMs > 0 && (queuedMs ?? 0) <= insideMs;
  const responseMs = isInside ? insideMs : totalTime?.meanMs;
  if (cpu?.basis !== 'process-cpu' || !perRequest || !responseMs) return null;
  return {
    cpuMs: perRequest.value + (childMsPerRequest ?? 0),
    queuedMs: queuedMs && Math.min(responseMs, queuedMs),
    responseMs,
    isInside,
  };
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
  const of = isUnevenGroup(balance?.backends) ? 'backends' : 'workers';
  const group = balance?.[of];
  const isFound = of === 'backends' || (isBusy && isUnevenGroup(group));
  return group && isFound ? { of, ...countWork(group) } : null;
}
