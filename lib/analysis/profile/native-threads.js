/**
 * Threads that run no Python: OpenBLAS, OpenMP, Rust, those of argon2 that end with a hash. No stack shows their CPU
 * time, but the scheduler counts it, and the process's clock keeps that of ended threads. It joins the profile as
 * samples of its own, so that it is not taken for the rest of the Python code.
 */

import { addTo, entryOf } from '../../base/files/maps.js';
import { widenToRuns } from '../../base/math/intervals.js';
import { estimateNonNegative } from '../../base/math/least-squares.js';
import { sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { identifyFrame, isCompanion } from '../hotpath/identify-frame.js';
import { followProcesses, growthIn } from '../read/cpu.js';
import { windowsOf } from '../read/load/build-grid.js';
import { isSegmentInside } from '../stacks/merge-profiles.js';
import { append, appendRows, sumPairs } from '../stacks/node-table.js';
import { MOST_TID } from '../stacks/outliving-threads.js';
import { readLoad } from './fit-to-routes.js';
import { followThreads } from './threads.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { CostLoad } from '../load/load-rates.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { Estimate, TimeRange } from '../../base/math/estimate.d.ts' */

export const NATIVE_FILE = '<native threads>';
/** A thread that runs Python and had CPU time for this many samples would appear in one. */
const LEAST_EXPECTED = 20;
/** Between the first and the last reading of a thread; one that lives less may have run mostly between readings. */
const LASTING_MS = 2000;
/** Share of a process's CPU time. In 130 recorded processes without such threads, at most 2.3 % was in no thread. */
const LEAST_ENDED = 0.05;

/** Requests that take longer, on average, use CPU in other windows than that in which they began, which is a second. */
const LONGEST_MS = 300;

/** Time needed before the load to measure their use without requests. */
const LEAST_IDLE_MS = 500;

/** @typedef {(range: TimeRange) => number} Reader */

/**
 * @typedef {object} NativeThreads
 * @property {number} pid
 * @property {Reader} cpuMsOf CPU time of its native threads
 * @property {Reader} lastingOf of it, of threads that did not end
 * @property {number} sinceMs when its threads were first read
 * @property {string[]} libraries known to start threads
 */

/**
 * @param {Profile} profile
 * @param {RecordOf<'processes'>[]} records of `resources/processes.ndjson`
 * @param {TimeRange[]} windows
 * @returns {NativeThreads[]} processes that have such threads
 */
export function findNativeThreads({ rows, processes, threads, rateHz, ...tree }, records, windows) {
  // Threads of the companion sleep, and may look as if they ran.
  const areOurs = tree.frames.map(({ file }) => isCompanion({ path: file }));
  const frameOf = (/** @type {number} */ row) => tree.nodes.frame[rows.node[row] ?? -1] ?? -1;
  const weights = rows.weight.map((own, row) => (areOurs[frameOf(row)] ? 0 : own));
  /** Samples of the windows' threads. @type {Map<number | undefined, Map<number, number>>} */
  const seen = new Map();
  const { first, second, sums } = sumPairs(rows.process, rows.thread, weights);
  for (const [pair, weight] of sums.entries()) {
    const own = entryOf(seen, processes[first[pair] ?? -1]?.pid, () => new Map());
    addTo(own, Number(threads[second[pair] ?? -1]?.id), weight);
  }
  const sampleMs = 1000 / (rateHz ?? 0);
  const leastMs = LEAST_EXPECTED * sampleMs;
  const all = Map.groupBy(followThreads(records), ({ pid }) => pid);
  return followProcesses(records).flatMap(({ pid, points }) => {
    const python = seen.get(pid) ?? new Map();
    const read = all.get(pid) ?? [];
    // py-spy may identify all or some threads by addresses only.
    const hasAddresses = python.keys().some(id => id > MOST_TID);
    if (hasAddresses || !read.some(({ tid }) => python.has(tid))) return [];
    const used = (/** @type {Reader} */ cpuMsOf) => sum(windows.map(cpuMsOf));
    const lasting = read.filter(({ series: [points = []] }) => {
      return (points.at(-1)?.t ?? 0) - (points[0]?.t ?? 0) >= LASTING_MS;
    });
    const native = lasting.filter(one => !python.has(one.tid) && used(growthOf([one])) >= leastMs);
    const ofProcess = (/** @type {TimeRange} */ range) => growthIn(points, range);
    const [ofLasting, lastingOf] = [growthOf(lasting), growthOf(native)];
    const unreadOf = (/** @type {TimeRange} */ range) => ofProcess(range) - ofLasting(range);
    // Python threads that ended have samples.
    for (const { tid } of lasting) python.delete(tid);
    const endedMs = used(unreadOf) - sum([...python.values()]) * sampleMs;
    const isMuch = endedMs >= Math.max(leastMs, LEAST_ENDED * used(ofProcess));
    const part = isMuch ? endedMs / used(unreadOf) : 0;
    if (native.length === 0 && !isMuch) return [];
    const lines = ofKind(records, 'threads').filter(record => record.pid === pid);
    const libraries = lines.flatMap(({ libraries: names = [] }) => names);
    return {
      pid,
      sinceMs: lines[0]?.t ?? Infinity,
      lastingOf,
      cpuMsOf: range => lastingOf(range) + unreadOf(range) * part,
      // Threads that ended may be those of any other one.
      libraries: isMuch ? [] : [...new Set(libraries)].sort(),
    };
  });
}

/** @param {ReturnType<typeof followThreads>} threads @returns {Reader} */
const growthOf = threads => range =>
  sum(threads.map(({ series: [points = []] }) => growthIn(points, range)));

/**
 * Native CPU time follows the requests of the endpoints that use it. Endpoints whose rates move together, or
 * do not move, cannot be distinguished: the time then belongs to none.
 *
 * Threads of OpenBLAS spin for a while after a call, also into the next window, and spin once for calls that come close
 * together, so a window with twice the requests has less than twice the time. A line through such windows is too
 * flat, and endpoints that use nothing take the rest. The endpoints that explain it therefore share all of it.
 *
 * CPU of threads that ended is of no endpoint beside others, unless the workers measured it or one route alone stands in
 * such a call: threads that end are for long calls, whose requests began in an earlier window.
 * @param {NativeThreads[]} native
 * @param {import('../read/load/build-grid.js').Grid | null} grid
 * @param {CostLoad | null} rates where the workers measured what ended threads used, that is left out
 * @param {readonly string[]} routes on the stacks
 * @param {number} [loadMs] when the load began: native CPU time before that belongs to no request
 * @param {string | null} [caller] the route of `findCaller`
 * @returns {(Estimate | null)[]} per endpoint: CPU-ms per request
 */
export function tieNative(native, grid, rates, routes, loadMs = 0, caller = null) {
  const all = rates?.endpoints ?? [];
  const isKnown = caller !== null && native.some(({ libraries }) => libraries.length === 0);
  const endpoints = isKnown ? all.filter(({ name }) => name === caller) : all;
  const areMany = endpoints.filter(({ requests }) => requests > 0).length > 1;
  const areLong = areMany && endpoints.some(({ serverMs }) => (serverMs ?? 0) > LONGEST_MS);
  if (native.length === 0 || !grid || grid.basis !== 'seconds' || areLong)
    return all.map(() => null);
  const windows = windowsOf(grid.edgesMs);
  const isEndedKnown = endpoints.some(({ measured }) => measured?.endedMs);
  const readerOf = areMany || isEndedKnown ? 'lastingOf' : 'cpuMsOf';
  const lengths = windows.map(({ startMs, endMs }) => endMs - startMs);
  const idle = native.map(one => {
    return one[readerOf]({ startMs: one.sinceMs, endMs: loadMs }) / (loadMs - one.sinceMs);
  });
  const isIdleKnown = native.every(({ sinceMs }) => loadMs - sinceMs >= LEAST_IDLE_MS);
  const y = windows.map((window, at) => {
    const cpuMs = sum(native.map(one => one[readerOf](window)));
    return Math.max(0, cpuMs - (isIdleKnown ? sum(idle) * (lengths[at] ?? 0) : 0));
  });
  const columns = endpoints.map(({ perWindow }) => Array.from(perWindow));
  columns.push(isIdleKnown ? lengths.map(() => 0) : lengths);
  const explained = estimateNonNegative(y, columns);
  const isTied = endpoints.map(
    ({ name }, index) => explained[index]?.isNeeded === true && routes.includes(name),
  );
  const own = columns.filter((_, index) => isTied[index] ?? true);
  // Variance in proportion to the requests, so that the sum over the windows is kept.
  const requests = lengths.map((_, at) => sum(own.slice(0, -1).map(one => one[at] ?? 0)));
  const weigh = (/** @type {number[]} */ column) =>
    column.map((value, at) => value / Math.sqrt(Math.max(1, requests[at] ?? 0)));
  const perRequest = estimateNonNegative(weigh(y), own.map(weigh)).map(widenToRuns);
  return all.map(one => (isTied[endpoints.indexOf(one)] && perRequest.shift()) || null);
}

/**
 * @param {Profile} profile
 * @param {NativeThreads[]} native
 * @param {CostLoad | null} rates with the CPU time that follows their requests
 * @param {TimeRange[]} windows
 * @param {(route: string) => {name: string} | null} callOf where its requests stand most of the time, if they wait in C code
 * @returns {Profile} with their samples; those that follow an endpoint have its route
 */
export function addNativeThreads(profile, native, rates, windows, callOf) {
  const { rateHz, rows, nodes } = profile;
  if (native.length === 0 || !rateHz) return profile;
  const nativeMs = sum(native.flatMap(one => windows.map(one.cpuMsOf)));
  const tied = (rates?.endpoints ?? []).flatMap(({ name, requests }, index) => {
    const route = profile.routes.indexOf(name);
    const ms = readLoad(index, rates).nativeMs * requests;
    return route >= 0 && ms > 0 ? { route, ms, call: callOf(name)?.name ?? null } : [];
  });
  const tiedMs = sum(tied.map(({ ms }) => ms));
  const parts = [...tied, { route: -1, ms: Math.max(0, nativeMs - tiedMs), call: null }];
  const names = [...new Set(native.flatMap(({ libraries }) => libraries))].join(', ');
  const ofParts = parts.map(({ call }) =>
    Object.freeze({ name: call ?? (names || 'unknown library'), file: NATIVE_FILE, line: null }),
  );
  const added = native.flatMap(({ pid, cpuMsOf }) => {
    const process = profile.processes.findIndex(one => one.pid === pid);
    // Segments of a recorder that is late overlap, others leave gaps.
    const ofSegments = profile.segments.map(segment => {
      const { startMs, endMs } = segment;
      const isInside = windows.some(window => isSegmentInside(segment, window));
      const isKnown = isInside && startMs !== null && endMs !== null;
      return isKnown ? Math.max(0, cpuMsOf({ startMs, endMs })) : 0;
    });
    const perMs = (sum(windows.map(cpuMsOf)) / (sum(ofSegments) || Infinity)) * (rateHz / 1000);
    const scale = perMs / Math.max(nativeMs, tiedMs);
    return ofSegments.flatMap((own, segment) =>
      parts.map(({ route, ms }, part) => {
        const node = nodes.frame.length + part;
        return { node, segment, thread: -1, route, process, weight: Math.round(own * ms * scale) };
      }),
    );
  });
  const parents = parts.map(() => -1);
  const ownFrames = parts.map((_, part) => profile.frames.length + part);
  return Object.freeze({
    ...profile,
    frames: Object.freeze([...profile.frames, ...ofParts]),
    nodes: { parent: append(nodes.parent, parents), frame: append(nodes.frame, ownFrames) },
    rows: appendRows(rows, added),
    totalWeight: profile.totalWeight + sum(added.map(({ weight }) => weight)),
  });
}

/** Of the time of requests, which may also wait for something else; and of the samples of all routes in such calls. */
const [LEAST_IN_CALL, NEARLY_ALL] = [0.2, 0.9];

/**
 * @param {Profile} looks samples of all threads
 * @param {import('../../run/facts/rules.d.ts').Rules} rules
 * @returns {(route: string) => {name: string, looks: number, origin?: string} | null} the function in which its requests spend over half of
 *   the time that they wait for nothing that a rule knows; `origin`: whose it is
 */
export function createCallReader({ rows, nodes, frames, routes }, rules) {
  const identities = frames.map(frame => identifyFrame(frame, rules));
  const isWait = identities.map(own => rules.waits.some(({ matches }) => matches(own)));
  const frameAt = (/** @type {number} */ node) => nodes.frame[node] ?? -1;
  return name => {
    const route = routes.indexOf(name);
    let all = 0;
    /** @type {Map<number, number>} */
    const counts = new Map();
    rows.node.forEach((leaf, row) => {
      if (rows.route[row] !== route) return;
      let node = leaf;
      while (isCompanion(identities[frameAt(node)])) node = nodes.parent[node] ?? -1;
      all += rows.weight[row] ?? 0;
      if (!isWait[frameAt(node)]) addTo(counts, frameAt(node), rows.weight[row] ?? 0);
    });
    const [at = -1, most = 0] = [...counts].sort(([, x], [, y]) => y - x)[0] ?? [];
    const call = frames[at];
    if (!call || most <= sum([...counts.values()]) / 2 || most < all * LEAST_IN_CALL) return null;
    return { name: `${call.name} (${call.file})`, looks: most, origin: identities[at]?.origin };
  };
}

/**
 * @param {readonly string[]} routes
 * @param {ReturnType<typeof createCallReader>} callOf
 * @returns {string | null} the route whose requests stand in such a call as good as alone
 */
export function findCaller(routes, callOf) {
  // A function of the application may compute in Python, too.
  const calls = routes.map(route => ({ route, looks: 0, ...callOf(route) }));
  const leastLooks = sum(calls.map(({ looks }) => looks)) * NEARLY_ALL;
  const found = calls.find(({ looks, origin }) => looks > leastLooks && origin !== 'user');
  return found?.route ?? null;
}

/** @param {Profile} profile @returns {(row: number) => boolean} */
export function createNativeTest({ rows, nodes, frames }) {
  return row => frames[nodes.frame[rows.node[row] ?? -1] ?? -1]?.file === NATIVE_FILE;
}
