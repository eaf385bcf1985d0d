import assert from 'node:assert/strict';
import { startAsgi, TIMING, timingOf } from '../../helpers/asgi.js';
import { readCpuMs } from '../../helpers/cpu-truth.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';
import { endWithFile } from '../../helpers/temp-folder.js';

const skip = needsModules('uvicorn', 'fastapi');

const untilEnd = endWithFile();
/** One for all tests that only send it requests. @type {ReturnType<typeof startAsgi> | undefined} */
let started;
const startShared = () => {
  started ??= startAsgi(untilEnd);
  return started;
};

for (const middleware of ['', '1']) {
  const where = middleware ? 'in a task of a middleware' : 'in the task of the request';
  test(`reports all CPU time of an endpoint ${where}`, { skip }, async t => {
    const env = { LOADFLAME: '1', MIDDLEWARE: middleware };
    const { url, pid } = await (middleware ? startAsgi(t, { env }) : startShared());
    for (const name of ['awaits', 'plain', 'tasks', 'threads']) {
      // the first request of a kind loads modules
      await timingOf(`${url}/${name}/0`);
      for (let times = 0; times < 5; times++) {
        const beforeMs = readCpuMs([pid]);
        const { timing, cpuMs, totalMs } = await timingOf(`${url}/${name}/40`);
        const trueMs = readCpuMs([pid]) - beforeMs;
        assert.match(timing, TIMING);
        // less than all that the server used for the response, and all that the endpoint did
        const told = `${name}: ${cpuMs} of ${trueMs} ms`;
        assert.ok(Number(cpuMs) >= 40 && Number(cpuMs) < trueMs + 0.5, told);
        assert.ok(Number(totalMs) >= Number(cpuMs) - 0.5, `${name}: ${totalMs} ms`);
      }
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

test('reports a step that blocks the event loop, with its CPU time', { skip }, async () => {
  const { url } = await startShared();
  const waits = await timingOf(`${url}/blocks`);
  assert.ok(Number(waits.blockedMs) >= 150, `${waits.blockedMs}`);
  assert.ok(Number(waits.blockedCpuMs) < 50, `${waits.blockedCpuMs}`);
  const computes = await timingOf(`${url}/computes`);
  assert.ok(Number(computes.blockedCpuMs) >= 145, `${computes.blockedCpuMs}`);
});

test('reports no step that collections fill, which are counted apart', { skip }, async () => {
  const { url } = await startShared();
  await timingOf(`${url}/collects`); // makes what later ones go through
  const { body, timing, blockedMs } = await timingOf(`${url}/collects`);
  assert.ok(Number(body) > 0.1, `too quick for a long step: ${body} s`);
  assert.match(timing, /gc;desc="\S+ .*r2:6:/);
  assert.equal(blockedMs, null);
});

test('every kind of response arrives unchanged', { skip }, async t => {
  const { url } = await startShared();
  assert.match((await timingOf(`${url}/own`)).timing, /^db;dur=5, total;dur=/);
  assert.equal((await timingOf(`${url}/stream`)).body, 'part0 part1 part2 part3 ');
  const boom = await timingOf(`${url}/boom`);
  assert.deepEqual([boom.response.status, boom.body], [500, 'Internal Server Error']);
  assert.equal((await timingOf(`${url}/nowhere`)).response.status, 404);
  const without = await startAsgi(t, { env: { LOADFLAME: '' } });
  assert.equal((await timingOf(`${without.url}/own`)).timing, 'db;dur=5');
});
