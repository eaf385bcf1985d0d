/** Records the API's logs during the load: LOG_FILES, and the logs of pods. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { followFile, identify } from '../../base/files/follow-file.js';
import { delayForRedaction } from '../../base/files/output-log.js';
import { makeFolder } from '../../base/files/own-files.js';
import { parseOrNull } from '../../base/files/parse-json.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { createLineJoiner } from './join-lines.js';
import { checkLogFiles, findLogFiles, MOST_FILES, splitLogFiles } from './log-files.js';
import { createLogWriter } from './log-writer.js';

/** @import { LogSource } from '../../base/kubernetes/follow-pod-log.js' */
/** @import { NdjsonWriter } from '../../run/ndjson.js' */
/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { Follower } from '../../base/files/follow-file.js' */
/** @import { LogWriter } from './log-writer.js' */

const POLL_MS = 200;
/** How often new files are searched for (of a pattern; the next one of a pod). */
const LOOK_MS = 2000;
/** Time for the API's last lines to arrive. */
const LAST_WORDS_MS = 300;

/**
 * @typedef {object} LogRecorder
 * @property {(name: string) => LogSource} openPod the log of a pod, which the cluster's recorder follows
 * @property {() => Promise<void>} stop reads the rest; idempotent
 */

/**
 * Follows files from their current end. Each source has its own `logs/<n>.ndjson`.
 * @param {object} options
 * @param {string | null} options.logFiles LOG_FILES
 * @param {RunFiles} options.files
 * @param {Redactor} options.redactor
 * @param {NdjsonWriter} options.events
 * @param {(error: Error) => void} [options.onWriteError]
 * @returns {LogRecorder}
 * @throws {import('../../base/errors.js').LoadflameError} LOG_FILE_UNREADABLE
 */
export function startLogRecorder({ logFiles, files, redactor, events, onWriteError }) {
  checkLogFiles(logFiles);
  const known = readRecordedSources(files.logs);
  const startedMs = Date.now();

  /** @param {'file' | 'pod'} type @param {string} name */
  const openSource = (type, name) => {
    makeFolder(files.logs);
    const writer = createNdjsonWriter(files.log(takeNumber(files.logs)), { onError: onWriteError });
    writer.append('source', { type, name: redactor.redactText(name) });
    const log = createLogWriter({ writer, redactor, startedMs });
    const held = delayForRedaction(records => records.forEach(log.add));
    const joiner = createLineJoiner(held.add);
    const close = () => {
      joiner.flush();
      held.close();
      log.flush();
    };
    return { log, joiner, close };
  };

  const followed = logFiles
    ? followFiles({
        patterns: splitLogFiles(logFiles),
        open: file => openSource('file', file),
        isKnown: file => known.has(file),
        onLost: message => events.append('log-ended', { source: 'logs', message }),
      })
    : null;

  return {
    openPod(name) {
      const { joiner, close } = openSource('pod', name);
      const timer = setInterval(joiner.flushWhole, POLL_MS);
      return {
        add: (line, writtenMs) => joiner.add(line, Date.now(), writtenMs),
        close() {
          clearInterval(timer);
          close();
        },
      };
    },
    async stop() {
      if (followed) await sleep(LAST_WORDS_MS);
      followed?.stop();
    },
  };
}

/** @typedef {{log: LogWriter, joiner: ReturnType<typeof createLineJoiner>, close: () => void}} Source */

/**
 * @param {object} options
 * @param {string[]} options.patterns
 * @param {(file: string) => Source} options.open
 * @param {(file: string) => boolean} options.isKnown another recording has it already
 * @param {(message: string) => void} options.onLost
 */
function followFiles({ patterns, open, isKnown, onLost }) {
  /** @type {Map<string, Source & {follower: Follower}>} */
  const followed = new Map();
  /** @type {Set<string>} ids of files that were read under another name */
  const read = new Set();
  /** @type {Set<string>} unreadable files that were reported */
  const lost = new Set();
  /** @type {Set<string>} files beyond the limit */
  const left = new Set();
  const lose = (/** @type {string} */ file, /** @type {unknown} */ error) => {
    if (!lost.has(file)) onLost(`${file} cannot be read: ${/** @type {Error} */ (error).message}`);
    lost.add(file);
  };
  /** @param {string} file @param {boolean} fromStart */
  const follow = (file, fromStart) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || isKnown(realpathSync(file))) return;
    // A rotated file that also matches the pattern.
    if (fromStart && read.has(identify(stats))) return;
    if (followed.size >= MOST_FILES) return void left.add(file);
    const follower = followFile(file, {
      fromStart,
      onLine: line => source.joiner.add(line, Date.now()),
      onSkipped: bytes => source.log.skipped(bytes),
    });
    const source = open(realpathSync(file));
    followed.set(file, { ...source, follower });
  };
  /** @param {boolean} fromStart */
  const look = fromStart => {
    const known = left.size;
    for (const file of findLogFiles(patterns)) {
      if (followed.has(file) || left.has(file)) continue;
      try {
        follow(file, fromStart);
      } catch (error) {
        // Tried again: during rotation a log may be unreadable for a moment.
        lose(file, error);
      }
    }
    if (left.size === known) return;
    const names = [...left].slice(0, 3).join(', ');
    const message = `more than ${MOST_FILES} files: ${left.size} are not recorded, such as ${names}`;
    onLost(`LOG_FILES means ${message}`);
  };
  /** @param {boolean} isEnd */
  const readAll = isEnd => {
    for (const [file, { follower, joiner, close }] of followed) {
      try {
        if (isEnd) follower.stop();
        else follower.read();
        read.add(follower.id());
      } catch (error) {
        followed.delete(file);
        lose(file, error);
      }
      joiner.flushWhole();
      if (isEnd || !followed.has(file)) close();
    }
  };
  look(false);
  const timers = [setInterval(readAll, POLL_MS, false), setInterval(look, LOOK_MS, true)];
  return {
    stop() {
      timers.forEach(clearInterval);
      readAll(true);
    },
  };
}

/** Sources that the recording we join records already. @param {string} folder */
function readRecordedSources(folder) {
  /** @type {Set<string>} */
  const names = new Set();
  if (!existsSync(folder)) return names;
  for (const name of readdirSync(folder)) {
    const [first = ''] = readFileSync(path.join(folder, name), 'utf8').split('\n', 1);
    // Otherwise the file is not ours, or incomplete.
    const source = parseOrNull(first);
    if (source) names.add(String(source.name));
  }
  return names;
}

/** @param {string} folder */
function takeNumber(folder) {
  const numbers = readdirSync(folder).map(name => Number.parseInt(name, 10) || 0);
  return Math.max(0, ...numbers) + 1;
}
