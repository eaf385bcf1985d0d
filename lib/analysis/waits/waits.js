/**
 * Where the time of request threads goes, from looks at all threads, waiting ones too. A look does not
 * tell whether a thread runs, so what the profile of running threads shows at the same places is CPU,
 * and the rest is waiting.
 */

import { classifyProfile } from '../../hotpath/classify-profile.js';
import { wilsonInterval } from '../../math/intervals.js';
import { classifyWaits } from './wait-kinds.js';

/** @typedef {import('../report.d.ts').Waits} Waits */
/** @typedef {Waits['kinds'][number]['id']} KindId */
/** @typedef {import('../../profile/profile.d.ts').Profile} Profile */

/**
 * Above this share of a core of each worker, or of all cores of the machine, threads that want to run
 * and don't stand in the queue for the interpreter (the GIL) or for a core; below it they sleep.
 */
const CROWDED_CORES = 0.6;
const CROWDED_MACHINE = 0.9;
const PLACES = 3;
/** Fewer looks than this tell nothing. */
const LEAST_LOOKS = 10;

/**
 * @param {object} input
 * @param {Profile} input.looks of all threads; its segments lie in the window
 * @param {number} input.rateHz looks per second
 * @param {Profile} input.running the profile of running threads
 * @param {Pick<import('../profile/analyse-profile.js').ProfileAnalysis, 'base' | 'classes'>} input.analysis of `running`
 * @param {number} input.sampledMs how long `running` was sampled in the windows
 * @param {import('../../hotpath/rules.d.ts').Rules} input.rules
 * @param {number | null} input.masterPid
 * @param {number | null} input.threads requests that a worker serves at the same time
 * @param {number | null} input.cores of a worker in use, mean
 * @param {{busyCores: number, cpus: number} | null} input.host
 * @returns {Waits | null} null where too little was seen
 */
export function buildWaits({
  looks,
  rateHz,
  running,
  analysis,
  sampledMs,
  rules,
  masterPid,
  threads,
  cores,
  host,
}) {
  const counts = countLooks(
    looks,
    classifyWaits(looks, classifyProfile(looks, rules), rules),
    masterPid,
  );
  if (counts.looks < LEAST_LOOKS) return null;
  const seen = scale(counts.byKind, 1 / counts.rounds);
  const samplesPerThread = (sampledMs / 1000) * (running.rateHz ?? 0);
  const ran =
    samplesPerThread > 0
      ? scale(countRunning(running, analysis, rules), 1 / samplesPerThread)
      : new Map();
  const busyThreads = sum(seen);
  const isCrowded =
    (cores !== null && cores >= CROWDED_CORES) ||
    (host !== null && host.busyCores >= host.cpus * CROWDED_MACHINE);
  const shares = shareOut(seen, ran, isCrowded);
  return {
    looks: counts.looks,
    rateHz,
    slots: threads === null ? null : threads * counts.workers,
    busySlots: sum(counts.slots) / counts.rounds,
    busySlotsOfFullest: Math.max(0, ...counts.slots.values()) / counts.rounds,
    busyThreads,
    kinds: [...shares]
      .filter(([, threadsOf]) => threadsOf > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([id, threadsOf]) => {
        const value = threadsOf / busyThreads;
        // Threads of one look hang together: a look counts once.
        const trials = Math.min(counts.looks, counts.busy);
        return {
          id,
          share: { value, ...wilsonInterval(value * trials, trials) },
          where: listPlaces(counts.places.get(id)),
        };
      }),
  };
}

/**
 * @param {Map<KindId | null, number>} seen threads at places of a kind, mean
 * @param {Map<KindId | null, number>} ran of them running, mean
 * @param {boolean} isCrowded
 * @returns {Map<KindId, number>}
 */
function shareOut(seen, ran, isCrowded) {
  /** @type {Map<KindId, number>} */
  const shares = new Map();
  const add = (/** @type {KindId} */ id, /** @type {number} */ n) =>
    shares.set(id, (shares.get(id) ?? 0) + n);
  for (const [id, all] of seen) {
    const cpu = Math.min(all, ran.get(id) ?? 0);
    add('cpu', cpu);
    add(id ?? (isCrowded ? 'cpu' : 'other'), all - cpu);
  }
  return shares;
}

