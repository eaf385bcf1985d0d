/** Samples of py-spy have the route of their request. */
import assert from 'node:assert/strict';
import { stackOf } from '../../../lib/analysis/stacks/stack-of.js';
import { startAsgi, timingOf as timingOfAsgi } from '../../helpers/asgi.js';
import { keepBusy } from '../../helpers/gunicorn.js';
import { needsModules } from '../../helpers/needs.js';
import { parseRaw } from '../../helpers/parse-raw.js';
import { test } from '../../helpers/quiet.js';
import { readSegment, startRecording } from '../../helpers/recording.js';
import { startApp, timingOf } from '../../helpers/wsgi.js';

test('py-spy sees the route and the half-second of each request, streamed ones too', async t => {
  const { url, masterPid } = await startApp(t, { args: ['-k', 'gthread', '--threads', '2'] });
  const { profiler, files, lines } = await startRecording(t, masterPid, {
    segmentMs: 60_000,
    rateHz: 100,
  });
  const startedMs = Date.now();
  const stop = keepBusy(t, url);
  const streams = (async () => {
    while (Date.now() < startedMs + 1500) await timingOf(`${url}/stream?id=${Date.now()}`);
  })();
  await streams;
  await stop();
  const endedMs = Date.now();
  await profiler.stop();
  const profile = parseRaw(readSegment(files, (await lines('segment'))[0]));
  assert.deepEqual([...profile.routes].sort(), ['GET /burn/:id', 'GET /stream']);
  /** @type {Map<string, number>} */
  const found = new Map();
  let burning = 0;
  for (let row = 0; row < profile.rows.node.length; row++) {
    const node = profile.rows.node[row] ?? -1;
    const names = stackOf(profile, node).map(id => profile.frames[id]?.name ?? '');
    if (!names.includes('burn')) continue;
    const weight = profile.rows.weight[row] ?? 0;
    burning += weight;
    const expected = names.includes('stream') ? 'GET /stream' : 'GET /burn/:id';
    if (profile.routes[profile.rows.route[row] ?? -1] !== expected) continue;
    found.set(expected, (found.get(expected) ?? 0) + weight);
    const atMs = (profile.rows.halfSecond[row] ?? 0) * 500;
    assert.ok(atMs > startedMs - 500 && atMs <= endedMs, `${atMs - startedMs} ms`);
  }
  assert.ok((found.get('GET /stream') ?? 0) > 20 && (found.get('GET /burn/:id') ?? 0) > 20);
  assert.equal(
    [...found.values()].reduce((sum, n) => sum + n, 0),
    burning,
    'none without a route',
  );
  for (const { file } of profile.frames) assert.ok(!file.startsWith('<loadflame'), file);
});

test('py-spy sees the route of each request on the stacks that burn for it', {
  skip: needsModules('uvicorn', 'fastapi'),
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
    while (Date.now() < startedMs + 2500) await timingOfAsgi(target);
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
