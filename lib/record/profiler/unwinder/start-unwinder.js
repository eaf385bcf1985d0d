/**
 * Runs our own recorder (`cores.py` and `recorder.py`), for targets on Python 3.15 and newer: one process for all of the target's,
 * which never pauses them and writes continuously.
 */
import { closeSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openToAppend } from '../../../base/files/own-files.js';
import { parseOrNull } from '../../../base/files/parse-json.js';
import { createLineSplitter } from '../../../base/files/split-lines.js';
import { pickVariables } from '../../../base/process/bare-environment.js';
import { startChild } from '../../../base/process/child.js';
import { readVariable } from '../../../base/process/process-table.js';
import { makeTempFolder } from '../../../base/process/temp-folder.js';
import { isPythonName } from '../../target/server-kinds.js';

/** @import { ChildEnd, OwnedChild } from '../../../base/process/child.js' */
/** @import { RunFiles } from '../../../run/run-folder.js' */

const OWN = { name: 'loadflame', hasTimes: true, seesWaiting: true };
/** One program: it imports nothing that its user may not have access to. */
export const SCRIPT = ['cores.py', 'recorder.py']
  .map(name => readFileSync(path.join(import.meta.dirname, name), 'utf8'))
  .join('');
const [LEAST_MAJOR, LEAST_MINOR] = [3, 15];
/** It takes 0.1 s; the rest is for a busy machine. */
const START_TIMEOUT_MS = 10_000;
/** Gives up after this many failures in a row. */
const MOST_FAILURES = 5;
const RETRY_MS = 200;

/**
 * A second of the recording, as the recorder reports it.
 * @typedef {object} SampledSecond
 * @property {string} file
 * @property {number} startMs epoch
 * @property {number} endMs
 * @property {number} samples stacks of running threads
 * @property {number} looks samples of a process
 * @property {number} errors failed samples, each after three tries
 * @property {number} missedMs time in which it could not sample
 */

/**
 * The code on the stacks of a second.
 * @typedef {object} SeenCode
 * @property {[name: string, file: string, line: number, samples: number][]} lines the innermost frames
 * @property {[name: string, file: string][]} functions seen for the first time
 */

/**
 * @typedef {object} UnwinderOptions
 * @property {number} rootPid
 * @property {number} rateHz
 * @property {Pick<RunFiles, 'samples'>} files
 * @property {(second: SampledSecond) => void} onSegment
 * @property {(seen: SeenCode) => void} [onCode]
 * @property {(pid: number) => void} [onProcess] it samples this process from now on
 * @property {(reason: string) => void} onDied it ended by itself, or failed to restart
 * @property {() => string | null} whyOver called when it ended by itself: why there is nothing left to record
 */

/** @typedef {{python: string, sameCore: boolean}} Start `sameCore`: it samples from the core where the target runs */

/**
 * @typedef {object} Unwinder
 * @property {{recorder: import('../../../run/facts/records.d.ts').Recorder, python: string}} about for the index
 * @property {() => number[]} pids
 * @property {(reason?: string) => Promise<string>} stop idempotent; the first reason counts
 * @property {Promise<string>} ended why it ended; never rejects
 */

/**
 * Starts it and waits until it has sampled each process once. It relies on a private module of Python: anything
 * unexpected there is a refusal, so that the caller can use another recorder.
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

  /** Restarts a recorder that ended by itself. @returns {Promise<boolean>} whether one runs again */
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
 * Whether it can record this process: samples it briefly.
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
 * The interpreter of a process, and the user to run it as: root never runs code of another user.
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
      env: { ...pickVariables(), ...(libraries && { LD_LIBRARY_PATH: libraries }) },
      owner: process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : {},
    };
  } catch (error) {
    return { refusal: /** @type {Error} */ (error).message };
  }
}

/**
 * @param {Interpreter} interpreter @param {string[]} args @param {string} file receives the samples
 * @param {object} listeners
 * @param {(second: Omit<SampledSecond, 'file'>, code: SeenCode) => void} listeners.onSecond
 * @param {(pid: number) => void} listeners.onProcess
 * @returns {{child: OwnedChild, ready: Promise<Start | {refusal: string}>, ended: Promise<string>}}
 */
function launchRecorder({ program, env, owner }, args, file, { onSecond, onProcess }) {
  // An open file: its user may not have access to the path, and a pipe would break if we end.
  const samples = /** @type {1} */ (openToAppend(file));
  // -I -S -B: imports nothing from the target's environment and packages, and writes nothing.
  const child = startChild(program, ['-I', '-S', '-B', '-', ...args], {
    stdin: 'pipe',
    stdout: samples,
    extendEnv: false,
    env,
    ...owner,
  });
  closeSync(samples);
  // How it ended says more than that it did not read this.
  child.process.stdin?.on('error', () => {}).end(SCRIPT);
  /** @type {PromiseWithResolvers<Start>} */
  const { promise: started, resolve } = Promise.withResolvers();
  let lastWords = '';
  const lines = createLineSplitter(line => {
    // Other lines come from the interpreter itself.
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
