/** What a worker inside a cluster prints, line by line: the log of its pod is the way home. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseJson } from '../../../files/parse-json.js';
import { createRecordCheck } from '../../../run/folder-shapes.js';
import { moveTimes } from '../../../run/merge-runs.js';
import { createNdjsonWriter } from '../../../run/ndjson.js';
import { runFiles } from '../../../run/run-folder.js';
import { followFile } from '../../follow-file.js';
import { createProgress } from '../metrics/progress.js';

/** @import { Follower } from '../../follow-file.js' */
/** @import { RunFiles } from '../../../run/run-folder.js' */

/** Files of a worker's own run whose records come home. */
export const SENT = /** @type {const} */ ([
  'metrics',
  'errors',
  'loadCalls',
  'tokens',
  'events',
  'processes',
]);
const LOOK_MS = 250;
/** A second of a load has all its endpoints in one line. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** @typedef {typeof SENT[number]} SentFile */

/**
 * Numbered from 1, so that none counts twice and none is lost unseen. `say`: what it is about, else a record.
 * @typedef {{n: number, say: string, [field: string]: any}
 *   | {n: number, say: 'record', file: SentFile, record: import('../../../run/ndjson.js').RawRecord}} WorkerLine
 */

/** @param {string} line @returns {WorkerLine | null} null for what something else prints */
export function readLine(line) {
  if (!line.startsWith('{"n":')) return null;
  try {
    const { n, file, z, ...fields } = parseJson(line);
    if (!Number.isInteger(n)) return null;
    if (z === undefined) return typeof fields.say === 'string' ? { n, ...fields } : null;
    const record = parseJson(
      inflateRawSync(Buffer.from(z, 'base64'), { maxOutputLength: 2 ** 26 }).toString(),
    );
    const isWhole =
      SENT.includes(file) &&
      typeof record?.t === 'number' &&
      typeof record.kind === 'string' &&
      createRecordCheck(file)(record);
    return isWhole ? { n, say: 'record', file, record } : null;
  } catch {
    return null;
  }
}

/**
 * The lines of one worker.
 * @param {(text: string) => void} write
 */
export function createLines(write) {
  let n = 0;
  /** @param {Record<string, unknown>} fields */
  const add = fields => write(`${JSON.stringify({ n: ++n, ...fields })}\n`);
  return {
    /** @param {string} say @param {Record<string, unknown>} [fields] */
    say: (say, fields) => add({ say, ...fields }),
    /** Whole lines of a run folder's files. Small: a log of 10 MB is what many clusters keep. @param {SentFile} file @param {string} line */
    send: (file, line) => add({ file, z: deflateRawSync(line).toString('base64') }),
  };
}

/**
 * Sends home what is written into the run that is below a folder.
 * @param {string} root
 * @param {ReturnType<typeof createLines>} lines
 * @returns {{stop: () => void}} `stop` sends what is left
 */
export function followRun(root, lines) {
  /** @type {Map<SentFile, Follower>} */
  const followed = new Map();
  const look = () => {
    const [run] = readdirSync(root);
    if (run === undefined) return;
    const files = runFiles(path.join(root, run));
    for (const name of SENT) {
      if (!followed.has(name) && existsSync(files[name])) {
        const onLine = (/** @type {string} */ line) => lines.send(name, line);
        followed.set(name, followFile(files[name], { onLine, longestLine: LONGEST_LINE }));
      }
      followed.get(name)?.read();
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      for (const one of followed.values()) one.stop();
    },
  };
}

// -- What workers send home, as the records of one run.

/** All are below (`PID_MAX_LIMIT`): processes of two pods have the same pids. */
const PIDS_OF_LINUX = 1 << 22;
const SECOND_MS = 1000;

/** @typedef {import('../../../run/ndjson.js').RawRecord} Rec */

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
