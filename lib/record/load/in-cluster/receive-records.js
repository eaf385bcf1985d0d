/** What workers inside a cluster send home, as the records of one run. */
import { moveTimes } from '../../../run/merge-runs.js';
import { createNdjsonWriter } from '../../../run/ndjson.js';
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
  const writers = Object.fromEntries(
    SENT.map(name => [name, createNdjsonWriter(files[name], { onError: onWriteError })]),
  );

  return {
    progress,
    /**
     * @param {{worker: number, aheadMs: number}} sender its clock before ours
     * @param {{file: SentFile, record: Rec}} line
     */
    add({ worker, aheadMs }, { file, record }) {
      const own = READ[file]?.(record, { worker, workers }) ?? (READ[file] ? null : record);
      if (!own || (ONCE.test(own.kind) && known.has(`${own.kind} ${own.index}`))) return;
      // By whole seconds: the parts of a second cannot be moved.
      const seconds = Math.round(aheadMs / SECOND_MS) * SECOND_MS;
      const moved = seconds === 0 ? own : moveTimes(own, ms => ms - seconds);
      if (moved.kind === 'second') progress.addSecond(moved);
      else if (moved.kind === 'phase-start') progress.startPhase(/** @type {any} */ (moved));
      if (ONCE.test(moved.kind)) known.add(`${moved.kind} ${moved.index}`);
      const { kind, ...fields } = moved;
      writers[file]?.append(kind, fields);
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
