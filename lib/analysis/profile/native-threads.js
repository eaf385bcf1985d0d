/**
 * Threads that run no Python: OpenBLAS, OpenMP, Rust. No stack shows their CPU time, but the scheduler counts it.
 * It joins the profile as samples of its own, so that it is not taken for the rest of the Python code.
 */

import { entryOf } from '../../files/maps.js';
import { widenToRuns } from '../../math/intervals.js';
import { estimateNonNegative } from '../../math/least-squares.js';
import { sum } from '../../math/summary.js';
import { append } from '../../profile/node-table.js';
import { ofKind } from '../../run/ndjson.js';
import { windowsOf } from '../load/timeline/build-grid.js';
import { growthIn } from '../read/cpu.js';
import { followThreads } from './threads.js';

/** @import { RecordOf } from '../../facts/records.d.ts' */
/** @import { Profile } from '../../profile/profile.d.ts' */
/** @import { Estimate, TimeRange } from '../../facts/estimate.d.ts' */

const NATIVE_FILE = '<native threads>';
/** A thread that runs Python and had CPU time for this many samples would appear in one. */
const LEAST_EXPECTED = 20;
/** Linux numbers threads up to this (PID_MAX_LIMIT). */
const MOST_TID = 2 ** 22;

/** Time needed before the load to measure their use without requests. */
const LEAST_IDLE_MS = 500;

/**
 * @typedef {object} NativeThreads
 * @property {number} pid
 * @property {(range: TimeRange) => number} cpuMsOf CPU time of its native threads
 * @property {number} sinceMs when its threads were first read
 * @property {string[]} libraries known to start threads
 */

/**
 * @param {Profile} profile
 * @param {RecordOf<'processes'>[]} records of `resources/processes.ndjson`
 * @param {TimeRange[]} windows
 * @returns {NativeThreads[]} processes that have such threads
 */
export function findNativeThreads({ rows, processes, threads, rateHz }, records, windows) {
  /** @type {Map<number | undefined, Set<number>>} */
  const seen = new Map();
  rows.process.forEach((process, row) => {
    const pid = processes[process]?.pid;
    const own = entryOf(seen, pid, () => new Set());
    own.add(Number(threads[rows.thread[row] ?? -1]?.id));
  });
  const leastMs = (LEAST_EXPECTED / (rateHz ?? 0)) * 1000;
  const all = Map.groupBy(followThreads(records), ({ pid }) => pid);
  return [...all].flatMap(([pid, own]) => {
    const python = seen.get(pid) ?? new Set();
    // py-spy may identify all or some threads by addresses only.
    const hasAddresses = python.values().some(id => id > MOST_TID);
    if (hasAddresses || !own.some(({ tid }) => python.has(tid))) return [];
    const native = own.flatMap(({ tid, series: [points = []] }) => {
      const cpuMsOf = (/** @type {TimeRange} */ range) => growthIn(points, range);
      const usedMs = sum(windows.map(cpuMsOf));
      return python.has(tid) || usedMs < leastMs ? [] : [cpuMsOf];
    });
    if (native.length === 0) return [];
    const lines = ofKind(records, 'threads').filter(record => record.pid === pid);
    const libraries = lines.flatMap(({ libraries: names = [] }) => names);
    return {
      pid,
      sinceMs: lines[0]?.t ?? Infinity,
      cpuMsOf: range => sum(native.map(cpuMsOf => cpuMsOf(range))),
      libraries: [...new Set(libraries)].sort(),
    };
  });
}

/**
 * Native CPU time follows the requests of the endpoints that use it. Endpoints whose rates move together, or
 * do not move, cannot be distinguished: the time then belongs to none.
 *
 * Threads of OpenBLAS spin for a while after a call, also into the next window, and spin once for calls that come close
 * together, so a window with twice the requests has less than twice the time. A line through such windows is too
 * flat, and endpoints that use nothing take the rest. The endpoints that explain it therefore share all of it.
 * @param {NativeThreads[]} native
 * @param {import('../load/timeline/build-grid.js').Grid | null} grid
 * @param {import('../load/load-rates.d.ts').LoadRates | null} rates
 * @param {readonly string[]} routes on the stacks
 * @param {number} loadMs when the load began: native CPU time before that belongs to no request
 * @returns {(Estimate | null)[]} per endpoint: CPU-ms per request
 */
