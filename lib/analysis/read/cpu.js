/** CPU time of processes inside windows, from the records of `resources/processes.ndjson`. */
import { least, most, sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';

/** @import { TimeRange } from '../../base/math/estimate.d.ts' */
/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @typedef {{t: number, value: number}} Point */

/**
 * @typedef {object} ProcessUse
 * @property {number} pid
 * @property {string} role
 * @property {number} cpuMs inside the windows
 * @property {number | null} rssBytesMax
 * @property {number} livedMs how long it existed inside the windows
 */

/**
 * @param {RecordOf<'processes'>[]} records
 * @param {TimeRange[]} windows
 * @returns {ProcessUse[]} one entry per process; a reused pid is a new process
 */
export function measureProcesses(records, windows) {
  return followProcesses(records).map(({ pid, role, series, points, lived }) => {
    return {
      pid,
      role,
      cpuMs: sum(windows.map(window => growthIn(points, window))),
      rssBytesMax: most(series.map(({ rssBytes }) => rssBytes ?? 0)) || null,
      livedMs: overlapMs(lived, windows),
    };
  });
}

/** @param {TimeRange} a @param {TimeRange} b @returns {TimeRange | null} null without common time */
function overlapOf(a, b) {
  const [startMs, endMs] = [Math.max(a.startMs, b.startMs), Math.min(a.endMs, b.endMs)];
  return startMs < endMs ? { startMs, endMs } : null;
}

/** Time that a range and the windows share. @param {TimeRange} range @param {TimeRange[]} windows */
export function overlapMs(range, windows) {
  const inside = windows.flatMap(window => overlapOf(window, range) ?? []);
  return sum(inside.map(({ startMs, endMs }) => endMs - startMs));
}

/** @param {Point[]} points @param {TimeRange} range */
export const growthIn = (points, { startMs, endMs }) =>
  valueAt(points, endMs) - valueAt(points, startMs);

/** Stands for all children of a group that no sample shows: no process has this pid. */
export const UNSEEN_PID = -1;

/**
 * The samples, plus one more process per group with the CPU time of children that came and went between two samples.
 * @param {RecordOf<'processes'>[]} records
 * @returns {RecordOf<'processes', 'sample'>[]}
 */
export function withUnseen(records) {
  return records.flatMap(record => {
    if (record.kind === 'sample') return [record];
    if (record.kind !== 'group') return [];
    const { t, name, unseenCpuMs } = record;
    const known = { pid: UNSEEN_PID, startTicks: 0, threads: 0, rssBytes: 0 };
    return [{ ...known, kind: 'sample', t, role: name, cpuMs: unseenCpuMs ?? 0 }];
  });
}

/**
 * CPU time of a process between two moments, counted only inside the windows.
 * @param {RecordOf<'processes'>[]} records
 * @param {TimeRange[]} windows
 * @returns {(pid: number, startMs: number, endMs: number) => number | null} null for an unknown process
 */
export function createCpuReader(records, windows) {
  const known = Map.groupBy(followProcesses(records), ({ pid }) => pid);
  return (pid, startMs, endMs) => {
    const processes = known.get(pid);
    if (!processes) return null;
    const inside = windows.flatMap(window => overlapOf(window, { startMs, endMs }) ?? []);
    return sum(inside.flatMap(range => processes.map(({ points }) => growthIn(points, range))));
  };
}

/**
 * @param {RecordOf<'processes'>[]} records
 * @returns {{pid: number, role: string, series: RecordOf<'processes', 'sample'>[], points: Point[],
 *   lived: TimeRange}[]} per process: its samples and its CPU time, oldest first, and the time that they cover,
 *   without end on a side where the process existed before or after the recording
 */
export function followProcesses(records) {
  const samples = ofKind(records, 'sample');
  const recordingStartMs = least(samples.map(({ t }) => t));
  const recordingEndMs = most(samples.map(({ t }) => t));
  const keyOf = (/** @type {RecordOf<'processes', 'sample'>} */ { pid, startTicks, role }) =>
    pid === UNSEEN_PID ? role : `${pid} ${startTicks}`;
  return [...Map.groupBy(samples, keyOf).values()].map(series => {
    series.sort((a, b) => a.t - b.t);
    const [first] = /** @type {[RecordOf<'processes', 'sample'>]} */ (series);
    const { pid, role } = first;
    // CPU time counts from the start of the process. If that was during the recording, the process
    // used everything that its first sample shows.
    const bornInside = first.t > recordingStartMs + BIRTH_SLACK_MS;
    const points = series.map(({ t, cpuMs }) => ({ t, value: cpuMs }));
    if (bornInside) points.unshift({ t: first.t - 1, value: 0 });
    const lastMs = series.at(-1)?.t ?? first.t;
    const lived = {
      startMs: bornInside ? first.t - UNSEEN_MS : -Infinity,
      endMs: lastMs < recordingEndMs - BIRTH_SLACK_MS ? lastMs : Infinity,
    };
    return { pid, role, series, points, lived };
  });
}

/** Samples of the same moment are written some milliseconds apart. */
const BIRTH_SLACK_MS = 500;
/** Samples are a second apart, so a process lived half a second before its first one, on average. */
const UNSEEN_MS = 500;

/**
 * The value at a moment, interpolated linearly between samples (they are a second apart).
 * @param {Point[]} points oldest first; 0 without any
 * @param {number} moment epoch ms
 */
export function valueAt(points, moment) {
  let after = 0;
  for (let end = points.length; after < end; ) {
    const middle = (after + end) >> 1;
    if ((points[middle]?.t ?? 0) >= moment) end = middle;
    else after = middle + 1;
  }
  const next = points[after];
  const previous = points[after - 1];
  if (!next) return previous?.value ?? 0;
  if (!previous) return next.value;
  const part = (moment - previous.t) / (next.t - previous.t);
  return previous.value + part * (next.value - previous.value);
}

/**
 * How busy the whole machine was.
 * @param {RecordOf<'processes'>[]} records
 * @param {TimeRange[]} windows
 * @returns {{busyCores: number, cpus: number, stealCores: number | null, crowdedShare: number | null} | null}
 *   `stealCores`: busy cores that other guests of the hypervisor used; `crowdedShare`: share of the time in which
 *   a process waited for a CPU. Null where not counted
 */
export function measureHost(records, windows) {
  const hosts = ofKind(records, 'host');
  const [busyMs = 0, totalMs = 0, lengthMs = 0, stealMs = 0, pressureMs = 0] = measureGrowth(
    hosts,
    windows,
    ['busyMs', 'totalMs', 't', 'stealMs', 'pressureMs'],
  );
  const cpus = hosts[0]?.cpus;
  if (!cpus || totalMs <= 0) return null;
  return {
    busyCores: (busyMs / totalMs) * cpus,
    cpus,
    stealCores: Number.isFinite(stealMs) ? (stealMs / totalMs) * cpus : null,
    crowdedShare: Number.isFinite(pressureMs) ? Math.min(1, pressureMs / lengthMs) : null,
  };
}

/**
 * Growth of counters inside the windows, read up to a second outside of them.
 * @template {string} Key
 * @param {readonly ({t: number} & {[Own in Key]?: number})[]} records of one subject, oldest first
 * @param {TimeRange[]} windows
 * @param {readonly Key[]} keys
 * @returns {number[]} in the order of `keys`; NaN where a record lacks one
 */
export function measureGrowth(records, windows, keys) {
  const ends = windows.flatMap(({ startMs, endMs }) => {
    const inside = records.filter(({ t }) => t >= startMs - 1000 && t <= endMs + 1000);
    const [first, last] = [inside[0], inside.at(-1)];
    return first && last ? [{ first, last }] : [];
  });
  return keys.map(key =>
    sum(ends.map(({ first, last }) => Number(last[key]) - Number(first[key]))),
  );
}
