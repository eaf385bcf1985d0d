/** CPU, memory and threads of the target's components in a window. */

import { measureProcesses } from '../../analysis/read/cpu.js';
import { mean, sum } from '../../math/summary.js';
import { ofKind } from '../../run/ndjson.js';

/** @import { TimeRange } from '../../facts/estimate.d.ts' */
/** @import { RecordOf } from '../../facts/records.d.ts' */
/** @import { ComponentUse } from '../../facts/study-records.d.ts' */

/** @typedef {RecordOf<'processes', 'sample'>} Sample */

/** Roles of those who measure. */
const OURS = ['generator', 'py-spy', 'loadflame'];
/** Stands for the children that no sample shows: no process has it. */
const UNSEEN_PID = -1;

/**
 * @param {RecordOf<'processes'>[]} records
 * @param {TimeRange} window
 * @param {Record<string, number | null>} most cores that a component can use
 * @returns {ComponentUse[]} workers and master first, then the groups that were recorded, in their order;
 *   also those of which nothing was found
 */
export function measureComponents(records, window, most) {
  const samples = withUnseen(records);
  const ticks = findTicks(records, window);
  const lengthMs = window.endMs - window.startMs;
  const all = measureProcesses(samples, [window]);
  return listRoles(records).map(role => {
    const processes = all.filter(one => one.role === role);
    const seen = processes.filter(({ pid }) => pid !== UNSEEN_PID);
    const name = componentOf(role);
    const cpuMs = sum(processes.map(one => one.cpuMs));
    return {
      name,
      cores: cpuMs / lengthMs,
      busiestCores: Math.max(0, ...seen.map(one => one.cpuMs)) / lengthMs,
      mostCores: most[name] ?? null,
      ...measureTicks(
        samples.filter(sample => sample.role === role && sample.pid !== UNSEEN_PID),
        ticks,
      ),
    };
  });
}

/** @param {RecordOf<'processes'>[]} records */
function listRoles(records) {
  const roles = ofKind(records, 'sample').map(({ role }) => role);
  const seen = roles.filter(role => !OURS.includes(role));
  const ofGunicorn = ['worker', 'master'].filter(role => seen.includes(role));
  return [...new Set([...ofGunicorn, ...ofKind(records, 'group').map(({ name }) => name)])];
}

/** @param {string} role */
const componentOf = role => (role === 'worker' ? 'workers' : role);

/**
 * The samples, and what children used that came and went between two of them as one process more.
 * @param {RecordOf<'processes'>[]} records
 * @returns {Sample[]}
 */
function withUnseen(records) {
  return records.flatMap(record => {
    if (record.kind === 'sample') return [record];
    if (record.kind !== 'group') return [];
    const { t, name, unseenCpuMs } = record;
    const known = { pid: UNSEEN_PID, startTicks: 0, threads: 0, rssBytes: 0 };
    return [{ ...known, kind: 'sample', t, role: name, cpuMs: unseenCpuMs ?? 0 }];
  });
}

/** When samples were taken in the window; of a very short one the nearest. @param {RecordOf<'processes'>[]} records @param {TimeRange} window */
function findTicks(records, { startMs, endMs }) {
  const all = ofKind(records, 'host').map(({ t }) => t);
  const inside = all.filter(t => t >= startMs && t <= endMs);
  if (inside.length > 0) return inside;
  const middleMs = (startMs + endMs) / 2;
  return all.toSorted((a, b) => Math.abs(a - middleMs) - Math.abs(b - middleMs)).slice(0, 1);
}

/**
 * Means over the moments at which samples were taken.
 * @param {Sample[]} samples of one component @param {number[]} ticks
 * @returns {Pick<ComponentUse, 'processes' | 'rssBytes' | 'pssBytes' | 'threads'>}
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

/** It is read every few seconds: the last reading of each process, up to a moment. @param {Sample[]} samples @param {number} untilMs */
function readPss(samples, untilMs) {
  const known = samples.filter(({ t, pssBytes }) => t <= untilMs && typeof pssBytes === 'number');
  const last = new Map(known.map(own => [`${own.pid} ${own.startTicks}`, Number(own.pssBytes)]));
  return [...last.values()];
}