/**
 * @param {Profile} looks
 * @param {import('./wait-kinds.js').WaitClasses} classes
 * @param {number | null} masterPid
 */
function countLooks({ rows, processes }, classes, masterPid) {
  const isMaster = processes.map(({ pid }) => pid === masterPid);
  /** @type {Map<KindId | null, number>} */
  const byKind = new Map();
  /** @type {Map<KindId | null, Map<string, {function: string, file: string, n: number}>>} */
  const places = new Map();
  /** Per segment, process and thread: how often it was seen. @type {Map<string, Map<number, number>>} */
  const threads = new Map();
  /** Per process. @type {Map<number, number>} */
  const slots = new Map();
  let busy = 0;
  for (let row = 0; row < rows.node.length; row++) {
    const process = rows.process[row] ?? -1;
    if (isMaster[process]) continue;
    const [node, weight] = [rows.node[row] ?? -1, rows.weight[row] ?? 0];
    const key = `${rows.segment[row]} ${process}`;
    const own = threads.get(key) ?? new Map();
    threads.set(key, own);
    const thread = rows.thread[row] ?? -1;
    own.set(thread, (own.get(thread) ?? 0) + weight);
    if (node < 0 || !classes.request[node]) continue;
    busy += weight;
    if (classes.slot[node]) slots.set(process, (slots.get(process) ?? 0) + weight);
    const kind = classes.kindOf(node);
    byKind.set(kind, (byKind.get(kind) ?? 0) + weight);
    const place = classes.placeOf(node);
    if (!place) continue;
    const ofKind = places.get(kind ?? 'other') ?? new Map();
    places.set(kind ?? 'other', ofKind);
    const name = `${place.function}\n${place.file}`;
    ofKind.set(name, { ...place, n: (ofKind.get(name)?.n ?? 0) + weight });
  }
  // The main thread of a process is in every look at it.
  const ofProcess = [...threads].map(([key, own]) => ({
    segment: key.split(' ')[0],
    process: key.split(' ')[1],
    looks: Math.max(...own.values()),
  }));
  const rounds = [...Map.groupBy(ofProcess, ({ segment }) => segment).values()].reduce(
    (total, own) => total + Math.max(...own.map(({ looks }) => looks)),
    0,
  );
  const all = ofProcess.reduce((total, { looks }) => total + looks, 0);
  return {
    byKind,
    places,
    slots,
    busy,
    looks: all,
    rounds,
    // Workers that followed each other are one.
    workers: Math.round(all / Math.max(1, rounds)),
  };
}

/**
 * @param {Profile} running
 * @param {Pick<import('../profile/analyse-profile.js').ProfileAnalysis, 'base' | 'classes'>} analysis
 * @param {import('../../hotpath/rules.d.ts').Rules} rules
 */
function countRunning(running, { base: { weights }, classes: { request, identities } }, rules) {
  const classes = classifyWaits(running, { request, identities }, rules);
  /** @type {Map<KindId | null, number>} */
  const byKind = new Map();
  weights.forEach((weight, node) => {
    if (weight === 0 || !classes.request[node]) return;
    const kind = classes.kindOf(node);
    byKind.set(kind, (byKind.get(kind) ?? 0) + weight);
  });
  return byKind;
}

/** @param {Map<string, {function: string, file: string, n: number}> | undefined} places */
function listPlaces(places) {
  const all = [...(places?.values() ?? [])].sort((a, b) => b.n - a.n);
  const total = all.reduce((n, place) => n + place.n, 0);
  return all
    .slice(0, PLACES)
    .map(({ function: name, file, n }) => ({ function: name, file, share: n / total }));
}

/** @template K @param {Map<K, number>} counts @param {number} factor @returns {Map<K, number>} */
function scale(counts, factor) {
  return new Map([...counts].map(([key, n]) => [key, n * factor]));
}

/** @param {Map<any, number>} counts */
function sum(counts) {
  return [...counts.values()].reduce((total, n) => total + n, 0);
}
