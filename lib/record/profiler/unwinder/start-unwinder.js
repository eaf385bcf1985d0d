/**
 * Our own recorder (`recorder.py`), for targets on Python 3.15 and newer: one process for all of theirs,
 * which never stops them, and writes what it sees as it goes.
 */
import { closeSync, openSync, readlinkSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openToAppend } from '../../../files/own-files.js';
import { parseOrNull } from '../../../files/parse-json.js';
import { createLineSplitter } from '../../../files/split-lines.js';
import { pickBareEnvironment } from '../../../process/bare-environment.js';
import { startChild } from '../../../process/child.js';
import { readVariable } from '../../../process/process-table.js';
import { makeTempFolder } from '../../../process/temp-folder.js';
import { isPythonName } from '../../../target/server-kinds.js';

/** @import { ChildEnd, OwnedChild } from '../../../process/child.js' */
/** @import { RunFiles } from '../../../run/run-folder.js' */

const OWN = { name: 'loadflame', hasTimes: true, seesWaiting: true };
const SCRIPT = path.join(import.meta.dirname, 'recorder.py');
const [LEAST_MAJOR, LEAST_MINOR] = [3, 15];
/** It takes 0.1 s; the rest is patience with a busy machine. */
const START_TIMEOUT_MS = 10_000;
/** So many failures in a row, and there is no hope for the next. */
const MOST_FAILURES = 5;
const RETRY_MS = 200;

/**
 * A second of the recording, as the recorder tells it.
 * @typedef {object} SampledSecond
 * @property {string} file
 * @property {number} startMs epoch
 * @property {number} endMs
 * @property {number} samples stacks of running threads
 * @property {number} looks at a process
 * @property {number} errors looks that failed, each after three tries
 * @property {number} missedMs for which it had no time
 */

/**
 * What was on the stacks of a second.
 * @typedef {object} SeenCode
 * @property {[name: string, file: string, line: number, samples: number][]} lines in which they ended
 * @property {[name: string, file: string][]} functions that were not on any before
 */

/**
 * @typedef {object} UnwinderOptions
 * @property {number} rootPid
 * @property {number} rateHz
 * @property {Pick<RunFiles, 'samples'>} files
 * @property {(second: SampledSecond) => void} onSegment
 * @property {(seen: SeenCode) => void} [onCode]
 * @property {(pid: number) => void} [onProcess] it looks at this one from now on
 * @property {(reason: string) => void} onDied it ended, or failed to start again, unasked
 * @property {() => string | null} whyOver asked when it ended by itself: why there is nothing left to record
 */

/** @typedef {{python: string, sameCore: boolean}} Start `sameCore`: it looks from the core where the target runs */

/**
 * @typedef {object} Unwinder
 * @property {{recorder: import('../../../facts/records.d.ts').Recorder, python: string}} about for the index
 * @property {() => number[]} pids
 * @property {(reason?: string) => Promise<string>} stop idempotent; the first reason counts
 * @property {Promise<string>} ended why it ended; never rejects
 */

/**
 * Starts it and waits until it has seen each process once: it stands on a private module of Python, and
 * whatever surprises it there is a reason to record in another way.
 * @param {UnwinderOptions} options
 * @returns {Promise<Unwinder | {refusal: string}>}
 */
export async function startUnwinder(options) {
  const { rootPid, rateHz, files, onSegment, onDied, whyOver } = options;
  const { onCode = () => {}, onProcess = () => {} } = options;
  const interpreter = findInterpreter(rootPid);
  if ('refusal' in interpreter) return interpreter;
  let [n, failures] = [0, 0];
  /** @type {string | null} */
  let stopReason = null;
  const launch = () => {
    n++;
    const file = path.resolve(files.samples(n));
    return launchRecorder(interpreter, [`${rateHz}`, `${rootPid}`], file, {
      onProcess,
      onSecond(second, code) {
        failures = 0;
        onSegment({ file, ...second });
        onCode(code);
      },
    });
  };
  let current = launch();
  const first = await current.ready;
  if ('refusal' in first) return first;
  const { python, sameCore } = first;

  /** After one that ended by itself. @returns {Promise<boolean>} whether there is another */
  const recover = async () => {
    while (++failures <= MOST_FAILURES) {
      await sleep(RETRY_MS * failures);
      if (stopReason !== null || whyOver() !== null) return false;
      current = launch();
      const next = await current.ready;
      if (!('refusal' in next)) return true;
      onDied(next.refusal);
    }
    return false;
  };
  const run = async () => {
    do {
      const reason = await current.ended;
      if (stopReason === null && whyOver() === null) onDied(reason);
    } while (stopReason === null && (await recover()));
    return stopReason ?? whyOver() ?? `the recorder failed ${MOST_FAILURES} times in a row`;
  };
  const ended = run();
  return {
    about: { recorder: { ...OWN, version: python, sameCore }, python },
    pids: () => (current.child.isAlive() ? [current.child.pid] : []),
    stop: (reason = 'stopped') => {
      stopReason ??= reason;
      void current.child.stop();
      return ended;
    },
    ended,
  };
}

