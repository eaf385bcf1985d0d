/** Which server to profile: where there are several, the person decides and never chance. */
import { createInterface } from 'node:readline/promises';
import { readServerPlace } from '../config/read-config.js';
import { LoadflameError } from '../errors.js';
import { findServer } from '../target/find-server.js';
import { keepPlain } from './io.js';

/** @import { Config } from '../config/read-config.js' */

/**
 * @param {Config} config
 * @param {number | null} [childPid] a process that we started and that is, or started, the server
 * @param {string | null} [target] of the script, if it is another than the setting's
 * @returns {Promise<Awaited<ReturnType<typeof findServer>>>}
 * @throws {LoadflameError} SERVER_…, INTERRUPTED
 */
export async function chooseServer(config, childPid = null, target = null) {
  const where = { ...readServerPlace(config), childPid, ...(target && { target }) };
  try {
    return await findServer(where);
  } catch (error) {
    if (!(error instanceof LoadflameError) || error.code !== 'SERVER_AMBIGUOUS') throw error;
    if (!process.stdin.isTTY || !process.stderr.isTTY) throw error;
    keepPlain(process.stderr).write(`${error.message}\n`);
    const answer = await ask('pid of the server to profile: ');
    if (!/^\d+$/.test(answer)) throw error;
    return findServer({ ...where, pid: Number(answer) });
  }
}

/** @param {string} question */
async function ask(question) {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question)).trim();
  } catch (cause) {
    // Ctrl+C is a key here and no signal, for the terminal is in raw mode.
    throw new LoadflameError('INTERRUPTED', {}, { cause });
  } finally {
    lines.close();
  }
}
