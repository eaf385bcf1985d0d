/** What workers inside a cluster send home, as the records of one run. */
import { existsSync } from 'node:fs';
import { LoadflameError } from '../../../errors.js';
import { appendText } from '../../../files/own-files.js';
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
  /** The first worker to report one of these reports it for all. @type {Set<string>} */
  const known = new Set();
  /** By worker: the number of its last line in the folder. @type {Map<number, number>} */
  const kept = new Map();
  const writers = Object.fromEntries(
    SENT.map(name => [name, createNdjsonWriter(files[name], { onError: onWriteError })]),
  );

  /** @param {Rec} record */
  const watch = record => {
    if (record.kind === 'second') progress.addSecond(record);
    else if (record.kind === 'phase-start') progress.startPhase(/** @type {any} */ (record));
    if (ONCE.test(record.kind)) known.add(`${record.kind} ${record.index}`);
  };
  return {
    progress,
    /** The number of the last line kept. @param {number} worker from 1 */
    kept: worker => kept.get(worker) ?? 0,
    /**
     * @param {{worker: number, aheadMs: number}} sender its clock before ours
     * @param {{n: number, file: SentFile, record: Rec}} line
     */
    add({ worker, aheadMs }, { n, file, record }) {
      if (n <= (kept.get(worker) ?? 0)) return;
      kept.set(worker, n);
      const own = READ[file]?.(record, { worker, workers }) ?? (READ[file] ? null : record);
      if (!own || (ONCE.test(own.kind) && known.has(`${own.kind} ${own.index}`))) return;
      // By whole seconds: the parts of a second cannot be moved.
      const seconds = Math.round(aheadMs / SECOND_MS) * SECOND_MS;
      const moved = seconds === 0 ? own : moveTimes(own, ms => ms - seconds);
      watch(moved);
      const { kind, ...fields } = moved;
      writers[file]?.append(kind, { ...fields, sentBy: [worker, n] });
    },
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
          const [worker, n] = record.sentBy ?? [];
          if (n > (kept.get(worker) ?? 0)) kept.set(worker, n);
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