/**
 * Would it record this process? It looks at it for a moment.
 * @param {number} pid
 * @returns {Promise<Unwinder['about'] | {refusal: string}>}
 */
export async function probeUnwinder(pid) {
  const folder = makeTempFolder();
  try {
    const own = await startUnwinder({
      ...{ rootPid: pid, rateHz: 1, onSegment() {}, onDied() {} },
      files: { samples: () => path.join(folder, 'samples.txt') },
      whyOver: () => '',
    });
    if ('refusal' in own) return own;
    await own.stop();
    return own.about;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @typedef {{program: string, env: Record<string, string>, owner: {uid?: number, gid?: number}}} Interpreter */

/**
 * The program that a process runs, and whose it must be: code of another user is never run as root.
 * @param {number} pid
 * @returns {Interpreter | {refusal: string}}
 */
function findInterpreter(pid) {
  try {
    const link = `/proc/${pid}/exe`;
    const program = readlinkSync(link);
    const [, major, minor] = /(\d+)\.(\d+)t?$/.exec(program) ?? [];
    if (!isPythonName(program)) return { refusal: `process ${pid} runs ${path.basename(program)}` };
    if (major && (Number(major) < LEAST_MAJOR || Number(minor) < LEAST_MINOR))
      return { refusal: `the target runs Python ${major}.${minor}` };
    const [there, here] = [statSync(link), statSync(program, { throwIfNoEntry: false })];
    if (there.dev !== here?.dev || there.ino !== here.ino)
      return { refusal: `the Python of process ${pid} is not at ${program} here` };
    const libraries = readVariable(pid, 'LD_LIBRARY_PATH');
    const { uid, gid } = statSync(`/proc/${pid}`);
    return {
      program,
      env: { ...pickBareEnvironment(), ...(libraries && { LD_LIBRARY_PATH: libraries }) },
      owner: process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : {},
    };
  } catch (error) {
    return { refusal: /** @type {Error} */ (error).message };
  }
}

/**
 * @param {Interpreter} interpreter @param {string[]} args @param {string} file gets the samples
 * @param {object} told
 * @param {(second: Omit<SampledSecond, 'file'>, code: SeenCode) => void} told.onSecond
 * @param {(pid: number) => void} told.onProcess
 * @returns {{child: OwnedChild, ready: Promise<Start | {refusal: string}>, ended: Promise<string>}}
 */
function launchRecorder({ program, env, owner }, args, file, { onSecond, onProcess }) {
  // Files and no pipes, so that neither a path that its user may not read nor our end is in its way.
  const script = /** @type {0} */ (openSync(SCRIPT, 'r'));
  const samples = /** @type {1} */ (openToAppend(file));
  // -I -S -B: nothing of the target's environment and packages is imported, and nothing is written.
  const child = startChild(program, ['-I', '-S', '-B', '-', ...args], {
    stdin: script,
    stdout: samples,
    stderr: 'pipe',
    extendEnv: false,
    env,
    ...owner,
  });
  closeSync(script);
  closeSync(samples);
  /** @type {PromiseWithResolvers<Start>} */
  const { promise: started, resolve } = Promise.withResolvers();
  let lastWords = '';
  const lines = createLineSplitter(line => {
    // Else it is the interpreter's own words.
    const said = line.startsWith('{') ? parseOrNull(line) : null;
    if (said?.kind === 'segment') {
      const { kind, lines, functions, ...second } = said;
      onSecond(/** @type {Parameters<typeof onSecond>[0]} */ (second), { lines, functions });
    } else if (said?.kind === 'process') onProcess(Number(said.pid));
    else if (said) resolve({ python: String(said.python), sameCore: said.sameCore === true });
    else if (line.trim() !== '') lastWords = line.trim().slice(0, 300);
  });
  child.process.stderr?.on('data', chunk => lines.add(chunk));
  const timer = setTimeout(() => child.signal('SIGKILL'), START_TIMEOUT_MS);
  started.then(() => clearTimeout(timer));
  const ended = child.ended.then(end => {
    clearTimeout(timer);
    return describeEnd(end, lastWords);
  });
  return { child, ready: Promise.race([started, ended.then(refusal => ({ refusal }))]), ended };
}

/** @param {ChildEnd} end @param {string} lastWords */
function describeEnd({ exitCode, signal, error }, lastWords) {
  if (error) return `the recorder could not be started: ${error.message}`;
  if (signal) return `the recorder was ended by ${signal}`;
  return lastWords || `the recorder ended with code ${exitCode}`;
}
