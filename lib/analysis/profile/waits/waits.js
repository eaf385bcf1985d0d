/**
 * Where the time of request threads goes, from samples of all threads, including waiting ones. Such a sample does not
 * show whether a thread runs. So what the profile of running threads shows at the same places is CPU, including the
 * time that threads spend there before they get to run, and the rest is waiting.
 */

import { addTo, entryOf } from '../../../base/files/maps.js';
import { wilsonInterval } from '../../../base/math/intervals.js';
import { sum } from '../../../base/math/summary.js';
import { AWAITS_PER_SEC } from '../../stacks/markers.js';
import { findBackground, findBorrowers, findHolders } from './holders.js';
import { isServedByLoop, PLACES } from './loop-waits.js';
import { classifyWaits } from './wait-kinds.js';
import { buildWaitTable, selectBusy } from './wait-table.js';

/** @typedef {import('../../../run/facts/profile-report.d.ts').Waits} Waits */
/** @typedef {Waits['kinds'][number]['id']} KindId */
/** @typedef {import('../../stacks/profile.d.ts').Profile} Profile */

/** Places with fewer samples are judged together, by kind. */
const LEAST_LOOKS_OF_PLACE = 10;
/** A thread that wants the interpreter (the GIL) wakes up and asks again after this time, `sys.getswitchinterval()`. */
const SWITCH_INTERVAL_MS = 5;
const POOL = /** @type {const} */ ('pool');
/** Mean number of requests that wait for a thread, and share of the threads that serve one: then no more may start. */
const LEAST_QUEUED = 0.25;
const ALL_TAKEN = 0.9;
/** Fewer samples say nothing. */
const LEAST_LOOKS = 10;
/** Three of four samples in a function do the same: they outvote the others by half. */
const MOSTLY = 0.5;

/**
 * @param {object} input
 * @param {Profile} input.looks samples of all threads; its segments lie in the window
 * @param {import('../../../run/facts/rules.d.ts').Classification} input.classification of `looks`
 * @param {number} input.rateHz samples per second
 * @param {Profile} input.running the profile of running threads
 * @param {Pick<import('../recording.d.ts').ProfileAnalysis, 'base' | 'classes'>} input.analysis of `running`
 * @param {number} input.sampledMs how long `running` was sampled in the windows
 * @param {import('../../../run/facts/rules.d.ts').Rules} input.rules
 * @param {number | null} input.masterPid
 * @param {number | null} input.threads requests that a worker serves at the same time
 * @param {import('../threads.js').ThreadUse[]} input.scheduled the scheduler's figures for the workers' threads;
 *   empty where it has none
 * @param {number} input.lengthMs of the windows that these figures cover
 * @param {import('../../read/load/build-grid.js').Grid | null} [input.grid]
 * @param {import('../../load/load-rates.d.ts').LoadRates | null} [input.rates]
 * @param {import('../../../run/facts/costs.d.ts').EndpointCosts | null} [input.costs]
 * @param {import('./wait-kinds.js').Opener[]} [input.openers]
 * @param {import('../../../run/facts/profile-report.d.ts').Holders | null} [borrowers] of a queue that is a pool
 * @returns {{waits: Waits, weights: Float64Array} | null} `weights`: samples of waiting requests per leaf node, without
 *   the part that ran; null with too few samples
 */
