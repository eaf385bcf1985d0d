import assert from 'node:assert/strict';
import { startAsgi, timingOf } from '../../helpers/asgi.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';
import { endWithFile } from '../../helpers/temp-folder.js';
import { declareMounted, declareTasks } from './declare-asgi.js';

const skip = needsModules('uvicorn', 'fastapi');

const untilEnd = endWithFile();
/** One for all tests that only send it requests. @type {ReturnType<typeof startAsgi> | undefined} */
let started;
const startShared = () => {
  started ??= startAsgi(untilEnd);
  return started;
};

declareTasks('in the task of the request', startShared);
declareMounted('', []);

test('reports collections', { skip }, async () => {
  const { url } = await startShared();
  const { headers } = await fetch(`${url}/collect`);
  assert.match(
    headers.get('server-timing') ?? '',
    /, gc;desc="3\.\d+\.\w+ (?:r0:\d+:\d+:\d+ )?(?:r1:\d+:\d+:\d+ )?r2:1:\d+:\d+/,
  );
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
