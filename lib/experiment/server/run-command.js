/** Runs a study's command to its end, and handles the output of programs. */
import {
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../base/errors.js';
import { makeFolder, openToAppend } from '../../base/files/own-files.js';
import { interruptible } from '../../base/process/interruptible.js';
import { startGroup } from './start-group.js';

/** @import { ChildEnd } from '../../base/process/child.js' */
/** @import { Surroundings } from './start-group.js' */

/** Commands may pull images, or start pods in batches. */
const TIMEOUT_MS = 600_000;
/** A shell's exit code for a missing program. */
const NOT_FOUND = 127;

/** @param {string} line @returns {string[]} the program and arguments that run it */
export const shell = line => ['/bin/sh', '-c', line];

/**
 * Runs a command to its end, and ends whatever it leaves running.
 * @param {string} command line for the shell
 * @param {Surroundings} surroundings
 * @param {{owner: string, signal: AbortSignal}} options `owner`: whose command it is, for messages
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING, STUDY_COMMAND_FAILED, INTERRUPTED
 */
export async function runCommand(command, surroundings, { owner, signal }) {
  const group = startGroup(shell(command), surroundings);
  const tooLate = sleep(TIMEOUT_MS, null, { ref: false });
  /** @type {ChildEnd | null} */
  let end;
  try {
    end = await interruptible(signal, Promise.race([group.ended, tooLate]));
  } finally {
    await group.stop();
  }
  if (end?.exitCode === 0) return;
  const tail = tailLog(surroundings.log);
  refuseMissing(end, owner, tail);
  throw new LoadflameError('STUDY_COMMAND_FAILED', {
    owner,
    end: end ? describeEnd(end) : `not done after ${TIMEOUT_MS / 1000} s`,
    tail,
  });
}

/**
 * @param {ChildEnd | null} end of a shell @param {string} owner @param {string} tail of its output
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING
 */
export function refuseMissing(end, owner, tail) {
  if (end?.exitCode === NOT_FOUND)
    throw new LoadflameError('STUDY_PROGRAM_MISSING', { owner, tail });
}

const MOST_BYTES = 256 * 1024;
const TAIL_LINES = 15;

/** A program's output; only the end if it is long. @param {string} file */
export function readLog(file) {
  const log = openSync(file, 'r');
  try {
    const { size } = fstatSync(log);
    const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
    return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(log);
  }
}

/** The end of a program's output. @param {string} file */
export const tailLog = file => tailOf(readLog(file).trimEnd().split('\n'));

/** @param {string[]} lines @returns {string} the last of them, or a note that there are none */
export const tailOf = lines => lines.slice(-TAIL_LINES).join('\n') || '(no output)';

/**
 * Moves the output of programs that have ended to the study's folder, without secrets; until then it is in a temporary
 * file of ours. A log that can't be written is lost, and never prevents a stop.
 * @param {string} from gets removed @param {string} to is appended to
 * @param {(text: string) => string} redact
 */
export async function publishLog(from, to, redact) {
  if (!existsSync(from)) return;
  let log = null;
  try {
    makeFolder(path.dirname(to));
    log = openToAppend(to);
    const lines = createInterface({ input: createReadStream(from), crlfDelay: Infinity });
    for await (const line of lines) writeSync(log, `${redact(line)}\n`);
  } catch {
    // The log is lost.
  } finally {
    if (log !== null) closeSync(log);
    rmSync(from);
  }
}

/** @param {ChildEnd} end @returns {string} `exit code 1` */
export function describeEnd({ exitCode, signal, error }) {
  if (error) return error.message;
  return signal ? `signal ${signal}` : `exit code ${exitCode}`;
}