export function tieNative(native, grid, rates, routes, loadMs) {
  const endpoints = rates?.endpoints ?? [];
  if (native.length === 0 || !grid || grid.basis !== 'seconds') return endpoints.map(() => null);
  const windows = windowsOf(grid.edgesMs);
  const lengths = windows.map(({ startMs, endMs }) => endMs - startMs);
  const idle = native.map(({ sinceMs, cpuMsOf }) => {
    return cpuMsOf({ startMs: sinceMs, endMs: loadMs }) / (loadMs - sinceMs);
  });
  const isIdleKnown = native.every(({ sinceMs }) => loadMs - sinceMs >= LEAST_IDLE_MS);
  const y = windows.map((window, at) => {
    const cpuMs = sum(native.map(({ cpuMsOf }) => cpuMsOf(window)));
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
  return isTied.map(tied => (tied && perRequest.shift()) || null);
}

/**
 * @param {Profile} profile
 * @param {NativeThreads[]} native
 * @param {import('../load/load-rates.d.ts').LoadRates | null} rates
 * @param {(Estimate | null)[]} perRequest of each endpoint
 * @param {TimeRange[]} windows
 * @returns {Profile} with their samples; those that follow an endpoint have its route
 */
export function addNativeThreads(profile, native, rates, perRequest, windows) {
  const { rateHz, rows, nodes } = profile;
  if (native.length === 0 || !rateHz) return profile;
  const nativeMs = sum(native.flatMap(one => windows.map(one.cpuMsOf)));
  const tied = (rates?.endpoints ?? []).flatMap(({ name, requests }, index) => {
    const route = profile.routes.indexOf(name);
    const ms = (perRequest[index]?.value ?? 0) * requests;
    return route >= 0 && ms > 0 ? { route, ms } : [];
  });
  const tiedMs = sum(tied.map(({ ms }) => ms));
  const parts = [...tied, { route: -1, ms: Math.max(0, nativeMs - tiedMs) }].map(
    ({ route, ms }) => ({ route, part: ms / Math.max(nativeMs, tiedMs) }),
  );
  const names = [...new Set(native.flatMap(({ libraries }) => libraries))].join(', ');
  const frame = Object.freeze({ name: names || 'unknown library', file: NATIVE_FILE, line: null });
  const added = native.flatMap(({ pid, cpuMsOf }) =>
    profile.segments.flatMap(({ startMs, endMs }, segment) =>
      startMs === null || endMs === null
        ? []
        : parts.map(({ route, part }) => ({
            ...{ segment, route, process: profile.processes.findIndex(one => one.pid === pid) },
            weight: Math.round((cpuMsOf({ startMs, endMs }) * part * rateHz) / 1000),
          })),
    ),
  );
  const node = nodes.frame.length;
  /** @template {Int32Array | Float64Array} Column @param {Column} column @param {(one: (typeof added)[number]) => number} of */
  const extend = (column, of) => append(column, added.map(of));
  return Object.freeze({
    ...profile,
    frames: Object.freeze([...profile.frames, frame]),
    nodes: {
      parent: append(nodes.parent, [-1]),
      frame: append(nodes.frame, [profile.frames.length]),
    },
    rows: Object.freeze({
      ...rows,
      node: extend(rows.node, () => node),
      process: extend(rows.process, one => one.process),
      thread: extend(rows.thread, () => -1),
      segment: extend(rows.segment, one => one.segment),
      weight: extend(rows.weight, one => one.weight),
      // Both are empty where the companion wrote none.
      route: rows.route.length > 0 ? extend(rows.route, one => one.route) : rows.route,
      halfSecond: rows.halfSecond.length > 0 ? extend(rows.halfSecond, () => -1) : rows.halfSecond,
    }),
    totalWeight: profile.totalWeight + sum(added.map(({ weight }) => weight)),
  });
}

/** @param {Profile} profile @returns {(row: number) => boolean} */
export function createNativeTest({ rows, nodes, frames }) {
  const native = frames.findLastIndex(({ file }) => file === NATIVE_FILE);
  return row => native >= 0 && nodes.frame[rows.node[row] ?? -1] === native;
}