export function buildWaits(input, borrowers = null) {
  const { looks, rateHz, running, analysis, rules, masterPid, threads } = input;
  const { sampledMs, scheduled, lengthMs, grid = null, rates = null, costs = null } = input;
  const classes = classifyWaits(looks, input.classification, rules, input.openers);
  const counts = countLooks(looks, classes, masterPid);
  if (counts.looks < LEAST_LOOKS) return null;
  const { rounds, roundsOf, twice } = counts;
  const selected = { looks, classes, masterPid, rounds };
  const found = findBorrowers(selected);
  if (found) return buildWaits({ ...input, rules: setKind(rules, 'queue', POOL) }, found);
  if (twice > 0 && rules.waits.some(({ kind, as }) => kind === 'lock' && as === 'future'))
    return buildWaits({ ...input, rules: setKind(rules, 'future', 'thread-pool') }, borrowers);
  const samplesPerThread = (sampledMs / 1000) * (running.rateHz ?? 0);
  // Samples of our own recorder show which threads run.
  const isKnown = looks.source === 'samples';
  const { byPlace, taskShare } = countRunning(running, analysis, rules);
  const places = joinPlaces(counts, isKnown ? new Map() : byPlace, samplesPerThread);
  const busyThreads = (counts.busy - twice) / counts.rounds;
  const ran = samplesPerThread > 0 ? analysis.base.total / samplesPerThread : 0;
  const all = [...places.values()];
  const stretch = measureStretch(all, measureMostThreads(scheduled, lengthMs, busyThreads) / ran);
  const shares = shareOut(all, stretch);
  const queue = shares.get('thread-pool');
  if (queue) queue.threads -= twice / rounds;
  const busy = selectBusy(looks, classes.request, masterPid);
  const weights = busy.weights.map((weight, node) => {
    const { kind, seen = 0, ran: own = 0 } = weight > 0 ? placeOf(places, classes, node) : {};
    return kind && seen > 0 ? weight * Math.max(0, 1 - (own * stretch) / seen) : 0;
  });
  // Threads of one sample are correlated: a sample counts once, and so does an await that several samples show.
  const distinct = counts.awaits > 0 ? Math.min(1, AWAITS_PER_SEC / rateHz) : 1;
  const trials = Math.min(counts.looks * distinct, counts.busy);
  const isLoop = counts.awaits > 0 || isServedByLoop(running, analysis.classes);
  const kinds = listKinds(shares, busyThreads, trials);
  // Without a request in a pool thread, the pool exists for something else.
  const isPool = counts.pools.size > 0;
  const taken = [...(isPool ? counts.pools : isLoop ? [] : counts.slots).values()];
  const poolThreads = isPool ? Math.round(counts.poolThreads / counts.rounds) : 0;
  const queued = busyThreads * (kinds.find(({ id }) => id === 'thread-pool')?.share.value ?? 0);
  // Requests wait for a thread, so all that may exist do. On a busy machine a free thread begins late.
  const areTaken = Math.max(queued, sum(taken) / rounds) >= poolThreads * ALL_TAKEN;
  const isLimit = !classes.grows || (queued >= LEAST_QUEUED && areTaken);
  const each = threads ?? (classes.isSync ? 1 : null);
  const ofWorkers = isLoop || each === null ? null : each * counts.workers;
  const waits = {
    looks: counts.looks,
    rateHz,
    slots: poolThreads === 0 ? ofWorkers : isLimit ? poolThreads : null,
    poolThreads: poolThreads || null,
    poolOf: [...counts.poolsOf].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null,
    busySlots: sum(taken) / rounds,
    busySlotsOfFullest: Math.max(0, ...taken) / rounds,
    busyThreads,
    suspended: counts.awaits === 0 && isLoop ? null : counts.awaits / rounds,
    kinds,
    holders: borrowers ?? findHolders(selected, kinds),
    background: findBackground(selected),
    taskShare,
    ran: measureRan(all),
    table: buildWaitTable({ looks, busy, rateHz, classes, rules, roundsOf, grid, rates, costs }),
  };
  return { waits, weights };
}

/**
 * @param {ReturnType<typeof shareOut>} shares
 * @param {number} busyThreads
 * @param {number} trials independent samples
 */
function listKinds(shares, busyThreads, trials) {
  return [...shares]
    .filter(([, own]) => own.threads > 0)
    .sort(([, a], [, b]) => b.threads - a.threads)
    .map(([id, own]) => {
      const value = own.threads / busyThreads;
      const share = { value, ...wilsonInterval(value * trials, trials) };
      return { id, share, where: listOwners(own.owners) };
    });
}

/**
 * The rules where requests put back what they take from a queue, or where the work that they wait for is on threads of an
 * executor: those who wait for its result and have no such thread wait for one.
 * @param {import('../../../run/facts/rules.d.ts').Rules} rules @param {'queue' | 'future'} of @param {KindId} kind
 */
function setKind(rules, of, kind) {
  const waits = rules.waits.map(own => ([own.kind, own.as].includes(of) ? { ...own, kind } : own));
  return { ...rules, waits };
}

/**
 * An innermost frame and its kind, or several small ones of a kind.
 * @typedef {object} Place
 * @property {KindId | null} kind null where no rule says that it waits
 * @property {boolean} isSuspended it is on no thread's stack, so it does not run
 * @property {number} looks samples
 * @property {number} seen threads at the place, mean
 * @property {number} ran threads running there, mean
 * @property {Owners} owners
 */

/**
 * Samples per calling function of the application. `votes`: those with its `as` less all others (R. Boyer and J. Moore,
 * "MJRTY: A Fast Majority Vote Algorithm", 1991).
 * @typedef {Map<string, Owner & {n: number, votes: number}>} Owners
 * @typedef {Omit<import('../../../run/facts/profile-report.d.ts').WaitPlace, 'share'>} Owner
 */

/**
 * @param {{byPlace: Map<string, Tally>, rounds: number}} counts
 * @param {Map<string, Tally>} running samples
 * @param {number} samplesPerThread of a thread that runs all the time; 0: unknown
 * @returns {Map<string, Place>} by `keyOf`, small ones by `joinedKey`
 */
