/** A real ASGI server for tests, ended with the test. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../lib/base/process/child.js';
import { readStartTicks } from '../../lib/base/process/process-table.js';
import { listWorkers } from '../../lib/record/target/process-family.js';
import { findPython } from '../../research/shares/start-server.js';
import { FIXTURES, findFreePort, killIfAlive } from './gunicorn.js';
import { COMPANION } from './joined-companion.js';
import { makeTempFolder } from './temp-folder.js';

/** Arguments that give a server its address. @type {Record<string, (port: number) => string[]>} */
const ADDRESSES = {
  uvicorn: port => ['--port', `${port}`],
  hypercorn: port => ['-b', `127.0.0.1:${port}`],
  granian: port => ['--interface', 'asgi', '--port', `${port}`],
  'aiohttp.web': port => ['-H', '127.0.0.1', '-P', `${port}`],
  gunicorn: port => ['-b', `127.0.0.1:${port}`, '--no-control-socket'],
};

/**
 * @param {{after: (end: () => unknown) => void}} t
 * @param {{server?: string, args?: string[], app?: string, modules?: string[], env?: Record<string, string>, isNew?: boolean}} [options]
 *   `isNew`: on Python 3.15
 */
export async function startAsgi(
  t,
  {
    server = 'uvicorn',
    args = [],
    app = 'companion_asgi:app',
    modules = ['fastapi'],
    env = { LOADFLAME: '1' },
    isNew = false,
  } = {},
) {
  const log = path.join(makeTempFolder(t), 'log');
  const port = await findFreePort();
  const python = findPython([server, ...modules], isNew);
  const address = ADDRESSES[server]?.(port) ?? [];
  const output = openSync(log, 'w');
  const child = startChild(python, ['-m', server, ...args, ...address, app], {
    cwd: FIXTURES,
    stdout: output,
    stderr: output,
    env: { PYTHONPATH: `${COMPANION}:${FIXTURES}`, PYTHONDONTWRITEBYTECODE: '1', ...env },
  });
  closeSync(output);
  t.after(async () => {
    // workers of a master that had to be killed live on
    const workers = listWorkers(child.pid).map(pid => ({ pid, startTicks: readStartTicks(pid) }));
    await child.stop({ signal: 'SIGINT', graceMs: 5000 });
    for (const { pid, startTicks } of workers) killIfAlive(pid, startTicks);
  });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; !(await answers(url)); tries++) {
    if (tries > 1000 || !child.isAlive())
      throw new Error(`no answer: ${readFileSync(log, 'utf8')}`);
    await sleep(50);
  }
  return { url, port, pid: child.pid, log };
}

/** @param {string} url */
function answers(url) {
  return fetch(url, { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  );
}

/** What the companion answers with: total, cpu, blocked, blocked-cpu, host and pid of the worker, around. */
export const TIMING =
  /^total;dur=([\d.]+), (?:cpu;dur=([\d.]+), )?(?:blocked;dur=([\d.]+), blocked-cpu;dur=([\d.]+), )?worker;desc="([0-9a-f]{8}-\d+)\.(\d+)"(?:, around;dur=([\d.]+))?, now;dur=(\d{13}\.\d), companion;desc="[\d.]+"(?:, pools;desc="[^"]+")?(?:, gc;desc="[^"]+")?(?:, paused;dur=[\d.]+)?(?:, blocker;dur=[\d.]+;desc="[^"]+")*(?:, route;desc="\/[^"]*")?$/;

/** @param {string} url */
export async function timingOf(url) {
  const response = await fetch(url);
  const body = await response.text();
  const timing = response.headers.get('server-timing') ?? '';
  const match = TIMING.exec(timing) ?? [];
  const [totalMs, cpuMs, blockedMs, blockedCpuMs, aroundMs] = [...match.slice(1, 5), match[7]].map(
    text => (text === undefined ? null : Number(text)),
  );
  return { response, body, timing, totalMs, cpuMs, blockedMs, blockedCpuMs, aroundMs };
}
