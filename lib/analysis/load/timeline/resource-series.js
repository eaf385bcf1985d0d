/** CPU time and memory per window, from the records of `resources/processes.ndjson`. */
import { sum } from '../../../base/math/summary.js';
import { ofKind } from '../../../run/ndjson.js';
import { followProcesses, growthIn, valueAt } from '../../read/cpu.js';
import { findWindow, windowsOf } from '../../read/load/build-grid.js';
import { measureUtilization } from '../generator.js';

/** @import { TimeRange } from '../../../base/math/estimate.d.ts' */
/** @import { RecordOf } from '../../../run/facts/records.d.ts' */

/** @typedef {import('../../../run/facts/timeline.d.ts').Timeline} Timeline */
/** @typedef {import('../../read/cpu.js').Point} Point */

/**
 * CPU time and memory at the edges, interpolated linearly between samples (they are a second apart).
 * @param {RecordOf<'processes'>[]} records
 * @param {number[]} edgesMs
 * @returns {Timeline['workers']} in the order of pids; null where the process did not exist
 */
export function buildWorkerSeries(records, edgesMs) {
  /** @type {Timeline['workers']} */
  const workers = [];
  for (const { pid, cpu, rss } of listProcesses(records, 'worker')) {
    const cpuMs = differences(cpu, edgesMs);
    const rssBytes = overWindows(rss, edgesMs, ({ startMs, endMs }) =>
      Math.round(valueAt(rss, (startMs + endMs) / 2)),
    );
    const known = workers.find(worker => worker.pid === pid);
    if (!known) workers.push({ pid, cpuMs, rssBytes });
    else {
      // a reused pid
      known.cpuMs = known.cpuMs.map((own, window) => own ?? cpuMs[window] ?? null);
      known.rssBytes = known.rssBytes.map((own, window) => own ?? rssBytes[window] ?? null);
    }
  }
  return workers.sort((a, b) => a.pid - b.pid);
}

/** Cores that all processes used. @param {RecordOf<'processes'>[]} records @param {number[]} edgesMs @returns {(number | null)[]} */
export function buildCoresSeries(records, edgesMs) {
  const processes = listProcesses(records).map(({ cpu }) => differences(cpu, edgesMs));
  return windowsOf(edgesMs).map(({ startMs, endMs }, window) => {
    const known = processes.flatMap(cpuMs => cpuMs[window] ?? []);
    return known.length > 0 ? sum(known) / (endMs - startMs) : null;
  });
}

/**
 * @param {RecordOf<'processes'>[]} records @param {number[]} edgesMs
 * @returns {Timeline['hostCores']}
 */
export function buildHostSeries(records, edgesMs) {
  const hosts = ofKind(records, 'host').sort((a, b) => a.t - b.t);
  const cpus = hosts[0]?.cpus;
  if (!cpus) return null;
  const [busy = [], total = []] = /** @type {const} */ (['busyMs', 'totalMs']).map(key =>
    differences(
      hosts.map(host => ({ t: host.t, value: host[key] })),
      edgesMs,
    ),
  );
  return busy.map((ms, window) => {
    const all = total[window] ?? 0;
    return ms === null || all <= 0 ? null : (ms / all) * cpus;
  });
}

/** @param {RecordOf<'processes'>[]} records @param {string} [role] */
function listProcesses(records, role) {
  return followProcesses(records)
    .filter(process => role === undefined || process.role === role)
    .map(({ pid, series, points }) => ({
      pid,
      cpu: points,
      rss: series.flatMap(({ t, rssBytes }) => (rssBytes ? [{ t, value: rssBytes }] : [])),
    }));
}

/** Growth of a counter in each window. @param {Point[]} points @param {number[]} edgesMs */
const differences = (points, edgesMs) => overWindows(points, edgesMs, own => growthIn(points, own));

/** Null outside of the points. @param {Point[]} points @param {number[]} edgesMs @param {(window: TimeRange) => number} read */
function overWindows(points, edgesMs, read) {
  const last = points.at(-1)?.t ?? -Infinity;
  return windowsOf(edgesMs).map(window =>
    window.endMs <= (points[0]?.t ?? Infinity) || window.startMs >= last ? null : read(window),
  );
}

// How the load generator performed per window.

/**
 * @param {RecordOf<'metrics'>[]} metrics
 * @param {number[]} edgesMs
 * @returns {Timeline['generator']} null where unknown
 */
export function buildGeneratorSeries(metrics, edgesMs) {
  const records = ofKind(metrics, 'generator');
  if (records.length === 0) return null;
  const byWindow = Map.groupBy(records, ({ fromMs, lengthMs }) =>
    findWindow(edgesMs, fromMs + lengthMs / 2),
  );
  const utilization = windowsOf(edgesMs).map((_, at) => {
    const threads = Map.groupBy(byWindow.get(at) ?? [], ({ worker }) => worker);
    return threads.size > 0 ? Math.max(...threads.values().map(measureUtilization)) : null;
  });
  return { utilization };
}