function joinPlaces({ byPlace, rounds }, running, samplesPerThread) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  for (const key of new Set([...byPlace.keys(), ...running.keys()])) {
    const [look, sample] = [byPlace.get(key), running.get(key)];
    const { kind = null, isSuspended = false } = look ?? sample ?? {};
    const looks = look?.n ?? 0;
    const name = looks < LEAST_LOOKS_OF_PLACE ? joinedKey(kind, isSuspended) : key;
    const none = { kind, isSuspended, looks: 0, seen: 0, ran: 0 };
    const place = entryOf(places, name, () => ({ ...none, owners: new Map() }));
    for (const owner of look?.owners.values() ?? []) addOwner(place.owners, owner, owner.n);
    place.looks += looks;
    place.seen += looks / rounds;
    if (samplesPerThread > 0) place.ran += (sample?.n ?? 0) / samplesPerThread;
  }
  return places;
}

/** @param {KindId | null} kind @param {boolean} isSuspended */
const joinedKey = (kind, isSuspended) => `${kind} ${isSuspended}`;

/** @param {Map<string, Place>} places @param {import('./wait-kinds.js').WaitClasses} classes @param {number} node @returns {Partial<Place>} */
function placeOf(places, classes, node) {
  const joined = joinedKey(classes.kindOf(node), classes.suspended[node] === 1);
  return places.get(classes.keyOf(node)) ?? places.get(joined) ?? {};
}

/**
 * How long a thread is at a place, per time that it runs there: it also waits for the interpreter (the GIL), or for a
 * core. That happens wherever code runs. So this is the median over the places where no rule sees a wait, weighted by
 * the running time there: code that sleeps there hardly ever runs.
 * @param {Place[]} places
 * @param {number} most upper bound from the scheduler's figures
 */
function measureStretch(places, most) {
  const known = places.filter(({ kind, ran, looks }) => kind === null && ran > 0 && looks > 0);
  known.sort((a, b) => a.seen / a.ran - b.seen / b.ran);
  let left = sum(known.map(({ ran }) => ran)) / 2;
  const middle = known.find(({ ran }) => {
    left -= ran;
    return left <= 0;
  });
  return Math.max(1, Math.min(middle ? middle.seen / middle.ran : 1, most));
}

/**
 * The most that threads can have run, or waited for a core or for the GIL. A thread that waits for the GIL gets a core
 * once per switch interval, and waits only while another thread of the process has the GIL.
 * @param {import('../threads.js').ThreadUse[]} scheduled
 * @param {number} lengthMs
 * @param {number} busyThreads inside requests, mean
 * @returns {number} threads, mean; Infinity without the scheduler's figures
 */
function measureMostThreads(scheduled, lengthMs, busyThreads) {
  if (scheduled.length === 0) return Infinity;
  const processes = [...Map.groupBy(scheduled, ({ pid }) => pid).values()];
  return sum(
    processes.map(threads => {
      const had = sum(threads.map(({ runMs, queuedMs }) => runMs + queuedMs));
      const awaited = sum(threads.map(({ slices }) => slices)) * SWITCH_INTERVAL_MS;
      return (had + Math.min(awaited, (had * busyThreads) / processes.length)) / lengthMs;
    }),
  );
}

/**
 * @param {Place[]} places
 * @param {number} stretch
 * @returns {Map<KindId, {threads: number, owners: Owners}>} threads, mean; running code has no owners
 */
function shareOut(places, stretch) {
  /** @type {Map<KindId, {threads: number, owners: Owners}>} */
  const shares = new Map();
  const shareOf = (/** @type {KindId} */ id) =>
    entryOf(shares, id, () => ({ threads: 0, owners: new Map() }));
  for (const { kind, seen, ran, owners } of places) {
    if (seen === 0) continue;
    const cpu = Math.min(seen, ran * stretch);
    shareOf('cpu').threads += cpu;
    if (cpu === seen) continue;
    const waiting = shareOf(kind ?? 'other');
    waiting.threads += seen - cpu;
    for (const owner of owners.values())
      addOwner(waiting.owners, owner, owner.n * (1 - cpu / seen));
  }
  return shares;
}

/** @param {Owners} owners @param {Owner} owner @param {number} n */
function addOwner(owners, { function: name, file, line = null, call = null, as = null }, n) {
  const own = { function: name, file, line, call, as };
  const entry = entryOf(owners, `${name}\n${file}`, () => ({ ...own, n: 0, votes: 0 }));
  if (entry.line !== line) entry.line = null;
  if (entry.call !== call) entry.call = null;
  entry.votes += entry.as === as ? n : -n;
  if (entry.votes < 0) [entry.as, entry.votes] = [as, -entry.votes];
  entry.n += n;
}

/** @typedef {{kind: KindId | null, isSuspended: boolean, n: number, owners: Owners}} Tally samples at a place, of all threads or of running ones */

