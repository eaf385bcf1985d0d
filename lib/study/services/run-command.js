import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { LoadflameError } from '../../errors.js';
import { openToAppend } from '../../files/own-files.js';
import { interruptible } from '../../process/interruptible.js';
import { startGroup } from './start-group.js';

/** @import { ChildEnd } from '../../process/child.js' */
/** @import { Surroundings } from './start-group.js' */

const TIMEOUT_MS = 120_000;

/**
 * Runs a command to its end. What it leaves running ends with it.
 * @param {string[]} command
 * @param {Surroundings} surroundings
 * @param {{owner: string, install?: string | null, signal: AbortSignal, timeoutMs?: number}} options
 *   `owner`: whose command it is, for messages
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING, STUDY_COMMAND_FAILED, INTERRUPTED
 */
export async function runCommand(command, surroundings, options) {
  const { owner, install = null, signal, timeoutMs = TIMEOUT_MS } = options;
  requireProgram(command, surroundings, { owner, install });
  const from = measureLog(surroundings.log);
  const group = startGroup(command, surroundings);
  const timer = AbortSignal.timeout(timeoutMs);
  const tooLate = new Promise(resolve => {
    timer.addEventListener('abort', () => resolve(null), { once: true });
  });
  /** @type {ChildEnd | null} */
  let end;
  try {
    end = await interruptible(signal, Promise.race([group.ended, tooLate]));
  } finally {
    await group.stop();
  }
  if (end?.exitCode === 0) return;
  throw new LoadflameError('STUDY_COMMAND_FAILED', {
    owner,
    command: command.join(' '),
    end: end ? describeEnd(end) : `not done after ${timeoutMs / 1000} s`,
    tail: tailLog(surroundings.log, from),
  });
}

/**
 * @param {string[]} command
 * @param {{env: Record<string, string>, cwd: string}} surroundings
 * @param {{owner: string, install: string | null}} whose `install`: Debian package
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING
 */
export function requireProgram([program = ''], surroundings, { owner, install }) {
  if (findProgram(program, surroundings)) return;
  const how = install
    ? `\`apt-get install ${install}\` on Debian and Ubuntu`
    : 'put it on the PATH';
  throw new LoadflameError('STUDY_PROGRAM_MISSING', { program, owner, how });
}

/**
 * Where a program is, as `execvp` would find it.
 * @param {string} program a name, or a path (relative to `cwd`)
 * @param {{env: Record<string, string>, cwd: string}} surroundings
 * @returns {string | null}
 */
export function findProgram(program, { env, cwd }) {
  const folders = program.includes('/') ? [''] : (env.PATH ?? '').split(':');
  return (
    folders.map(folder => path.resolve(cwd, folder, program)).find(file => isExecutable(file)) ??
    null
  );
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

const MOST_BYTES = 256 * 1024;
const TAIL_LINES = 15;

/** @param {string} file @returns {number} bytes; 0 where there is none */
export function measureLog(file) {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What was written since then, of much only the end. @param {string} file @param {number} fromByte */
export function readLogFrom(file, fromByte) {
  const log = openSync(file, 'r');
  try {
    const { size } = fstatSync(log);
    const start = Math.max(fromByte, size - MOST_BYTES);
    const bytes = Buffer.alloc(Math.max(size - start, 0));
    return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, start));
  } finally {
    closeSync(log);
  }
}

/** @param {string} file @param {number} fromByte @returns {string} the last lines, or that there are none */
export function tailLog(file, fromByte) {
  const lines = readLogFrom(file, fromByte).trimEnd().split('\n').slice(-TAIL_LINES);
  return lines.join('\n') || '(it said nothing)';
}

/**
 * What programs said goes to the folder of the study without secrets, when they have ended: until then it
 * is in a temporary file of ours. A log that can't be written is lost, and keeps nothing from being stopped.
 * @param {string} from is removed @param {string} to it is added to what is there
 * @param {(text: string) => string} redact
 */
export async function publishLog(from, to, redact) {
  if (!existsSync(from)) return;
  const input = createReadStream(from);
  let log = null;
  try {
    log = openToAppend(to);
    for await (const line of createInterface({ input, crlfDelay: Infinity }))
      writeSync(log, `${redact(line)}\n`);
    rmSync(from);
  } catch {
    input.destroy();
  } finally {
    if (log !== null) closeSync(log);
  }
}

/** @param {ChildEnd} end @returns {string} `exit code 1` */
export function describeEnd({ exitCode, signal, error }) {
  if (error) return error.message;
  return signal ? `signal ${signal}` : `exit code ${exitCode}`;
}
