/** What a worker inside a cluster prints, line by line: the log of its pod is the way home. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseJson } from '../../../files/parse-json.js';
import { createRecordCheck } from '../../../run/folder-shapes.js';
import { runFiles } from '../../../run/run-folder.js';
import { followFile } from '../../follow-file.js';

/** @import { Follower } from '../../follow-file.js' */

/** Files of a worker's own run whose records come home. */
export const SENT = /** @type {const} */ (['metrics', 'errors', 'tokens', 'events', 'processes']);
const LOOK_MS = 250;
/** A second of a load has all its endpoints in one line. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** @typedef {typeof SENT[number]} SentFile */

/**
 * Numbered from 1, so that none counts twice and none is lost unseen. `say`: what it is about, else a record.
 * @typedef {{n: number, say: string, [field: string]: any}
 *   | {n: number, say: 'record', file: SentFile, record: Record<string, any>}} WorkerLine
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
