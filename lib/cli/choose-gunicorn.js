/** Which gunicorn to profile: where there are several, the person decides and never chance. */
import { createInterface } from 'node:readline/promises';
import { readGunicornPlace } from '../config/read-config.js';
import { LoadflameError } from '../errors.js';
import { findGunicorn } from '../target/find-gunicorn.js';

/** @import { Config } from '../config/read-config.js' */

/**
 * @param {Config} config
 * @returns {Promise<Awaited<ReturnType<typeof findGunicorn>>>}
 * @throws {LoadflameError} GUNICORN_…, INTERRUPTED
 */
export async function chooseGunicorn(config) {
  const where = readGunicornPlace(config);
  try {
    return await findGunicorn(where);
  } catch (error) {
    if (!(error instanceof LoadflameError) || error.code !== 'GUNICORN_AMBIGUOUS') throw error;
    if (!process.stdin.isTTY || !process.stderr.isTTY) throw error;
    process.stderr.write(`${error.message}\n`);
    const answer = await ask('pid of the gunicorn to profile: ');
    if (!/^\d+$/.test(answer)) throw error;
    return findGunicorn({ ...where, pid: Number(answer) });
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
