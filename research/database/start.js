/** Starts an app of the bench, with the companion and with the clocks of the bench. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemo } from '../../demo/start.js';
import { findFreePort } from '../bench/servers/find-free-port.js';
import { APPS, LIBRARIES } from './apps.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const START_TIMEOUT_MS = 30_000;
const WORKERS = 2;
const THREADS = 4;

/** @typedef {{url: string, env: Record<string, string>, stop: () => Promise<void>}} Server `env`: of the load test */

/**
 * @param {import('./apps.js').App} app
 * @param {{python: string, log: string, env: Record<string, string>}} options
 * @returns {Promise<Server>}
 * @throws {Error} with the end of the app's log
 */
export async function startApp(app, { python, log, env }) {
  if (app.server === 'demo') return startTracedDemo(env);
  const port = await findFreePort();
  const address = `127.0.0.1:${port}`;
  const args =
    app.server === 'uvicorn'
      ? ['uvicorn', '--port', `${port}`, '--log-level', 'warning', `${app.name}:app`]
      : ['gunicorn', '-c', 'python:loadflame_companion', '-w', `${WORKERS}`, '-k', 'gthread'];
  if (app.server === 'gunicorn')
    args.push('--threads', `${THREADS}`, '-b', address, '--no-control-socket', `${app.name}:app`);
  const out = openSync(log, 'a');
  const child = spawn(python, ['-m', ...args], {
    cwd: APPS,
    stdio: ['ignore', out, out],
    env: {
      ...process.env,
      PYTHONPATH: [APPS, LIBRARIES, path.join(ROOT, 'companion')].join(':'),
      ...env,
    },
  });
  closeSync(out);
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  const url = `http://${address}`;
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (!(await fetch(`${url}${app.paths[0]}`).catch(() => null))?.ok) {
    if (Date.now() > deadlineMs || child.exitCode !== null) {
      await stop();
      throw new Error(`${app.name} did not start: ${readFileSync(log, 'utf8').slice(-1000)}`);
    }
    await sleep(100);
  }
  return { url, env: {}, stop };
}

/** SQLite's trace is on. @param {Record<string, string>} env @returns {Promise<Server>} */
async function startTracedDemo(env) {
  const demo = await startDemo({
    auth: 'cached',
    companion: Boolean(env.LOADFLAME),
    threads: THREADS,
    env: { PYTHONPATH: LIBRARIES, ...env },
  });
  return { url: demo.apiUrl, env: demo.env, stop: demo.stop };
}
