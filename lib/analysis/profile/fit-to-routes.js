/** Weighs samples of requests so that each route has the share of the CPU time that its threads measured. */

import { entryOf } from '../../base/files/maps.js';
import { meanOverTime } from '../../base/math/intervals.js';
import { sum } from '../../base/math/summary.js';
import { addAt } from '../sample-table/select.js';

/** @typedef {import('../load/load-rates.d.ts').CostLoad} CostLoad */
/** @typedef {import('../../base/math/estimate.d.ts').Estimate} Estimate */

/** Least share of an endpoint's responses with a thread CPU time: with fewer, the mean would cover other requests. */
const MIN_TIMED = 0.9;

/**
 * What the companion measured in the windows.
 * @param {CostLoad | null} load
 * @param {number} sampledShare of the windows
 * @returns {Map<string, number>} name of a route → CPU-ms of its requests; empty where nothing was measured, or
 *   where the script names its endpoints: how they divide into routes is unknown
 */
export function measureRoutes(load, sampledShare) {
  if (!load || load.endpoints.some(({ routes }) => routes)) return new Map();
  const routes = load.endpoints.flatMap(({ name }, index) => {
    const { requests, measured, around, nativeMs } = readLoad(index, load);
    if (!requests || !measured) return [];
    const ownMs = measured.value - nativeMs - (around?.value ?? 0); // work around requests is below no route
    return [/** @type {const} */ ([name, ownMs * requests * sampledShare])];
  });
  return new Map(routes);
}

/**
 * A thread that waits for a core, or that py-spy saw just as it fell asleep, counts like one that runs: a view that
 * only sleeps has samples for several times the CPU time that it used. The total number of samples stays the same. A
 * thread that serves none of these routes (the exporter of a library, a server's acceptor) has the CPU time that the
 * scheduler counted for it, and all other samples get the rest.
 * @param {import('../stacks/profile.d.ts').Profile} profile
 * @param {{kept: Int32Array, weight: Float64Array}} counted rows, and how many samples each counts for
 * @param {ReadonlyMap<string, number>} routesMs
 * @param {number | null} cpuMs of the workers in the windows
 * @param {ReadonlyMap<string, number>} [threadsMs] process and thread → CPU-ms there
 * @returns {{kept: Int32Array, weight: Float64Array}} whole samples, evenly; rows without any are dropped
 */
export function fitToRoutes(profile, { kept, weight }, routesMs, cpuMs, threadsMs = new Map()) {
  const { rows, routes, processes, threads } = profile;
  const measuredMs = routes.map(name => routesMs.get(name) ?? null);
  if (!cpuMs || measuredMs.every(ms => ms === null)) return { kept, weight };
  const isMeasured = (/** @type {number} */ row) => measuredMs[rows.route[row] ?? -1] != null;
  const slotOf = (/** @type {number} */ row) =>
    rows.thread[row] === -1
      ? -1
      : (rows.process[row] ?? 0) * threads.length + (rows.thread[row] ?? 0);
  const serving = new Set(kept.filter(isMeasured).map(slotOf));
  /** @type {Map<number, number>} */
  const placeAt = new Map();
  /** @type {Map<string, number>} */
  const others = new Map();
  for (const slot of new Set(kept.map(slotOf)).difference(serving)) {
    const { pid } = processes[Math.floor(slot / threads.length)] ?? {};
    const thread = `${pid} ${threads[slot % threads.length]?.id}`;
    if (!threadsMs.has(thread)) continue;
    const place = entryOf(others, thread, () => routes.length + others.size);
    placeAt.set(slot, place);
  }
  // The last entry is for all other rows.
  const rest = routes.length + others.size;
  const placeOf = (/** @type {number} */ row) =>
    isMeasured(row) ? (rows.route[row] ?? -1) : (placeAt.get(slotOf(row)) ?? rest);
  const sampled = new Float64Array(rest + 1);
  for (const [index, row] of kept.entries()) addAt(sampled, placeOf(row), weight[index] ?? 0);
  const total = sum(sampled);
  const known = [...measuredMs, ...Array.from(others.keys(), own => threadsMs.get(own) ?? 0)];
  const seen = known.map((ms, place) => ((sampled[place] ?? 0) > 0 ? (ms ?? 0) : 0));
  const spentMs = Math.max(cpuMs, sum(seen));
  const wanted = [...seen, spentMs - sum(seen)].map(ms => (total * ms) / spentMs);
  const factors = wanted.map((samples, place) => samples / (sampled[place] || 1));
  const rounders = factors.map(createRounder);
  const own = weight.map((count, index) => {
    const place = placeOf(kept[index] ?? 0);
    return rounders[place]?.(count * (factors[place] ?? 1)) ?? 0;
  });
  return {
    kept: kept.filter((_, index) => (own[index] ?? 0) > 0),
    weight: own.filter(count => count > 0),
  };
}

/** Rounds amounts so that their sum stays: the rest of each carries over to the next. @returns {(amount: number) => number} */
export function createRounder() {
  let owed = 0.5;
  return amount => {
    const exact = owed + amount;
    owed = exact - Math.floor(exact);
    return Math.floor(exact);
  };
}

/**
 * `measured`: thread CPU per request, ms; `around`: of it, what the server spent between requests; `nativeMs`:
 * of it, what native threads used
 * @typedef {{endpoint: CostLoad['endpoints'][number] | null, requests: number | null, measured: Estimate | null,
 *   around: Estimate | null, nativeMs: number}} OwnLoad
 */

/** What the load shows about an endpoint. @param {number} index of it, -1 for none @param {CostLoad | null} load @returns {OwnLoad} */
export function readLoad(index, load) {
  const endpoint = load?.endpoints[index] ?? null;
  const requests = endpoint?.answers ?? null;
  const timed = endpoint?.measured;
  const isTimed = timed && sum(timed.answers) >= MIN_TIMED * (requests ?? 0);
  const around = isTimed ? meanOverTime(timed.aroundMs, timed.answers) : null;
  const native = load?.nativeMs?.[index] ?? null;
  const ended = isTimed && timed.endedMs ? meanOverTime(timed.endedMs, timed.answers) : null;
  return {
    endpoint,
    requests,
    measured: isTimed ? addEstimates(meanOverTime(timed.cpuMs, timed.answers), native) : null,
    nativeMs: (native?.value ?? 0) + (ended?.value ?? 0),
    around: around && around.value > 0 ? around : null,
  };
}

/** Their intervals are independent. @param {Estimate | null} a @param {Estimate | null} b */
function addEstimates(a, b) {
  if (!a || !b) return a;
  const value = a.value + b.value;
  const side = (/** @type {'low' | 'high'} */ end) =>
    Math.hypot(a.value - (a[end] ?? a.value), b.value - (b[end] ?? b.value));
  return { value, low: value - side('low'), high: value + side('high') };
}
