/** Starts the server of a bench, and waits until it responds. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../lib/base/process/child.js';
import { findFreePort } from './bench/servers/find-free-port.js';

const ROOT = path.resolve(import.meta.dirname, '..');
const APP = /^[\w.]+:\w+$/;
/** Also has `with_companion`. */
const LIBRARIES = [path.join(ROOT, 'research/bottlenecks'), path.join(ROOT, 'companion')];

const START_TIMEOUT_MS = 60_000;
/** Requests in progress may take so long. */
const STOP_MS = 30_000;

/**
 * @template T
 * @typedef {object} AppOptions
 * @property {string} cwd
 * @property {Record<string, string | undefined>} env all of it
 * @property {string} [log] file for its output, which otherwise is not kept
 * @property {() => T | Promise<T>} find what shows that it is up; anything false if it is not
 * @property {number} [groupGraceMs] its children are ended with it
 * @property {NodeJS.Signals} [signal] that ends it
 * @property {(child: import('../lib/base/process/child.js').OwnedChild) => void} [onStart]
 */

/**
 * @template T
 * @param {string} program
 * @param {string[]} args
 * @param {AppOptions<T>} options
 * @returns {Promise<{pid: number, found: T, stop: () => Promise<unknown>}>}
 * @throws {Error} with the end of its log, if it is not up in time
 */
export async function startApp(program, args, { find, log, signal, onStart, ...options }) {
  const out = log === undefined ? 'ignore' : openSync(log, 'w');
  const child = startChild(program, args, {
    ...options,
    extendEnv: false,
    stdout: out,
    stderr: out,
  });
  onStart?.(child);
  if (typeof out === 'number') closeSync(out);
  const stop = () => child.stop({ signal, graceMs: STOP_MS });
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadlineMs && child.isAlive()) {
    const found = await find();
    if (found) return { pid: child.pid, found, stop };
    await sleep(50);
  }
  await stop();
  const said = log === undefined ? '' : `: ${readFileSync(log, 'utf8').trimEnd().slice(-1000)}`;
  throw new Error(`${[program, ...args].join(' ')} did not start${said}`);
}

/**
 * Serves an app on a free port of loopback.
 * @param {string} python
 * @param {string[]} command a module of Python and its arguments, with `{port}` unless it is gunicorn or uvicorn
 * @param {Omit<AppOptions<unknown>, 'find'> & {companion?: boolean, route?: string}} options `companion`: around the app;
 *   `route`: gives a response below 400 when it is up, else it is up when it listens
 * @returns {Promise<{url: string, pid: number, stop: () => Promise<unknown>}>}
 */
export async function serveApp(python, [module = '', ...args], { companion, route, ...options }) {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const app = args.findLastIndex(arg => APP.test(arg));
  const own = args.map(arg => arg.replace('{port}', `${port}`));
  const isAsgi = module === 'uvicorn' || module === 'hypercorn';
  if (isAsgi && companion) own[app] = 'with_companion:app';
  if (module === 'gunicorn') own.unshift('-b', `127.0.0.1:${port}`, '--no-control-socket');
  if (module === 'gunicorn' && companion) own.unshift('-c', 'python:loadflame_companion');
  if (module === 'uvicorn') own.unshift('--port', `${port}`, '--log-level', 'warning');
  const { pid, stop } = await startApp(python, ['-m', module, ...own], {
    ...options,
    env: {
      ...process.env,
      APP: args[app]?.split(':')[0],
      PYTHONPATH: [options.cwd, ...LIBRARIES].join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...(companion && { LOADFLAME: '1' }),
      ...options.env,
    },
    find: () => (route === undefined ? isOpen(port) : responds(`${url}${route}`)),
  });
  return { url, pid, stop };
}

/**
 * Serves what an app calls: `other_service.py`.
 * @param {string} python
 * @param {{answers: Record<string, {json: unknown, delay?: number}>, atOnce?: number, refuses?: boolean}} service `answers`:
 *   by path, `*` for any other; `delay`: seconds; `atOnce`: requests; `refuses`: those that are more
 * @returns {Promise<{url: string, stop: () => Promise<unknown>}>}
 */
export async function startOther(python, { answers, atOnce = 1000, refuses = false }) {
  const port = await findFreePort();
  const args = [port, answers, atOnce, refuses].map(value => JSON.stringify(value));
  const { stop } = await startApp(python, ['other_service.py', ...args], {
    cwd: import.meta.dirname,
    env: process.env,
    find: () => isOpen(port),
  });
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** @param {number} port @returns {Promise<boolean>} whether something listens on it */
export function isOpen(port) {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });
}

/** @param {string} url @returns {Promise<boolean>} whether it gives a response below 400 */
export async function responds(url) {
  return (await fetch(url).catch(() => null))?.ok === true;
}
