/** What workers inside a cluster send home, as the records of one run. */
import { existsSync } from 'node:fs';
import { LoadflameError } from '../../../errors.js';
import { appendText } from '../../../files/own-files.js';
import { mergeSketches } from '../../../math/sketch.js';
import { createRecordCheck } from '../../../run/folder-shapes.js';
import { moveTimes } from '../../../run/merge-runs.js';
import { createNdjsonWriter, streamNdjson } from '../../../run/ndjson.js';
import { createProgress } from '../metrics/progress.js';
import { SENT } from './worker-lines.js';

/** @import { RunFiles } from '../../../run/run-folder.js' */
/** @import { SentFile } from './worker-lines.js' */

/** All are below (`PID_MAX_LIMIT`): processes of two pods have the same pids. */
const PIDS_OF_LINUX = 1 << 22;
const SECOND_MS = 1000;
/** A second waits so long for workers that have not told theirs: what comes later is a record of its own. */
const HOLD_MS = 10_000;
/** Seconds at once: after an attach, logs of workers arrive as fast as they can be read. */
const MOST_OPEN = 120;
/** Of a second, before they are added up: memory grows with neither workers nor time. */
const MOST_PARTS = 16;
/** Endpoints, errors and what else has names of its own: readers take no line of more than 8 MB. */
const MOST_NAMES = 2000;

/** @typedef {Record<string, any>} Rec */

/**
 * @param {RunFiles} files
 * @param {object} load
 * @param {number} load.workers
 * @param {number} load.phases how many there are
 * @param {(error: Error) => void} load.onWriteError
 */
export function createReceiver(files, { workers, phases, onWriteError }) {
  const progress = createProgress(phases);
  /** What the first worker to say so tells for all. @type {Set<string>} */
  const told = new Set();
  /** By worker: the number of the last line that is in the folder or on its way, of seconds and of all else. */
  const kept = { seconds: new Map(), others: new Map() };
  const keptOf = (/** @type {string} */ kind) => (kind === 'second' ? kept.seconds : kept.others);
  const writers = Object.fromEntries(
    SENT.map(name => [name, createNdjsonWriter(files[name], { onError: onWriteError })]),
  );

  /** @param {Rec} record */
  const watch = record => {
    if (record.kind === 'second') progress.addSecond(record);
    else if (record.kind === 'phase-start') progress.startPhase(/** @type {any} */ (record));
    if (ONCE.test(record.kind)) told.add(`${record.kind} ${record.index}`);
  };
  const sums = createSums(fields => writers.metrics?.append('second', fields));
  return {
    progress,
    /** The number of the line up to which nothing is missing. @param {number} worker from 1 */
    kept: worker => kept.seconds.get(worker) ?? 0,
    /**
     * @param {{worker: number, aheadMs: number}} sender its clock before ours
     * @param {{n: number, file: SentFile, record: Rec}} line
     */
    add({ worker, aheadMs }, { n, file, record }) {
      const last = keptOf(record.kind);
      if (n <= (last.get(worker) ?? 0)) return;
      last.set(worker, n);
      const own = READ[file]?.(record, { worker, workers }) ?? (READ[file] ? null : record);
      if (!own || (ONCE.test(own.kind) && told.has(`${own.kind} ${own.index}`))) return;
      // A second that is another one by its own clock alone; parts of one can't be moved, they are summed up.
      const seconds = Math.round(aheadMs / SECOND_MS) * SECOND_MS;
      const moved = seconds === 0 ? own : moveTimes(own, ms => ms - seconds);
      watch(moved);
      const { kind, ...fields } = moved;
      if (file === 'metrics' && kind === 'second') sums.add(moved, { worker, n });
      else writers[file]?.append(kind, { ...fields, sentBy: [worker, n] });
    },
    flush: sums.flush,
    /** Of a run that another process began. @throws {LoadflameError} RUN_FILE_UNREADABLE, RUN_FOLDER_UNWRITABLE */
    async resume() {
      for (const name of SENT) {
        // A line that was torn when its writer was killed must not take the next one with it.
        try {
          if (existsSync(files[name])) appendText(files[name], '\n');
        } catch (cause) {
          const { code: reason } = /** @type {NodeJS.ErrnoException} */ (cause);
          const { folder } = files;
          throw new LoadflameError('RUN_FOLDER_UNWRITABLE', { folder, reason }, { cause });
        }
        const isWhole = createRecordCheck(name);
        for await (const record of streamNdjson(files[name], { isWhole })) {
          watch(record);
          const last = keptOf(record.kind);
          const sentBy = [record.sentBy ?? []].flat();
          for (let at = 0; at < sentBy.length; at += 2)
            last.set(sentBy[at], Math.max(sentBy[at + 1], last.get(sentBy[at]) ?? 0));
        }
      }
    },
  };
}

