import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServerSide } from '../../lib/load/metrics/server-side.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  phases:
    - { name: only, duration: 1, arrivalCount: 2 }
scenarios:
  - flow:
      - get: { url: /items/17 }
      - get: { url: /items/18 }
      - get: { url: /named/9, name: a name }
`;
const POD = createHash('sha256').update('pod-1').digest('hex').slice(0, 8);

test('a run reports times, workers and backends of the server', async t => {
  const target = await serve(t, (request, response) => {
    response.setHeader(
      'server-timing',
      'total;dur=4, cpu;dur=1.5, worker;desc="0a1b2c3d.42", around;dur=0.25, ended;dur=2.5',
    );
    if (!request.headers.cookie) response.setHeader('set-cookie', 'my-router=pod-1; path=/');
    response.end('{}');
  });
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: target, STICKY_COOKIE: 'my-router' },
    workers: 1,
  });
  await running.ended;
  const { records } = await readLoad(files);
  const sum = {
    items: 0,
    cpuMs: 0,
    aroundMs: 0,
    alone: 0,
    endedMs: 0,
    routes: 0,
    workers: 0,
    backends: 0,
  };
  for (const { endpoints, workers, backends } of records) {
    if (!endpoints) continue;
    sum.items += endpoints['GET /items/:id']?.server?.count ?? 0;
    sum.cpuMs += endpoints['GET /items/:id']?.server?.cpuMs ?? 0;
    sum.aroundMs += endpoints['GET /items/:id']?.server?.aroundMs ?? 0;
    sum.alone += endpoints['GET /items/:id']?.server?.ended?.count ?? 0;
    sum.endedMs += endpoints['GET /items/:id']?.server?.ended?.ms ?? 0;
    sum.routes += endpoints['a name']?.routes['GET /named/:id'] ?? 0;
    sum.workers += workers?.['0a1b2c3d.42'] ?? 0;
    sum.backends += backends?.[POD] ?? 0;
  }
  assert.deepEqual(sum, {
    ...{ items: 4, cpuMs: 6, aroundMs: 1, alone: 4, endedMs: 10 },
    ...{ routes: 2, workers: 6, backends: 6 },
  });
});

const WORKER = 'total;dur=4, worker;desc="0a1b2c3d.42"';
const NOW = 'now;dur=1795211103000.1, companion;desc="0.1.0"';

test('collections of a header are summed, and what is no collection does not count', () => {
  const { note } = createServerSide();
  /** @type {any} */
  const entry = {};
  const second = /** @type {any} */ ({ workers: {}, backends: {}, failed: {} });
  for (const gc of [
    '3.11.7 r2:1:90000:90000 n0:3:30:20 o600000',
    '3.11.8 r2:2:20000:15000 o500000',
    '3.11.7 r3:1:1:1 x2:1:1:1 r0:-1:1:1 r1:1:1 toString:1:1:1 __proto__:1:1:1 o0',
    '<b>1</b> r2:1:1:1 o0',
    `3.11.7 ${'r2:1:1:1 '.repeat(500)}o0`,
    '3.11.7 r2:99999999999:1:1 o99999999999',
  ]) {
    const timing = `${WORKER}, ${NOW}, gc;desc="${gc}"`;
    const signs = { timing, setCookies: null, readCookie: () => '', status: 200, readRoute: null };
    note(second, entry, { ...signs, readCalls: () => null });
  }
  assert.equal(entry.server.count, 6);
  assert.deepEqual(entry.server.gc, {
    ...{ python: '3.11.7', objects: 600_000 },
    sums: {
      r2: { count: 3, cpuUs: 110_000, longestUs: 90_000 },
      n0: { count: 3, cpuUs: 30, longestUs: 20 },
    },
  });
});

test('figures of pools are summed per worker, and what is no pool does not count', () => {
  const { note } = createServerSide();
  const second = /** @type {any} */ ({ workers: {}, backends: {}, failed: {}, counters: {} });
  for (const pools of [
    '12 anyio:12:480:480:240 executor2:6:18:18:60',
    '3 anyio:3:120:90:0 __proto__:1:1:1:1 other:1:1:1:1 toString:1 anyio:1',
    '1 anyio:-1:1:1:1',
    '<b>1</b> anyio:1:1:1:1',
    `1 ${'anyio:1:1:1:1 '.repeat(500)}`,
    '1 anyio:9999999999999:1:1:1',
  ]) {
    const timing = `${WORKER}, ${NOW}, pools;desc="${pools}", gc;desc="3.11.7 r2:1:9:9 o0"`;
    const signs = { timing, setCookies: null, readCookie: () => '', status: 200, readRoute: null };
    note(second, /** @type {any} */ ({}), { ...signs, readCalls: () => null });
  }
  const of = 'loadflame.pools.0a1b2c3d.42';
  const anyio = { n: 15, size: 600, inUse: 570, waiting: 240 };
  const executor2 = { n: 6, size: 18, inUse: 18, waiting: 60 };
  const expected = Object.entries({ all: { n: 15 + 1 }, anyio, executor2 }).flatMap(
    ([pool, sums]) => Object.entries(sums).map(([key, amount]) => [`${of}.${pool}.${key}`, amount]),
  );
  assert.deepEqual(second.counters, Object.fromEntries(expected));
});

test('who kept the event loop is read per route, and what is no report of it does not count', () => {
  const { note } = createServerSide({ redact: text => text.replace('sesame', '[redacted]') });
  const second = /** @type {any} */ ({ workers: {}, backends: {}, failed: {}, counters: {} });
  /** @type {any} */
  const entry = {};
  for (const blockers of [
    ', paused;dur=90.5, blocker;dur=500.0;desc="20.0 GET /report", blocker;dur=300.0;desc="900.0 GET /old"',
    ', blocker;dur=200.0;desc="0.0 GET /report", blocker;dur=9.0;desc="1.0 GET /sesame"',
    ', blocker;dur=200.0;desc="0.0 __proto__"',
    ', blocker;dur=-1;desc="0.0 GET /negative"',
    ', blocker;dur=99999999999;desc="0.0 GET /too-long"',
    `, blocker;dur=1.0;desc="0.0 GET /${'x'.repeat(500)}"`,
  ]) {
    const timing = `${WORKER}, ${NOW}${blockers}`;
    const signs = { timing, setCookies: null, readCookie: () => '', status: 200, readRoute: null };
    const { reported } = note(second, entry, { ...signs, readCalls: () => null, firstByteMs: 400 });
    assert.ok(reported);
  }
  assert.deepEqual(entry.server.waited, {
    'GET /report': { count: 2, ms: 380 + 200 },
    'GET /[redacted]': { count: 1, ms: 9 },
  });
});
