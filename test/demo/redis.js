/** A real Redis for tests, and the demo's API without an identity provider. */
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../../demo/program.js';
import { startApi } from '../../demo/start-api.js';
import { findFreePort } from '../helpers/gunicorn.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const API_DIR = fileURLToPath(new URL('../../demo/api', import.meta.url));
const START_TIMEOUT_MS = 120_000;

export const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));

/**
 * What ends with a test, or with all tests of a file.
 * @typedef {{after: (stop: () => unknown) => void}} Owner
 */

/**
 * To be called at the top of a test file whose tests share what they start.
 * @returns {Owner}
 */
export function ownUntilEndOfFile() {
  /** @type {(() => unknown)[]} */
  const stops = [];
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });
  return { after: stop => stops.push(stop) };
}

/**
 * @param {Owner} t ends with it
 * @returns {Promise<{url: string, stop: () => Promise<void>}>}
 */
export async function startRedis(t) {
  const port = String(await findFreePort());
  const dir = makeTempFolder(t);
  const args = ['--bind', '127.0.0.1', '--port', port, '--save', '', '--dir', dir];
  const program = await startProgram('Redis', 'redis-server', args, {
    logFile: join(dir, 'redis.log'),
    env: {},
  });
  t.after(program.stop);
  await program.waitFor(
    async log => /Ready to accept connections/.test(log) || undefined,
    START_TIMEOUT_MS,
  );
  return { url: `redis://127.0.0.1:${port}/0`, stop: program.stop };
}

/**
 * @param {Owner} t ends with it
 * @param {Record<string, string>} [env] settings of the API
 * @param {{workers?: number, threads?: number}} [options]
 * @returns {Promise<{api: string, dir: string}>} `api` ends in `/api/v1`
 */
export async function startLoneApi(t, env = {}, options = {}) {
  const dir = makeTempFolder(t);
  const api = await startApi({ auth: 'cached', python: PYTHON, dir, env, workers: 1, ...options });
  t.after(api.stop);
  return { api: `${api.url}/api/v1`, dir };
}

/**
 * Starts a program of the API beside it: `worker` or `manager`.
 * @param {Owner} t ends with it
 * @param {string} name @param {Record<string, string>} env
 */
export async function startTaskProgram(t, name, env) {
  const dir = makeTempFolder(t);
  const program = await startProgram(name, PYTHON, ['-m', `queue_management.${name}`], {
    logFile: join(dir, `${name}.log`),
    env: { PYTHONPATH: API_DIR, ...env },
  });
  t.after(program.stop);
  await program.waitFor(async log => /on the queue/.test(log) || undefined, START_TIMEOUT_MS);
  return program;
}

/**
 * A mail server that accepts each message after so many milliseconds.
 * @param {Owner} t ends with it
 * @param {number} delayMs
 * @returns {Promise<string>} host:port
 */
export async function startRelay(t, delayMs) {
  const address = `127.0.0.1:${await findFreePort()}`;
  const handler = ['--class', 'queue_management.relay.Relay', String(delayMs)];
  const args = ['-m', 'aiosmtpd', '--nosetuid', '--debug', '--listen', address, ...handler];
  const program = await startProgram('mail server', PYTHON, args, {
    logFile: join(makeTempFolder(t), 'relay.log'),
    env: { PYTHONPATH: API_DIR },
  });
  t.after(program.stop);
  await program.waitFor(
    async log => /Server is listening/.test(log) || undefined,
    START_TIMEOUT_MS,
  );
  return address;
}