const ONCE = /^(?:load-start|phase-start|phase-end)$/;

/** What is kept of a file's records, and how; null: of no use beside those of others. @type {Partial<Record<SentFile, (record: Rec, of: {worker: number, workers: number}) => Rec | null>>} */
const READ = {
  metrics: (record, { workers }) => {
    if (record.kind === 'load-end') return null;
    return record.kind === 'load-start' ? { ...record, workers } : record;
  },
  // Of its machine only what it had itself, and what held it back.
  processes: (record, { worker }) => {
    const { kind, role, roles, pid, path: cgroup } = record;
    if (kind === 'cgroup' && roles?.includes?.('generator'))
      return { ...record, roles: ['generator'], path: `worker ${worker}: ${cgroup}` };
    const isOwn = kind === 'sample' && role === 'generator';
    return isOwn ? { ...record, pid: pid + worker * PIDS_OF_LINUX } : null;
  },
  events: (record, { worker }) =>
    typeof record.message === 'string'
      ? { ...record, message: `worker ${worker}: ${record.message}` }
      : null,
};

/**
 * A second of all workers as one record, as one machine writes it.
 * @typedef {object} Sum
 * @property {number} fromMs
 * @property {number} t
 * @property {number} openedAtMs
 * @property {Rec[]} parts that are still to be added up
 * @property {Map<number, number>} sentBy worker → number of the last of its lines that are in it
 * @property {boolean} isFull
 */

/**
 * Of each worker, no line is in front of one that it sent before: the highest number in the file tells that all up
 * to it are there, so that nothing is lost and nothing counts twice when this process is killed. That is why a second
 * which comes after a later one of the same worker (a clock that was set back) is a record of its own.
 * @param {(fields: Rec) => void} write
 */
function createSums(write) {
  /** Nearly in their order; the first is the next to be written. @type {Sum[]} */
  const open = [];
  /** By worker: where its last line is. @type {Map<number, Sum>} */
  const last = new Map();
  const placeOf = (/** @type {number} */ worker) => {
    const sum = last.get(worker);
    return sum ? open.indexOf(sum) : -1;
  };
  return {
    /** @param {Rec} second @param {{worker: number, n: number}} sender */
    add({ t, fromMs, kind: _, ...figures }, { worker, n }) {
      const place = placeOf(worker);
      let sum = open.find((one, at) => at >= place && one.fromMs === fromMs && !one.isFull);
      if (!sum) {
        sum = { fromMs, t, openedAtMs: Date.now(), parts: [], sentBy: new Map(), isFull: false };
        const next = open.findIndex((one, at) => at > place && one.fromMs > fromMs);
        open.splice(next < 0 ? open.length : next, 0, sum);
      }
      last.set(worker, sum);
      sum.t = Math.max(sum.t, t);
      sum.sentBy.set(worker, n);
      if (sum.parts.push(figures) < MOST_PARTS) return;
      sum.parts = [addUp(sum.parts)];
      const names = Object.values(sum.parts[0] ?? {}).flatMap(part => Object.keys(part ?? {}));
      sum.isFull = names.length > MOST_NAMES;
    },
    /**
     * Writes what is whole, and what has waited too long.
     * @param {number[]} sending workers that will send more; without one all is written
     */
    flush(sending) {
      const whole = Math.min(...sending.map(placeOf));
      const due = open.findLastIndex(({ openedAtMs }) => openedAtMs <= Date.now() - HOLD_MS) + 1;
      const most = Math.max(whole, due, open.length - MOST_OPEN);
      for (const { fromMs, t, parts, sentBy } of open.splice(0, most))
        write({ t, fromMs, ...addUp(parts), sentBy: [...sentBy].flat() });
    },
  };
}

/**
 * What each of several workers counted, as one of them would have counted all of it.
 * @param {any[]} parts the same field of their records
 * @param {string} [name] of the field
 * @param {string} [within] and of the one that it is in
 * @returns {any}
 */
function addUp(parts, name = '', within = '') {
  const [first] = parts;
  if (parts.length === 1 || typeof first === 'string') return first;
  // The CPU time of a server that can't tell it.
  if (parts.includes(null)) return null;
  if (typeof first === 'number')
    return within === 'blocked' && name === 'longestMs'
      ? Math.max(...parts)
      : parts.reduce((sum, count) => sum + count, 0);
  if (Array.isArray(first.bins)) return mergeSketches(parts).toJson();
  /** Without a prototype, whose names may be those of counters, too. @type {Rec} */
  const sum = Object.create(null);
  for (const key of new Set(parts.flatMap(part => Object.keys(part))))
    sum[key] = addUp(
      parts.flatMap(part => (Object.hasOwn(part, key) ? [part[key]] : [])),
      key,
      name,
    );
  return sum;
}
