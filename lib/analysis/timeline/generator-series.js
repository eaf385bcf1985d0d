/** How the load generator did per window. */
import { findWindow } from './build-grid.js';
import { buildCoresSeries, lengthsOf } from './resource-series.js';

/** @typedef {import('../timeline.d.ts').Timeline} Timeline */

/**
 * @param {Record<string, any>[]} metrics records of `load/metrics.ndjson`
 * @param {Record<string, any>[]} processes records of `resources/processes.ndjson`
 * @param {number[]} edgesMs
 * @returns {Timeline['generator']} null where nothing is known
 */
export function buildGeneratorSeries(metrics, processes, edgesMs) {
  const records = metrics.filter(({ kind }) => kind === 'generator');
  const lengths = lengthsOf(edgesMs);
  /** @type {Record<string, any>[][]} */
  const byWindow = lengths.map(() => []);
  for (const record of records)
    byWindow[findWindow(edgesMs, record.fromMs + record.lengthMs / 2)]?.push(record);
  const ofProcesses = buildCoresSeries(processes, edgesMs, 'generator');
  const cores = ofProcesses.some(own => own !== null) ? ofProcesses : byWindow.map(coresOf);
  if (records.length === 0 && cores.every(own => own === null)) return null;
  return {
    cores,
    utilization: byWindow.map(busiestOf),
    delayP99Ms: byWindow.map(own =>
      own.length > 0
        ? own.reduce((most, { delayMs }) => Math.max(most, delayMs?.p99 ?? 0), 0)
        : null,
    ),
  };
}

/** @param {Record<string, any>[]} records of one window */
function coresOf(records) {
  const known = records.filter(({ cpuMs }) => typeof cpuMs === 'number');
  if (known.length === 0) return null;
  const threads = [...Map.groupBy(known, ({ worker }) => worker).values()];
  return threads.reduce((sum, own) => sum + total(own, 'cpuMs') / total(own, 'lengthMs'), 0);
}

/** Event-loop utilisation of the busiest thread. @param {Record<string, any>[]} records of one window */
function busiestOf(records) {
  const threads = [...Map.groupBy(records, ({ worker }) => worker).values()];
  if (threads.length === 0) return null;
  return Math.max(
    ...threads.map(own => {
      const busyMs = own.reduce(
        (sum, { utilization, lengthMs }) => sum + utilization * lengthMs,
        0,
      );
      return busyMs / total(own, 'lengthMs');
    }),
  );
}

/** @param {Record<string, any>[]} records @param {string} key */
const total = (records, key) => records.reduce((sum, record) => sum + record[key], 0) || 1;
