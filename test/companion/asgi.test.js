import assert from 'node:assert/strict';
import { stackOf } from '../../lib/profile/node-table.js';
import { startAsgi, TIMING, timingOf } from '../helpers/asgi.js';
import { readCpuMs } from '../helpers/cpu-truth.js';
import { needsModules } from '../helpers/needs.js';
import { parseRaw } from '../helpers/parse-raw.js';
import { test } from '../helpers/quiet.js';
import { readSegment, startRecording } from '../helpers/recording.js';

const skip = needsModules('uvicorn', 'fastapi');

for (const middleware of ['', '1']) {
  const where = middleware ? 'in a task of a middleware' : 'in the task of the request';
  test(`reports all CPU time of an endpoint ${where}`, { skip }, async t => {
    const { url } = await startAsgi(t, { env: { LOADFLAME: '1', MIDDLEWARE: middleware } });
    for (const name of ['awaits', 'plain', 'tasks', 'threads']) {
      // the first request of a kind loads modules
      await timingOf(`${url}/${name}/0`);
      /** @type {Awaited<ReturnType<typeof timingOf>>[]} */
      const answers = [];
      for (let times = 0; times < 5; times++) answers.push(await timingOf(`${url}/${name}/40`));
      // what the loop does around a request takes longer where its thread was just woken: the least disturbed one
      const excessOf = (/** @type {Awaited<ReturnType<typeof timingOf>>} */ { cpuMs, totalMs }) =>
        Number(cpuMs) - Number(totalMs);
      answers.sort((x, y) => excessOf(x) - excessOf(y));
      const { timing = '', cpuMs, totalMs } = answers[0] ?? {};
      assert.match(timing, TIMING);
      assert.ok(Number(cpuMs) >= 40 && Number(cpuMs) < 50, `${name}: ${cpuMs} ms of CPU`);
      assert.ok(Number(totalMs) >= Number(cpuMs) - 0.5, `${name}: ${totalMs} ms`);
    }
    const { cpuMs } = await timingOf(`${url}/unfinished`);
    assert.ok(Number(cpuMs) < 10, `a thread still works for it: ${cpuMs} ms`);
  });
}

for (const [mount, modules] of Object.entries({ '': [], '/other': ['a2wsgi'] }))
  test(`reports the CPU of a WSGI app mounted in FastAPI ${['with', ...modules].join(' ')}`, {
    skip: needsModules('uvicorn', 'fastapi', ...modules),
  }, async t => {
    const { url, pid } = await startAsgi(t, {
      app: 'wsgi_in_asgi:app',
      modules: ['fastapi', ...modules],
    });
    for (const [name, burntMs] of Object.entries({ quick: 5, slow: 30 })) {
      const at = `${url}${mount}/${name}`;
      await timingOf(`${url}${mount}/`);
      const first = await timingOf(at);
      // its thread goes on after the headers
      assert.ok(Number(first.cpuMs) >= Math.min(15, burntMs) - 1, `${name}: ${first.cpuMs} ms`);
      let toldMs = 0;
      const beforeMs = readCpuMs([pid]);
      for (let times = 0; times < 10; times++) {
        const { cpuMs, aroundMs } = await timingOf(at);
        toldMs += Number(cpuMs) + Number(aroundMs);
      }
      const trueMs = readCpuMs([pid]) - beforeMs;
      const told = `${name}: ${toldMs.toFixed(1)} of ${trueMs.toFixed(1)} ms`;
      t.diagnostic(told);
      assert.ok(toldMs >= burntMs * 9.5 && Math.abs(toldMs / trueMs - 1) < 0.15, told);
    }
  });

test('reports a step that blocks the event loop, with its CPU time', { skip }, async t => {
  const { url } = await startAsgi(t);
  const waits = await timingOf(`${url}/blocks`);
  assert.ok(Number(waits.blockedMs) >= 150, `${waits.blockedMs}`);
  assert.ok(Number(waits.blockedCpuMs) < 50, `${waits.blockedCpuMs}`);
  const computes = await timingOf(`${url}/computes`);
  assert.ok(Number(computes.blockedCpuMs) >= 145, `${computes.blockedCpuMs}`);
});

test('every kind of response arrives unchanged', { skip }, async t => {
  const { url } = await startAsgi(t);
  assert.match((await timingOf(`${url}/own`)).timing, /^db;dur=5, total;dur=/);
  assert.equal((await timingOf(`${url}/stream`)).body, 'part0 part1 part2 part3 ');
  const boom = await timingOf(`${url}/boom`);
  assert.deepEqual([boom.response.status, boom.body], [500, 'Internal Server Error']);
  assert.equal((await timingOf(`${url}/nowhere`)).response.status, 404);
  const without = await startAsgi(t, { env: { LOADFLAME: '' } });
  assert.equal((await timingOf(`${without.url}/own`)).timing, 'db;dur=5');
});

test('py-spy sees the route of each request on the stacks that burn for it', {
  skip,
}, async t => {
  const { url, pid } = await startAsgi(t);
  const { profiler, files, lines } = await startRecording(t, pid, {
    segmentMs: 60_000,
    rateHz: 100,
  });
  const startedMs = Date.now();
  const names = ['awaits', 'plain', 'tasks', 'threads'];
  const asking = [...names, 'stream'].map(async name => {
    const target = name === 'stream' ? `${url}/stream` : `${url}/${name}/40`;
    while (Date.now() < startedMs + 2500) await timingOf(target);
  });
  await Promise.all(asking);
  const endedMs = Date.now();
  await profiler.stop();
  const profile = parseRaw(readSegment(files, (await lines('segment'))[0]));
  const expected = [...names.map(name => `GET /${name}/:id`), 'GET /stream'];
  assert.deepEqual([...profile.routes].sort(), expected.sort());
  const { rows, frames } = profile;
  /** @type {Map<string, number>} */
  const found = new Map();
  let [burning, torn] = [0, 0];
  rows.node.forEach((node, row) => {
    const stack = stackOf(profile, node).map(id => frames[id]?.name ?? '');
    if (!stack.includes('burn')) return;
    const weight = rows.weight[row] ?? 0;
    const route = profile.routes[rows.route[row] ?? -1] ?? 'none';
    found.set(route, (found.get(route) ?? 0) + weight);
    const atMs = (rows.halfSecond[row] ?? 0) * 500;
    const isThen = atMs > startedMs - 500 && atMs <= endedMs;
    const view = /\/(\w+)/.exec(route)?.[1] ?? '';
    const isIn = view === 'plain' || view === 'threads' || stack.some(name => name.includes(view));
    burning += weight;
    if (!isThen || !isIn || route === 'none') torn += weight;
  });
  // Of a process that is not paused a stack may be read while it changes.
  assert.ok(torn <= 0.05 * burning, `${torn} of ${burning}`);
  for (const route of expected)
    assert.ok((found.get(route) ?? 0) > 10, `${route}: ${found.get(route)}`);
  const counted = new Set([...rows.node].flatMap(node => stackOf(profile, node)));
  for (const id of counted) assert.ok(!frames[id]?.file.startsWith('<loadflame'), frames[id]?.file);
});
