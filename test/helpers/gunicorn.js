/** A real gunicorn for tests, with an application that burns CPU on request; ended with the test. */
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../lib/base/process/child.js';
import { isSameProcess, readStartTicks } from '../../lib/base/process/process-table.js';
import { listWorkers } from '../../lib/record/target/process-family.js';
import { makeTempFolder } from './temp-folder.js';

const BIN = path.resolve(import.meta.dirname, '../../.venv/bin');
export const GUNICORN = path.join(BIN, 'gunicorn');
export const PYTHON = path.join(BIN, 'python');
export const FIXTURES = path.resolve(import.meta.dirname, '../fixtures');

/**
 * @param {{after: (end: () => unknown) => void}} t
 * @param {{workers?: number, args?: string[], command?: string[], env?: Record<string, string>, app?: string}} [options]
 *   `command` replaces the path of gunicorn
 */
export async function startGunicorn(
  t,
  { workers = 2, args = [], command = [GUNICORN], env, app = 'burn_app:app' } = {},
) {
  const folder = makeTempFolder(t);
  const port = await findFreePort();
  const pidFile = path.join(folder, 'pid');
  const given = args.indexOf('--control-socket') + 1;
  const controlSocket = given ? String(args[given]) : path.join(folder, 'ctl');
  const all = ['-w', `${workers}`, '-b', `127.0.0.1:${port}`, '-p', pidFile];
  all.push('--control-socket', controlSocket, '--chdir', FIXTURES, ...args, app);
  const log = openSync(path.join(folder, 'log'), 'w');
  const child = startChild(command[0] ?? GUNICORN, [...command.slice(1), ...all], {
    stdout: 'ignore',
    stderr: log,
    env,
  });
  closeSync(log);
  /** @type {Map<number, number | null>} */
  const seen = new Map();
  const look = () => {
    for (const pid of listWorkers(child.pid)) seen.set(pid, readStartTicks(pid));
  };
  t.after(async () => {
    look();
    // Workers of a master that was killed serve on as long as they are kept busy.
    if (!child.isAlive()) for (const worker of seen) killIfAlive(...worker);
    await child.stop({ signal: 'SIGINT', graceMs: 3000 });
    for (const worker of seen) killIfAlive(...worker);
  });
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; !(listWorkers(child.pid).length >= workers && (await answers(url))); i++) {
    if (i > 2000 || !child.isAlive()) {
      throw new Error(`gunicorn did not start: ${readFileSync(path.join(folder, 'log'), 'utf8')}`);
    }
    await sleep(50);
  }
  if (!args.includes('--no-control-socket')) {
    await waitUntil(() => existsSync(controlSocket), 'the control socket');
  }
  look();
  return { masterPid: child.pid, child, port, url, folder, pidFile, controlSocket };
}

/**
 * Keeps every worker busy until the test is over.
 * @param {import('node:test').TestContext} t @param {string} url @param {number} [clients]
 * @param {number} [pauseMs] of each client between two requests: what needs samples only leaves CPU to other tests
 */
export function keepBusy(t, url, clients = 2, pauseMs = 0) {
  let over = false;
  const loops = Array.from({ length: clients }, async () => {
    while (!over) {
      // a worker that is killed may end in the middle of an answer, too
      await fetch(`${url}/burn/50`, { signal: AbortSignal.timeout(3000) })
        .then(response => response.text())
        .then(() => sleep(pauseMs))
        .catch(() => sleep(20));
    }
  });
  const stop = async () => {
    over = true;
    await Promise.all(loops);
  };
  t.after(stop);
  return stop;
}

/** @param {number} pid of a process that the test started @param {number | null} startTicks of then */
export function killIfAlive(pid, startTicks) {
  if (!isSameProcess(pid, startTicks)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the two lines.
  }
}

/** It ends a test that hangs, and none on a busy machine. */
export const PATIENCE_MS = 120_000;

/** @param {() => unknown} condition @param {string} [what] @param {number} [timeoutMs] */
export async function waitUntil(condition, what = String(condition), timeoutMs = PATIENCE_MS) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
}

/** @param {string} url */
function answers(url) {
  return fetch(url, { signal: AbortSignal.timeout(500) }).then(
    response => response.ok,
    () => false,
  );
}

/** @returns {Promise<number>} */
export async function findFreePort() {
  const server = createServer();
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** @param {string} folder @param {string} text */
export function writePidFile(folder, text) {
  const file = path.join(folder, 'some.pid');
  writeFileSync(file, text);
  return file;
}
