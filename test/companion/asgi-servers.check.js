/** `npm run test:slow servers`: the companion under each ASGI server, and in Django. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listWorkers } from '../../lib/record/target/process-family.js';
import { startAsgi, TIMING, timingOf } from '../helpers/asgi.js';
import { measureIdle, readCpuMs, readSettledCpuMs } from '../helpers/cpu-truth.js';
import { needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SERVERS = [
  { server: 'uvicorn', args: ['--workers', '2', '--loop', 'asyncio', '--http', 'h11'] },
  { server: 'hypercorn' },
  { server: 'granian' },
  { server: 'gunicorn', args: ['-k', 'uvicorn_worker.UvicornWorker'], modules: ['uvicorn_worker'] },
  { server: 'gunicorn', args: ['-k', 'asgi'] },
];
for (const { server, args = [], modules = [] } of SERVERS) {
  const title = `the line in the app is enough under ${[server, ...args].join(' ')}`;
  test(title, { skip: needsModules(server, 'fastapi', ...modules) }, async t => {
    const { url } = await startAsgi(t, { server, args, modules: ['fastapi', ...modules] });
    const { timing, body } = await timingOf(`${url}/pid`);
    assert.equal(TIMING.exec(timing)?.[6], body);
    await timingOf(`${url}/plain/0`);
    assert.ok(Number((await timingOf(`${url}/plain/20`)).cpuMs) >= 20);
  });
}

test('gunicorn’s configuration wraps the app of a uvicorn worker, once', {
  skip: needsModules('gunicorn', 'uvicorn_worker', 'fastapi'),
}, async t => {
  const config = path.join(makeTempFolder(t), 'gunicorn.conf.py');
  writeFileSync(config, 'import loadflame_companion\n');
  const args = ['-c', config, '-k', 'uvicorn_worker.UvicornWorker'];
  const modules = ['fastapi', 'uvicorn_worker'];
  for (const app of ['companion_asgi:app', 'companion_asgi:bare']) {
    const { url } = await startAsgi(t, { server: 'gunicorn', args, modules, app });
    assert.match((await timingOf(`${url}/pid`)).timing, TIMING);
  }
});

test('Django’s views are measured, those in its thread, too', {
  skip: needsModules('uvicorn', 'django'),
}, async t => {
  const { url } = await startAsgi(t, { app: 'companion_django:app', modules: ['django'] });
  for (const name of ['plain', 'awaits']) {
    await timingOf(`${url}/${name}/0`);
    const { cpuMs, body } = await timingOf(`${url}/${name}/40`);
    assert.equal(body, 'ok');
    assert.ok(Number(cpuMs) >= 40 && Number(cpuMs) < 50, `${name}: ${cpuMs} ms of CPU`);
  }
});

/** @param {string} url @param {http.Agent} agent @returns {Promise<number>} CPU ms that the answer tells */
function askMs(url, agent) {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, response => {
      const match = TIMING.exec(String(response.headers['server-timing'])) ?? [];
      response.resume().on('end', () => resolve(Number(match[2]) + Number(match[7])));
    });
    request.on('error', reject);
  });
}

for (const args of [[], ['--loop', 'asyncio', '--http', 'h11']])
  test(`all that uvicorn ${args.join(' ')} spends on light requests is told with them`, {
    skip: needsModules('uvicorn', 'fastapi', 'uvloop', 'httptools'),
  }, async t => {
    const { url, pid } = await startAsgi(t, { args: ['--workers', '2', ...args] });
    const pids = listWorkers(pid);
    await timingOf(`${url}/light`);
    const idle = await measureIdle(pids);
    for (const name of ['light', 'plain-light'])
      for (const keepAlive of [true, false]) {
        const agent = new http.Agent({ keepAlive });
        for (let times = 0; times < 20; times++) await askMs(`${url}/${name}`, agent);
        const [beforeMs, startMs] = [readCpuMs(pids), performance.now()];
        let toldMs = 0;
        for (let times = 0; times < 200; times++) toldMs += await askMs(`${url}/${name}`, agent);
        const mostMs = readCpuMs(pids) - beforeMs;
        const leastMs = mostMs - idle * (performance.now() - startMs);
        agent.destroy();
        const told = `${name}, ${keepAlive ? 'one connection' : 'a connection each'}: told ${toldMs.toFixed(0)} ms of ${leastMs.toFixed(0)} to ${mostMs.toFixed(0)}`;
        t.diagnostic(told);
        assert.ok(toldMs > leastMs * 0.85 && toldMs < mostMs * 1.15, told);
      }
  });

for (const loop of ['asyncio', 'uvloop'])
  test(`what 5 MB of a response cost is not charged to the next request, on ${loop}`, {
    skip: needsModules('uvicorn', 'fastapi', loop),
  }, async t => {
    const { url, pid } = await startAsgi(t, { app: 'wsgi_in_asgi:app', args: ['--loop', loop] });
    const rows = ['small', 'large'].map(name => ({ name, toldMs: 0, leastMs: 0, mostMs: 0 }));
    for (const { name } of rows) for (let n = 0; n < 5; n++) await timingOf(`${url}/${name}`);
    const idle = await measureIdle([pid]);
    let atMs = await readSettledCpuMs([pid]);
    for (let round = 0; round < 40; round++)
      for (const row of rows) {
        const startMs = performance.now();
        const { cpuMs, aroundMs } = await timingOf(`${url}/${row.name}`);
        const nowMs = await readSettledCpuMs([pid]);
        row.toldMs += Number(cpuMs) + Number(aroundMs);
        row.mostMs += nowMs - atMs;
        row.leastMs += nowMs - atMs - idle * (performance.now() - startMs);
        atMs = nowMs;
      }
    for (const { name, toldMs, leastMs, mostMs } of rows) {
      const told = `${name}: ${toldMs.toFixed(1)} ms of ${leastMs.toFixed(1)} to ${mostMs.toFixed(1)}`;
      t.diagnostic(told);
      assert.ok(toldMs > leastMs * 0.85 && toldMs < mostMs * 1.15, told);
    }
  });

for (const BACKGROUND of ['start', 'task', 'early task', 'timer', 'thread'])
  test(`what an app burns in the background is no request’s: ${BACKGROUND}`, {
    skip: needsModules('uvicorn', 'fastapi'),
  }, async t => {
    const args = ['--workers', '2'];
    const { url, pid } = await startAsgi(t, { args, env: { LOADFLAME: '1', BACKGROUND } });
    const pids = listWorkers(pid);
    let toldMs = 0;
    const [beforeMs, startMs] = [readCpuMs(pids), performance.now()];
    for (let times = 0; times < 40; times++) {
      const { cpuMs, aroundMs } = await timingOf(`${url}/light`);
      toldMs += Number(cpuMs) + Number(aroundMs);
      await sleep(25);
    }
    const [usedMs, spanMs] = [readCpuMs(pids) - beforeMs, performance.now() - startMs];
    const told = `told ${toldMs.toFixed(0)} of ${usedMs.toFixed(0)} ms`;
    t.diagnostic(told);
    // A fifth of the time in each worker, less what a busy machine takes from it.
    const burntMs = BACKGROUND === 'start' ? 0 : spanMs * 0.2;
    assert.ok(toldMs > 10 && toldMs < usedMs - burntMs, told);
    assert.ok(toldMs / 40 < 4, told);
  });
