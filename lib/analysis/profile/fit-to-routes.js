/** Weighs samples of requests so that each route has the share of the CPU time that its threads measured. */

import { meanOverTime } from '../../base/math/intervals.js';
import { sum } from '../../base/math/summary.js';
import { addAt } from '../sample-table/select.js';
import { markBelow } from '../stacks/node-table.js';
import { OWN_FILE } from '../stacks/profile-builder.js';

/** @typedef {import('../load/load-rates.d.ts').CostLoad} CostLoad */
/** @typedef {import('../../base/math/estimate.d.ts').Estimate} Estimate */

/** Least share of an endpoint's responses with a thread CPU time: with fewer, the mean would cover other requests. */
const MIN_TIMED = 0.9;

const PARTS = 3;

/**
 * CPU-ms of a route: outside of the calls that the companion follows, in them, and of the companion around them; null: not
 * known, and part of the first.
 * @typedef {[rest: number, calls: number | null, own: number | null]} RouteParts
 */

/**
 * What the companion measured in the windows.
 * @param {CostLoad | null} load
 * @param {number} sampledShare of the windows
 * @returns {Map<string, RouteParts>} by name of a route; empty where nothing was measured, or where the script names its
 *   endpoints: how they divide into routes is unknown
 */
export function measureRoutes(load, sampledShare) {
  if (!load || load.endpoints.some(({ routes }) => routes)) return new Map();
  const routes = load.endpoints.flatMap(({ name, calls: { cpuMs = null, ownMs = 0 } = {} }, at) => {
    const { requests, measured, around, nativeMs } = readLoad(at, load);
    if (!requests || !measured) return [];
    const ms = measured.value - nativeMs - (around?.value ?? 0); // work around requests is below no route
    const parts = [Math.max(0, ms * requests - ownMs - (cpuMs ?? 0)), cpuMs, ownMs];
    const sampled = /** @type {RouteParts} */ (parts.map(part => part && part * sampledShare));
    return [/** @type {const} */ ([name, sampled])];
  });
  return new Map(routes);
}

/**
 * A thread that waits for a core, or that py-spy saw just as it fell asleep, counts like one that runs: a view that
 * only sleeps has samples for several times the CPU time that it used. The total number of samples stays the same. A
 * thread that serves none of these routes (the exporter of a library, a server's acceptor) has the CPU time that the
 * scheduler counted for it, and all other samples get the rest. A driver that waits in C, for its server or for the GIL,
 * looks like one that runs: the samples of followed calls have the CPU time that was measured in these.
 * @param {import('../stacks/profile.d.ts').Profile} profile
 * @param {{kept: Int32Array, weight: Float64Array}} counted rows, and how many samples each counts for
 * @param {ReadonlyMap<string, RouteParts>} routesMs
 * @param {number | null} cpuMs of the workers in the windows
 * @param {ReadonlyMap<string, number>} [threadsMs] process and thread → CPU-ms there
 * @returns {{kept: Int32Array, weight: Float64Array}} whole samples, evenly; rows without any are dropped
 */
export function fitToRoutes(profile, { kept, weight }, routesMs, cpuMs, threadsMs = new Map()) {
  const { rows, nodes, frames, routes, processes, threads } = profile;
  const parts = routes.flatMap(name => routesMs.get(name) ?? Array(PARTS).fill(null));
  if (!cpuMs || parts.every(ms => ms === null)) return { kept, weight };
  const partAt = markBelow(nodes, node => frames[nodes.frame[node] ?? -1]?.isTimed);
  for (const [node, frame] of nodes.frame.entries())
    if (frames[frame]?.file === OWN_FILE) partAt[node] = 2;
  const routeOf = (/** @type {number} */ row) => (rows.route[row] ?? -1) * PARTS;
  const isMeasured = (/** @type {number} */ row) => parts[routeOf(row)] != null;
  const width = threads.length + 1;
  const slotOf = (/** @type {number} */ row) =>
    (rows.process[row] ?? 0) * width + (rows.thread[row] ?? -1) + 1;
  const serving = new Set(kept.filter(isMeasured).map(slotOf));
  /** @type {Map<number, number>} */
  const placeAt = new Map();
  const others = [...threadsMs.keys()];
  for (const slot of new Set(kept.map(slotOf)).difference(serving)) {
    const { pid } = processes[Math.floor(slot / width)] ?? {};
    const at = others.indexOf(`${pid} ${threads[(slot % width) - 1]?.id}`);
    if (at >= 0) placeAt.set(slot, parts.length + at);
  }
  const known = Float64Array.from([...parts.map(ms => ms ?? 0), ...threadsMs.values()]);
  const placeOf = (/** @type {number} */ row) => {
    if (!isMeasured(row)) return placeAt.get(slotOf(row)) ?? known.length;
    const part = routeOf(row) + (partAt[rows.node[row] ?? -1] ?? 0);
    return parts[part] === null ? routeOf(row) : part;
  };
  // The last entry is for all other rows.
  const sampled = new Float64Array(known.length + 1);
  for (const [index, row] of kept.entries()) addAt(sampled, placeOf(row), weight[index] ?? 0);
  const total = sum(sampled);
  // What no sample shows of a route is in its other samples.
  for (const [place, ms] of parts.entries())
    if (ms && !sampled[place]) addAt(known, place - (place % PARTS), ms);
  const seen = known.map((ms, place) => ((sampled[place] ?? 0) > 0 ? ms : 0));
  const spentMs = Math.max(cpuMs, sum(seen));
  const all = [...seen, spentMs - sum(seen)];
  const factors = all.map((ms, place) => (total * ms) / spentMs / (sampled[place] || 1));
  const rounders = factors.map(createRounder);
  const own = weight.map((count, index) => {
    const place = placeOf(kept[index] ?? 0);
    return rounders[place]?.(count * (factors[place] ?? 1)) ?? 0;
  });
  return { kept: keepWhere(kept, own), weight: keepWhere(own, own) };
}

/**
 * As `filter`, which would gather millions of numbers in a list first.
 * @template {Int32Array | Float64Array} T
 * @param {T} column @param {Float64Array} counts @returns {T} the entries whose count is not 0
 */
export function keepWhere(column, counts) {
  const kept = column.slice();
  let count = 0;
  for (let at = 0; at < column.length; at++) if (counts[at]) kept[count++] = column[at] ?? 0;
  return /** @type {T} */ (kept.subarray(0, count));
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
