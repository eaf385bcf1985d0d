/** The scheduler's figures for the threads of the workers, from the `threads` records of a run. */
import { addTo } from '../../base/files/maps.js';
import { sum } from '../../base/math/summary.js';
import { growthIn } from '../read/cpu.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { Classification } from '../../run/facts/rules.d.ts' */

/**
 * @typedef {object} ThreadUse inside the windows
 * @property {number} pid
 * @property {number} tid
 * @property {number} runMs CPU time
 * @property {number} queuedMs runnable, but waiting for a core
 * @property {number} slices how often it got a core
 */

/**
 * @param {RecordOf<'processes'>[]} records of `resources/processes.ndjson`
 * @param {import('../../base/math/estimate.d.ts').TimeRange[]} windows
 * @returns {ThreadUse[]} one entry per thread; empty where the kernel keeps no such figures
 */
export function measureThreads(records, windows) {
  return followThreads(records).map(({ pid, tid, series }) => {
    const [runMs = 0, queuedMs = 0, slices = 0] = series.map(points =>
      sum(windows.map(window => growthIn(points, window))),
    );
    return { pid, tid, runMs, queuedMs, slices };
  });
}

/**
 * @param {RecordOf<'processes'>[]} records
 * @returns {{pid: number, tid: number, series: import('../read/cpu.js').Point[][]}[]} CPU time, time in the queue
 *   and slices of each thread, oldest first. An idle thread has no records meanwhile.
 */
export function followThreads(records) {
  /** @type {Map<string, {pid: number, tid: number, series: import('../read/cpu.js').Point[][]}>} */
  const open = new Map();
  /** @type {Map<string, {t: number, before?: number}>} process → when it was last read, and the time before that */
  const reads = new Map();
  const all = [];
  for (const record of records) {
    if (record.kind !== 'threads' && record.kind !== 'sample') continue;
    const { t, pid, startTicks } = record;
    const process = `${pid} ${startTicks}`;
    const read = reads.get(process);
    const before = read?.t === t ? read?.before : read?.t;
    reads.set(process, { t, before });
    // A process with only idle threads has no line.
    if (record.kind === 'sample') continue;
    for (const [tid, ...values] of record.threads) {
      const key = `${process} ${tid}`;
      let thread = open.get(key);
      // An id that was given to another thread counts from 0 again.
      if (!thread || values.some((n, at) => n < (thread?.series[at]?.at(-1)?.value ?? 0))) {
        // Started after the process was last read: all its use is since then.
        const origin = before === undefined ? [] : [{ t: before, value: 0 }];
        thread = { pid, tid, series: values.map(() => [...origin]) };
        open.set(key, thread);
        all.push(thread);
      }
      values.forEach((value, at) => {
        const points = thread?.series[at];
        const last = points?.at(-1);
        // It was idle until then.
        if (last && before !== undefined && last.t < before)
          points?.push({ t: before, value: last.value });
        points?.push({ t, value });
      });
    }
  }
  return all;
}

/** A thread that serves requests would be seen doing so in this many samples. */
const LEAST_SAMPLES = 20;

/**
 * Threads that were seen, but never in a request or in the server (an exporter, a scheduler), make no request wait. All
 * may serve where no request is recognized.
 * @param {ThreadUse[]} all
 * @param {Profile} profile
 * @param {{base: {rows: Int32Array, rowWeights: Float64Array}, classes: Classification}} analysis of it
 * @returns {ThreadUse[]} without the waits of such threads
 */
export function keepServing(all, { rows, processes, threads }, { base, classes }) {
  const { category, categories, request } = classes;
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const [index, row] of base.rows.entries()) {
    const node = rows.node[row] ?? -1;
    const isServing = request[node] === 1 || categories[category[node] ?? -1]?.id === 'server';
    const key = `${processes[rows.process[row] ?? -1]?.pid} ${threads[rows.thread[row] ?? -1]?.id}`;
    addTo(seen, key, isServing ? -Infinity : (base.rowWeights[index] ?? 0));
  }
  if (!seen.values().some(own => own < 0)) return all;
  const isOther = (/** @type {ThreadUse} */ { pid, tid }) =>
    (seen.get(`${pid} ${tid}`) ?? 0) >= LEAST_SAMPLES;
  return all.map(own => (isOther(own) ? { ...own, queuedMs: 0 } : own));
}
