/** `npm run test:slow servers`: the companion around an app of aiohttp's own server. */
import assert from 'node:assert/strict';
import http from 'node:http';
import path from 'node:path';
import { startAsgi, TIMING, timingOf } from '../../helpers/asgi.js';
import { measureIdle, readCpuMs } from '../../helpers/cpu-truth.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';

const COMPANION = path.resolve(import.meta.dirname, '../../../companion/loadflame_companion.py');
const skip = needsModules('aiohttp');

/** @param {import('node:test').TestContext} t */
const start = t =>
  startAsgi(t, { server: 'aiohttp.web', modules: [], app: 'aiohttp_app:make_app' });

/** @param {Response} response */
const callsOf = response => JSON.parse(response.headers.get('loadflame-calls') ?? 'null');

test('counts the CPU of a handler, its tasks, its threads and the response that it raises', {
  skip,
}, async t => {
  const { url } = await start(t);
  await timingOf(`${url}/light`);
  for (const name of ['plain', 'awaits', 'thread', 'task', 'moved']) {
    const response = await fetch(`${url}/${name}/20`, { redirect: 'manual' });
    await response.text();
    const timing = TIMING.exec(response.headers.get('server-timing') ?? '');
    const cpuMs = Number(timing?.[2]);
    assert.ok(cpuMs >= 20 && cpuMs < 26, `${name}: ${timing?.[0]}`);
    assert.match(timing?.[0] ?? '', new RegExp(`route;desc="/${name}/:id"$`));
  }
});

test('names the statements of a handler and their line', { skip }, async t => {
  const { url } = await start(t);
  const { calls, named } = callsOf(await fetch(`${url}/statements`));
  assert.equal(calls.length, 1);
  const [[id, count]] = calls;
  const { text, file, function: where } = named[id];
  assert.deepEqual([count, text, file, where], [3, 'SELECT ?', 'aiohttp_app.py', 'statements']);
});

test('reports a streamed response before its body, and what that takes with the next one', {
  skip,
}, async t => {
  const { url } = await start(t);
  const first = await timingOf(`${url}/stream/40`);
  assert.equal(first.body, 'streamed');
  assert.deepEqual(first.response.headers.getSetCookie(), ['one=1; Path=/', 'two=2; Path=/']);
  assert.ok(Number(first.cpuMs) < 20, first.timing);
  const { cpuMs, timing } = await timingOf(`${url}/stream/40`);
  assert.ok(Number(cpuMs) >= 40 && Number(cpuMs) < 50, timing);
});

test('names the route of a handler that fails, without its CPU, and none of a path without one', {
  skip,
}, async t => {
  const { url } = await start(t);
  const failed = await timingOf(`${url}/fail`);
  assert.equal(failed.response.status, 500);
  assert.equal(failed.cpuMs, null);
  assert.match(failed.timing, /route;desc="\/fail"$/);
  const missing = await timingOf(`${url}/nowhere`);
  assert.equal(missing.response.status, 404);
  assert.match(missing.timing, TIMING);
  assert.doesNotMatch(missing.timing, /route;/);
});

test('lets WebSockets pass, and gives its headers to no client behind a proxy', {
  skip,
}, async t => {
  const { url } = await start(t);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/echo`);
  await new Promise(resolve => socket.addEventListener('open', resolve));
  socket.send('hello');
  const { data } = await new Promise(resolve => socket.addEventListener('message', resolve));
  socket.close();
  assert.equal(data, 'hello');
  const response = await fetch(`${url}/statements`, { headers: { 'X-Real-IP': '192.0.2.1' } });
  for (const name of ['server-timing', 'loadflame-calls', 'cache-control'])
    assert.equal(response.headers.get(name), null);
});

for (const keepAlive of [true, false])
  test(`reports all that aiohttp’s server spends on requests, ${keepAlive ? 'on one connection' : 'each on its own'}`, {
    skip,
  }, async t => {
    const { url, pid } = await start(t);
    const agent = new http.Agent({ keepAlive });
    const ask = () =>
      new Promise((resolve, reject) => {
        const request = http.get(`${url}/light`, { agent }, response => {
          const timing = TIMING.exec(String(response.headers['server-timing'])) ?? [];
          response.resume().on('end', () => resolve(Number(timing[2]) + Number(timing[7])));
        });
        request.on('error', reject);
      });
    for (let times = 0; times < 20; times++) await ask();
    const idle = await measureIdle([pid]);
    const [beforeMs, startMs] = [readCpuMs([pid]), performance.now()];
    let toldMs = 0;
    for (let times = 0; times < 200; times++) toldMs += await ask();
    const mostMs = readCpuMs([pid]) - beforeMs;
    const leastMs = mostMs - idle * (performance.now() - startMs);
    agent.destroy();
    const told = `${toldMs.toFixed(0)} ms of ${leastMs.toFixed(0)} to ${mostMs.toFixed(0)}`;
    t.diagnostic(told);
    assert.ok(toldMs > leastMs * 0.85 && toldMs < mostMs * 1.15, told);
  });

test('gunicorn’s configuration wraps the app of an aiohttp worker', {
  skip: needsModules('gunicorn', 'aiohttp'),
}, async t => {
  const args = ['-c', COMPANION, '-k', 'aiohttp.GunicornWebWorker'];
  const { url } = await startAsgi(t, {
    ...{ server: 'gunicorn', args, modules: ['aiohttp'] },
    app: 'aiohttp_app:app',
  });
  const { timing, body } = await timingOf(`${url}/light`);
  assert.equal(TIMING.exec(timing)?.[6], body);
});
