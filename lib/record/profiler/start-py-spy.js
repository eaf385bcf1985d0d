/** Records one segment: one py-spy process, from its start to its file. */
import { closeSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { followFile } from '../../base/files/follow-file.js';
import { appendText, openNew, openToAppend } from '../../base/files/own-files.js';
import { isRegularFile } from '../../base/files/regular-file.js';
import { startChild } from '../../base/process/child.js';
import { cleanSegment } from './clean-segment.js';
import { findUnderSudo, signalUnderSudo, underSudo } from './privileges.js';

/** @import { ChildEnd } from '../../base/process/child.js' */
/** @import { Redact } from './clean-segment.js' */
/** @import { PySpy } from './find-py-spy.js' */

/** Attaching takes 60–80 ms, on a busy machine a second; a hanging process never gets there. */
const START_TIMEOUT_MS = 15_000;
/** For 1–2 ms after it reports that it samples, py-spy has no handler for SIGINT, which then ends it without a file. */
const DEAF_MS = 50;
/** py-spy writes the file 30 ms after SIGINT; after this time it never will. */
const END_TIMEOUT_MS = 10_000;
/** How often its log is read: often at first, to know the moment at which sampling starts. */
const [READ_AT_START_MS, READ_MS] = [5, 1000];
/** Start of the line in which py-spy reports why it failed. */
const COMPLAINT = 'Error: ';
/** py-spy ends by itself after this many segment lengths, in case no process is left to end it. */
const LENGTH_BOUND = 4;

/**
 * @typedef {object} SegmentOptions
 * @property {PySpy} pySpy
 * @property {number} masterPid
 * @property {number} rateHz
 * @property {number} segmentMs its intended length
 * @property {boolean} sudo
 * @property {'blocking' | 'nonblocking'} mode
 * @property {boolean} [idle] also sample waiting threads
 * @property {string} file to write
 * @property {string} logFile receives py-spy's output
 * @property {Redact} redact
 * @property {(pid: number) => number} [rename] maps the pids in the file
 * @property {Launch} [launch] starts py-spy if it does not run on this machine
 */

/**
 * @callback Launch
 * @param {(output: string) => string[]} commandFor command of a py-spy that writes to `output`
 * @param {string} file receives its samples
 * @param {string} logFile receives its messages
 * @returns {Launched}
 */

/**
 * @typedef {object} Launched
 * @property {() => number | null} pid of py-spy itself, on this machine
 * @property {(name: 'INT' | 'KILL') => unknown} signal
 * @property {Promise<ChildEnd>} ended never rejects; after an error its file is not reliable
 */

/**
 * @typedef {object} SegmentEnd
 * @property {string} file
 * @property {boolean} isWritten its file exists and is complete
 * @property {number} startMs when py-spy reported that it samples; if it never did, when it was started
 * @property {number} endMs when it was asked to stop, or was found to have ended
 * @property {number} samples
 * @property {number} errors
 * @property {number} lateMs the largest delay that py-spy reported
 * @property {string} reason why the file is missing
 */

/**
 * @typedef {object} Segment
 * @property {Promise<boolean>} sampling true when py-spy reports that it samples, false if it ended before
 * @property {() => number | null} startMs null until it samples
 * @property {() => number | null} pid of py-spy itself
 * @property {() => Promise<SegmentEnd>} end writes the file and ends py-spy; idempotent
 * @property {Promise<SegmentEnd>} ended resolves at its end, whatever the cause; never rejects
 */

/**
 * @typedef {object} SegmentState
 * @property {number | null} startMs when it began to sample
 * @property {number | null} toldMs when it was asked to stop
 * @property {number} lateMs
 * @property {{samples: number, errors: number} | null} written
 * @property {string[]} tail its last lines
 */

/**
 * @param {SegmentOptions} options
 * @returns {Segment}
 * @throws {Error} if the segment's folder is not writable
 */
export function startSegment(options) {
  const { file, launch = launchHere(options) } = options;
  const spawnedMs = Date.now();
  // Create it as our user before py-spy writes it: under sudo it would belong to root.
  closeSync(openNew(file));
  const ownLog = file.replace(/\.raw$/, '.log');
  const launched = launch(output => commandOf(options, output), file, ownLog);
  /** @type {SegmentState} */
  const state = { startMs: null, toldMs: null, lateMs: 0, written: null, tail: [] };
  /** @type {PromiseWithResolvers<boolean>} */
  const { promise: sampling, resolve: settleSampling } = Promise.withResolvers();
  const log = followLog(ownLog, state, () => settleSampling(true));
  const startTimer = setTimeout(() => void launched.signal('KILL'), START_TIMEOUT_MS);
  sampling.then(() => clearTimeout(startTimer));

  const ended = launched.ended.then(end => {
    const endedMs = Date.now();
    log.stop();
    settleSampling(false);
    moveLog(ownLog, options.logFile);
    const isWritten = state.written !== null && end.error === null && isRegularFile(file);
    if (!isWritten) rmSync(file, { force: true });
    else cleanSegment(file, options.redact, options);
    return {
      file,
      isWritten,
      startMs: state.startMs ?? spawnedMs,
      endMs: state.toldMs ?? endedMs,
      samples: state.written?.samples ?? 0,
      errors: state.written?.errors ?? 0,
      lateMs: Math.round(state.lateMs),
      reason: isWritten ? '' : describeEnd(end, state),
    };
  });

  /** @type {Promise<SegmentEnd> | null} */
  let ending = null;
  const end = async () => {
    // A SIGINT before it samples would leave no file.
    if (!(await sampling)) return ended;
    await sleep(Math.max(0, DEAF_MS - (Date.now() - (state.startMs ?? 0))));
    state.toldMs = Date.now();
    await launched.signal('INT');
    const timer = setTimeout(() => void launched.signal('KILL'), END_TIMEOUT_MS);
    const result = await ended;
    clearTimeout(timer);
    return result;
  };
  return {
    sampling,
    startMs: () => state.startMs,
    pid: launched.pid,
    end: () => {
      ending ??= end();
      return ending;
    },
    ended,
  };
}

/**
 * Reads what py-spy says.
 * @param {string} file
 * @param {SegmentState} state
 * @param {() => void} onSampling
 */
function followLog(file, state, onSampling) {
  const log = followFile(file, {
    onLine: line => {
      if (line.trim() === '') return;
      state.tail = [...state.tail.slice(-2), line.slice(0, 300)];
      const said = parsePySpyLine(line);
      if (said?.kind === 'late') state.lateMs = Math.max(state.lateMs, said.lateMs);
      if (said?.kind === 'written') state.written = said;
      if (said?.kind === 'sampling') {
        state.startMs = Date.now();
        clearInterval(reading);
        reading = setInterval(log.read, READ_MS);
        onSampling();
      }
    },
  });
  let reading = setInterval(log.read, READ_AT_START_MS);
  return {
    stop() {
      log.stop();
      clearInterval(reading);
    },
  };
}

/** Starts py-spy on this machine, maybe as root. @param {SegmentOptions} options @returns {Launch} */
function launchHere({ pySpy, sudo }) {
  return (commandFor, file, logFile) => {
    const command = commandFor(file);
    const [program = pySpy.path, ...args] = sudo ? underSudo(command) : command;
    // A file and no pipe: if loadflame is killed, the pipe breaks, and py-spy panics at its next message, before it
    // writes its samples.
    // (execa accepts any descriptor; its types only those of our own streams.)
    const log = /** @type {1} */ (openToAppend(logFile));
    const child = startChild(program, args, {
      // If loadflame is killed, py-spy still writes its samples.
      parentDeathSignal: 'INT',
      // sudo remembers a password per terminal, and a process in its own session has none.
      detached: !sudo,
      stdout: log,
      stderr: log,
      env: { RUST_BACKTRACE: '0' },
    });
    closeSync(log);
    const pid = () => (sudo ? findUnderSudo(child.pid, pySpy.path) : child.pid);
    return {
      pid,
      signal: name => {
        if (!sudo) return child.signal(`SIG${name}`);
        const target = child.isAlive() ? pid() : null;
        return target !== null && signalUnderSudo(target, name);
      },
      ended: child.ended,
    };
  };
}

/** @param {SegmentOptions} options @param {string} output */
function commandOf({ pySpy, masterPid, rateHz, segmentMs, mode, launch, idle = false }, output) {
  const boundSec = Math.ceil((segmentMs * LENGTH_BOUND) / 1000);
  const command = [pySpy.path, 'record', '--format', 'raw', '--threads', '--subprocesses'];
  command.push('--rate', `${rateHz}`, '--duration', `${boundSec}`, '--output', output);
  // Elsewhere, only py-spy sees the files that decide how paths are shortened.
  if (!launch) command.push('--full-filenames');
  if (mode === 'nonblocking') command.push('--nonblocking');
  if (idle) command.push('--idle');
  return [...command, '--pid', `${masterPid}`];
}

/** @param {ChildEnd} end @param {SegmentState} state */
function describeEnd({ exitCode, signal, error }, { tail, startMs }) {
  const what = startMs === null ? 'could not be started' : 'was lost';
  if (error) return `py-spy ${what}: ${error.message}`;
  if (signal) return `py-spy was ended by ${signal}`;
  const complaint = tail.find(line => line.startsWith(COMPLAINT))?.slice(COMPLAINT.length);
  return `py-spy ended with code ${exitCode}: ${complaint ?? (tail.join(' | ') || 'no output')}`;
}

/** Collects py-spy's output in one file. @param {string} from @param {string} to */
function moveLog(from, to) {
  try {
    appendText(to, `# ${path.basename(from, '.log')}\n${readFileSync(from, 'utf8')}`);
    rmSync(from);
  } catch {
    // On a full disk the log stays where it is.
  }
}

// -- The lines that py-spy 0.4 prints while it records.

/**
 * @typedef {{kind: 'sampling'}
 *   | {kind: 'late', lateMs: number}
 *   | {kind: 'written', samples: number, errors: number}} PySpyLine
 */

/** How Rust prints a duration: `1.25s`, `310.00ms`, `95.10µs`. @type {Record<string, number>} */
const UNIT_MS = { s: 1000, ms: 1, µs: 0.001, ns: 0.000001 };

/**
 * @param {string} line
 * @returns {PySpyLine | null} null for lines that do not matter
 */
export function parsePySpyLine(line) {
  if (/Sampling process \d/.test(line)) return { kind: 'sampling' };
  const late = /([\d.]+)(s|ms|µs|ns) behind in sampling/.exec(line);
  if (late) return { kind: 'late', lateMs: Number(late[1]) * (UNIT_MS[late[2] ?? ''] ?? 0) };
  const written = /Wrote .*Samples: (\d+) Errors: (\d+)/.exec(line);
  if (written) return { kind: 'written', samples: Number(written[1]), errors: Number(written[2]) };
  return null;
}
