/** CPU, memory and threads of the target's parts, and of the machine. */
import { mean, sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { measureHost, measureProcesses, UNSEEN_PID, withUnseen } from '../read/cpu.js';
import { totalLengthMs } from '../read/load/load-totals.js';
import { sumCpu } from './cpu-use.js';
import { listThrottled } from './throttling.js';

/** @import { TimeRange } from '../../base/math/estimate.d.ts' */
/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { Component, ResourceUse } from '../../run/facts/resource-use.d.ts' */

/** @typedef {RecordOf<'processes', 'sample'>} Sample */

/** Roles that measure. */
const OURS = ['generator', 'py-spy', 'loadflame'];

/**
 * @param {RecordOf<'processes'>[]} records
 * @param {TimeRange[]} windows
 * @returns {ResourceUse | null} null where nothing was recorded
 */
export function measureResources(records, windows) {
  if (records.length === 0 || windows.length === 0) return null;
  const samples = withUnseen(records);
  const ticks = findTicks(records, windows);
  const lengthMs = totalLengthMs(windows);
  const all = measureProcesses(samples, windows);
  const host = measureHost(records, windows);
  const generatorMs = sumCpu(all, 'generator');
  const components = listRoles(records).map(role => {
    const seen = all.filter(one => one.role === role && one.pid !== UNSEEN_PID);
    return {
      name: role === 'worker' ? 'workers' : role,
      cores: (sumCpu(all, role) ?? 0) / lengthMs,
      busiestCores: Math.max(0, ...seen.map(one => one.cpuMs)) / lengthMs,
      ...measureTicks(
        samples.filter(sample => sample.role === role && sample.pid !== UNSEEN_PID),
        ticks,
      ),
    };
  });
  return {
    components,
    host: host && { cores: host.busyCores, cpus: host.cpus },
    generatorCores: generatorMs === null ? null : generatorMs / lengthMs,
    throttled: listThrottled(records, windows),
  };
}

/** @param {RecordOf<'processes'>[]} records */
function listRoles(records) {
  const roles = ofKind(records, 'sample').map(({ role }) => role);
  const seen = roles.filter(role => !OURS.includes(role));
  const ofGunicorn = ['worker', 'master'].filter(role => seen.includes(role));
  return [...new Set([...ofGunicorn, ...ofKind(records, 'group').map(({ name }) => name)])];
}

/** Times of the samples in the windows; for very short windows the nearest one. @param {RecordOf<'processes'>[]} records @param {TimeRange[]} windows */
function findTicks(records, windows) {
  const all = ofKind(records, 'host').map(({ t }) => t);
  const inside = all.filter(t => windows.some(({ startMs, endMs }) => t >= startMs && t <= endMs));
  const [window] = windows;
  if (inside.length > 0 || !window) return inside;
  const middleMs = (window.startMs + window.endMs) / 2;
  return all.toSorted((a, b) => Math.abs(a - middleMs) - Math.abs(b - middleMs)).slice(0, 1);
}

/**
 * Means over the times at which samples were taken.
 * @param {Sample[]} samples of one component @param {number[]} ticks
 * @returns {Pick<Component, 'processes' | 'rssBytes' | 'pssBytes' | 'threads'>}
 */
function measureTicks(samples, ticks) {
  const byTick = Map.groupBy(samples, ({ t }) => Number(t));
  const living = ticks.map(t => byTick.get(t) ?? []);
  const meanOf = (/** @type {(own: Sample[]) => number} */ of) =>
    living.length > 0 ? mean(living.map(of)) : 0;
  const sumOf = (/** @type {'rssBytes' | 'threads'} */ field) =>
    meanOf(own => sum(own.map(sample => Number(sample[field]))));
  const processes = meanOf(({ length }) => length);
  const pssBytes = readPss(samples, ticks.at(-1) ?? 0);
  return {
    processes: { mean: processes, max: Math.max(0, ...living.map(({ length }) => length)) },
    rssBytes: Math.round(sumOf('rssBytes')),
    pssBytes: pssBytes.length > 0 ? Math.round(mean(pssBytes) * processes) : null,
    threads: sumOf('threads'),
  };
}

/** PSS is read every few seconds: the last reading of each process up to a moment. @param {Sample[]} samples @param {number} untilMs */
function readPss(samples, untilMs) {
  const known = samples.filter(({ t, pssBytes }) => t <= untilMs && typeof pssBytes === 'number');
  const last = new Map(known.map(own => [`${own.pid} ${own.startTicks}`, Number(own.pssBytes)]));
  return [...last.values()];
}
