/** The lines that a worker inside a cluster prints: it sends its results through the log of its pod. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { followFile } from '../../base/files/follow-file.js';
import { parseJson } from '../../base/files/parse-json.js';
import { tryOr } from '../../base/files/try-or.js';
import { createRecordCheck } from '../../run/folder-shapes.js';
import { moveTimes, ofGenerator } from '../../run/merge-runs.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { runFiles } from '../../run/run-folder.js';
import { createProgress } from '../metrics/progress.js';

/** @import { Follower } from '../../base/files/follow-file.js' */
/** @import { RunFiles } from '../../run/run-folder.js' */

/** Files of a worker's own run whose records it sends. */
export const SENT = /** @type {const} */ ([
  'metrics',
  'errors',
  'loadCalls',
  'slowest',
  'tokens',
  'events',
  'processes',
]);
const LOOK_MS = 250;
/** One line contains a second of a load with all endpoints. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** @typedef {typeof SENT[number]} SentFile */

/**
 * Numbered from 1, so that none counts twice and losses are noticed. `say`: the subject, or `record`.
 * @typedef {{n: number, say: string, [field: string]: any}
 *   | {n: number, say: 'record', file: SentFile, record: import('../../run/ndjson.js').RawRecord}} WorkerLine
 */

/** @param {string} line @returns {WorkerLine | null} null for other output */
export function readLine(line) {
  if (!line.startsWith('{"n":')) return null;
  return tryOr(null, () => {
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
  });
}

/**
 * Writes the lines of one worker.
 * @param {(text: string) => void} write
 */
export function createLines(write) {
  let n = 0;
  /** @param {Record<string, unknown>} fields */
  const add = fields => write(`${JSON.stringify({ n: ++n, ...fields })}\n`);
  return {
    /** @param {string} say @param {Record<string, unknown>} [fields] */
    say: (say, fields) => add({ say, ...fields }),
    /**
     * Sends a whole line of a run folder's file. Compressed: many clusters keep only 10 MB of a log.
     * @param {SentFile} file @param {string} line
     */
    send: (file, line) => add({ file, z: deflateRawSync(line).toString('base64') }),
  };
}

/**
 * Sends what is written to the run folder below `root`.
 * @param {string} root
 * @param {ReturnType<typeof createLines>} lines
 * @returns {{stop: () => void}} `stop` sends the rest
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

// -- Merges the records of all workers into one run.

const SECOND_MS = 1000;

/** @typedef {import('../../run/ndjson.js').RawRecord} Rec */

/**
 * @param {RunFiles} files
 * @param {object} load
 * @param {number} load.workers
 * @param {number} load.phases number of phases
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
     * @param {{worker: number, aheadMs: number}} sender `aheadMs`: how far its clock is ahead of ours
     * @param {{file: SentFile, record: Rec}} line
     */
    add({ worker, aheadMs }, { file, record }) {
      const own = READ[file]?.(record, { worker, workers }) ?? (READ[file] ? null : record);
      if (!own || (ONCE.test(own.kind) && known.has(`${own.kind} ${own.index}`))) return;
      // By whole seconds: sums of a second cannot be split.
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

/**
 * Changes to records by file; null: of no use next to those of others.
 * @type {Partial<Record<SentFile, (record: Rec, of: {worker: number, workers: number}) => Rec | null>>}
 */
const READ = {
  metrics: (record, { workers }) => {
    if (record.kind === 'load-end') return null;
    return record.kind === 'load-start' ? { ...record, workers } : record;
  },
  // Only the worker's own process, and the cgroups that limited it: processes of two pods may have the same pid.
  processes: (record, { worker }) =>
    ofGenerator(record, { place: `worker ${worker}: `, number: worker }),
  events: (record, { worker }) =>
    typeof record.message === 'string'
      ? { ...record, message: `worker ${worker}: ${record.message}` }
      : null,
};