/** @param {Map<string, Tally>} tallies @param {import('./wait-kinds.js').WaitClasses} classes @param {number} node @param {number} n */
function count(tallies, classes, node, n) {
  const key = classes.keyOf(node);
  const [kind, isSuspended] = [classes.kindOf(node), classes.suspended[node] === 1];
  const tally = entryOf(tallies, key, () => ({ kind, isSuspended, n: 0, owners: new Map() }));
  tally.n += n;
  return tally;
}

/** The part of the threads at places of a kind that ran. @param {Place[]} places */
function measureRan(places) {
  const named = places.filter(({ kind }) => kind !== null);
  const seen = sum(named.map(place => place.seen));
  const ran = sum(named.map(place => Math.min(place.seen, place.ran)));
  return seen > 0 ? ran / seen : 0;
}

/**
 * @param {Profile} looks
 * @param {import('./wait-kinds.js').WaitClasses} classes
 * @param {number | null} masterPid
 */
function countLooks({ rows, processes }, classes, masterPid) {
  const isMaster = processes.map(({ pid }) => pid === masterPid);
  /** @type {Map<string, Tally>} */
  const byPlace = new Map();
  /** Per segment, process and thread: number of samples. @type {Map<string, Map<number, number>>} */
  const threads = new Map();
  /** Per process. @type {Map<number, number>} */
  const slots = new Map();
  /** Per process. @type {Map<number, number>} */
  const pools = new Map();
  /** @type {Map<import('../../../run/facts/profile-report.d.ts').ThreadPool, number>} */
  const poolsOf = new Map();
  let [busy, awaits, poolThreads, futures] = [0, 0, 0, 0];
  for (let row = 0; row < rows.node.length; row++) {
    const process = rows.process[row] ?? -1;
    if (isMaster[process]) continue;
    const [node, weight] = [rows.node[row] ?? -1, rows.weight[row] ?? 0];
    const own = entryOf(threads, `${rows.segment[row]} ${process}`, () => new Map());
    // Something that stands for several requests is not that many samples.
    addTo(own, rows.thread[row] ?? -1, classes.suspended[node] ? 0 : weight);
    if (classes.inPool[node]) poolThreads += weight;
    if (node < 0 || !classes.request[node]) continue;
    busy += weight;
    if (classes.suspended[node]) awaits += weight;
    if (classes.slot[node]) addTo(slots, process, weight);
    const pool = classes.inPool[node];
    if (pool) {
      addTo(pools, process, weight);
      addTo(poolsOf, pool, weight);
    }
    const tally = count(byPlace, classes, node, weight);
    const owner = classes.placeOf(node);
    if (owner) addOwner(tally.owners, owner, weight);
    if (owner?.as === 'future') futures += weight;
  }
  /** @type {Map<number, number>} */
  const roundsOf = new Map();
  let looks = 0;
  for (const [key, own] of threads) {
    // The main thread of a process is in every sample of it.
    const most = Math.max(...own.values());
    const segment = Number(key.split(' ')[0]);
    roundsOf.set(segment, Math.max(roundsOf.get(segment) ?? 0, most));
    looks += most;
  }
  const rounds = sum([...roundsOf.values()]);
  // Workers that replaced each other count as one.
  const workers = Math.round(looks / Math.max(1, rounds));
  const counted = { byPlace, slots, pools, poolsOf, busy, awaits, poolThreads };
  // Where the server's own threads are known, others work for their requests, which are on two stacks meanwhile.
  const own = sum([...slots.values(), ...pools.values()]) - (poolsOf.get('executor') ?? 0);
  const twice = own > 0 ? Math.min(futures, busy - awaits - own) : 0;
  return { ...counted, twice, looks, rounds, roundsOf, workers };
}

/**
 * @param {Profile} running
 * @param {Pick<import('../recording.d.ts').ProfileAnalysis, 'base' | 'classes'>} analysis
 * @param {import('../../../run/facts/rules.d.ts').Rules} rules
 */
function countRunning(running, { base, classes: of }, rules) {
  const classes = classifyWaits(running, of, rules);
  /** @type {Map<string, Tally>} */
  const byPlace = new Map();
  let tasks = 0;
  for (const [node, weight] of base.weights.entries()) {
    if (weight > 0 && classes.request[node]) count(byPlace, classes, node, weight);
    else if (classes.taskOf(node)) tasks += weight;
  }
  return { byPlace, taskShare: tasks / Math.max(1, base.total) };
}

/** @param {Owners} owners */
function listOwners(owners) {
  const all = [...owners.values()].sort((a, b) => b.n - a.n);
  const total = sum(all.map(owner => owner.n));
  return all.slice(0, PLACES).map(({ n, votes, as, ...owner }) => {
    return { ...owner, as: votes >= n * MOSTLY ? as : null, share: n / total };
  });
}
