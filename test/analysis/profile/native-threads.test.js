import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyProfile } from '../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import {
  createCallReader,
  findCaller,
  findNativeThreads,
  tieNative,
} from '../../../lib/analysis/profile/native-threads.js';
import { createRandom } from '../../../lib/base/math/random.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const grid = {
  edgesMs: Array.from({ length: 25 }, (_, n) => n * 1000),
  basis: /** @type {const} */ ('seconds'),
};
const rate = (/** @type {string} */ name, /** @type {(at: number) => number} */ of) => {
  const perWindow = Array.from({ length: 24 }, (_, at) => of(at));
  const requests = perWindow.reduce((sum, n) => sum + n, 0);
  return { name, requests, perWindow, answers: requests, serverMs: 20, measured: null };
};
/** Native threads of a process since a second before the load. @param {(at: number) => number} of CPU-ms in a second */
const spending = (of, idleMs = 0, hasEnded = false) => {
  const cpuMsOf = (/** @type {{startMs: number}} */ { startMs }) =>
    idleMs + (startMs < 0 ? 0 : of(startMs / 1000));
  const known = { pid: 1, sinceMs: -1000, libraries: [] };
  return [{ ...known, cpuMsOf, lastingOf: hasEnded ? () => 0 : cpuMsOf }];
};
// 40 ms for each request, and a little of chance
const follows = (/** @type {ReturnType<typeof rate>} */ { perWindow }) =>
  spending(at => 40 * (perWindow[at] ?? 0) + (at % 3));

test('native CPU is of the endpoint whose requests it follows', () => {
  const [a, b] = [rate('GET /a', at => 3 + (at % 5)), rate('GET /b', at => 3 + (at % 7))];
  const [own, other] = tieNative(follows(a), grid, { endpoints: [a, b] }, ['GET /a', 'GET /b'], 0);
  assert.ok(own && Math.abs(own.value - 40) < 2, JSON.stringify(own));
  assert.equal(other, null);
});

test('native CPU is of no endpoint where several move alike', () => {
  const [a, b] = [rate('GET /a', at => 3 + (at % 5)), rate('GET /b', at => 3 + (at % 5))];
  const ties = tieNative(follows(a), grid, { endpoints: [a, b] }, ['GET /a', 'GET /b'], 0);
  assert.deepEqual(ties, [null, null]);
});

test('native threads that spin after calls are all of the endpoint that calls', () => {
  const random = createRandom(3);
  const poisson = () => Array.from({ length: 20 }, () => random() < 0.25).filter(Boolean).length;
  const [a, b] = [rate('GET /a', poisson), rate('GET /b', poisson)];
  // 60 ms in the second of a call and 20 in the next one; calls that come close together share the spinning
  const spent = a.perWindow.map(
    (n, at) => 60 * n * (1 - 0.03 * n) + 20 * (a.perWindow[at - 1] ?? 0) + 40 * random(),
  );
  const native = spending(at => spent[at] ?? 0);
  const [own, other] = tieNative(native, grid, { endpoints: [a, b] }, ['GET /a', 'GET /b'], 0);
  const mean = spent.reduce((sum, ms) => sum + ms, 0) / a.requests;
  assert.ok(own && Math.abs(own.value / mean - 1) < 0.06, `${JSON.stringify(own)}, true ${mean}`);
  assert.equal(other, null);
});

test('native CPU that was there before the load is of no endpoint', () => {
  const a = rate('GET /a', at => 3 + (at % 5));
  const native = spending(at => 40 * (a.perWindow[at] ?? 0) + (at % 3), 300);
  const [own] = tieNative(native, grid, { endpoints: [a] }, ['GET /a'], 0);
  assert.ok(own && Math.abs(own.value - 40) < 2, JSON.stringify(own));
});

test('attributes no native CPU to one of several endpoints where requests last into the next window or threads end', () => {
  const [a, b] = [rate('GET /a', at => 3 + (at % 5)), rate('GET /b', at => 3 + (at % 7))];
  const routes = ['GET /a', 'GET /b'];
  const native = follows(a);
  const long = { endpoints: [{ ...a, serverMs: 900 }, b] };
  assert.deepEqual(tieNative(native, grid, long, routes, 0), [null, null]);
  const ended = spending(at => 40 * (a.perWindow[at] ?? 0) + (at % 3), 0, true);
  assert.deepEqual(tieNative(ended, grid, { endpoints: [a, b] }, routes, 0), [null, null]);
  const [alone] = tieNative(ended, grid, { endpoints: [{ ...a, serverMs: 900 }] }, routes, 0);
  assert.ok(alone && Math.abs(alone.value - 40) < 2, JSON.stringify(alone));
});

test('all of it is of the route whose requests alone stand in a call that waits for nothing known', () => {
  const [a, b] = [rate('POST /login', () => 5), rate('GET /list', () => 5)];
  const endpoints = [{ ...a, serverMs: 900 }, b];
  const ended = spending(() => 600, 20, true);
  const [own, other] = tieNative(ended, grid, { endpoints }, ['POST /login'], 0, 'POST /login');
  assert.ok(own && Math.abs(own.value - 120) < 1, JSON.stringify(own));
  assert.equal(other, null);
  const looks = /** @type {Record<string, number>} */ ({ 'POST /login': 950, 'GET /list': 50 });
  let isOwn = false;
  const callOf = (/** @type {string} */ route) => ({
    ...{
      name: 'verify',
      looks: looks[route] ?? 0,
      origin: isOwn && route === 'POST /login' ? 'user' : 'installed',
    },
  });
  const routes = Object.keys(looks);
  assert.equal(findCaller(routes, callOf), 'POST /login');
  isOwn = true;
  assert.equal(findCaller(routes, callOf), null, 'not known, and not the other one');
  isOwn = false;
  looks['GET /list'] = 200;
  assert.equal(findCaller(routes, callOf), null, 'either may have started them');
  assert.equal(
    findCaller(routes, () => null),
    null,
  );
});

test('native threads are of the call that requests are in when they wait for nothing known', async () => {
  const rules = await loadRules();
  const route = 'POST /login (<loadflame route>:449);check (shop/views.py:9)';
  const hash = `${route};verify_secret (argon2/low_level.py:193)`;
  const query = `${route};do_execute (sqlalchemy/engine/default.py:736);followed_query (loadflame_companion.py:1475)`;
  const callOf = (/** @type {[string, number][]} */ ...stacks) =>
    createCallReader(
      parseRaw(stacks.map(([stack, weight]) => `${stack} ${weight}\n`).join('')),
      rules,
    )('POST /login')?.name ?? null;
  const rest = /** @type {[string, number]} */ ([`${route};render (shop/pages.py:4)`, 15]);
  assert.equal(callOf([hash, 40], [query, 45], rest), 'verify_secret (argon2/low_level.py)');
  assert.equal(callOf([query, 85], rest), null, 'it is hardly ever there');
  assert.equal(callOf([hash, 15], [query, 30], rest), null, 'another is as often');
});

test('threads in which a request hashes a password are password hashing', async () => {
  const rules = await loadRules();
  const causesOf = (/** @type {string} */ name) => {
    const profile = parseRaw(`${name} (<native threads>) 50\n`);
    const { causeSets, causeSet } = classifyProfile(profile, rules);
    return causeSets[causeSet[profile.rows.node[0] ?? -1] ?? 0]?.map(({ cause }) => cause.id);
  };
  assert.deepEqual(causesOf('verify_secret (argon2/low_level.py)'), ['password-hash-per-request']);
  assert.deepEqual(causesOf('libopenblas'), []);
  assert.deepEqual(causesOf('multiply (shop/views.py)'), []);
});

test('a thread of the companion that sleeps, and looks as if it ran, hides no threads that ended', () => {
  const worker = 'process 2:"gunicorn";thread (';
  const watch =
    'run_named (loadflame_companion.py:2269);Pools.watch_pools (loadflame_companion.py:2330)';
  const stacks = `${worker}2);show (shop/views.py:3) 50\n${worker}9);${watch} 400\n`;
  const profile = { ...parseRaw(stacks), rateHz: 50 };
  const own = { pid: 2, startTicks: 1 };
  const records = Array.from({ length: 11 }, (_, n) => [
    {
      ...own,
      t: n * 1000,
      kind: 'sample',
      role: 'worker',
      cpuMs: n * 1000,
      rssBytes: 1,
      threads: 2,
    },
    { ...own, t: n * 1000, kind: 'threads', libraries: [], threads: [[2, n * 100, 0, n]] },
  ]);
  const window = { startMs: 0, endMs: 10_000 };
  const [native] = findNativeThreads(profile, /** @type {any} */ (records.flat()), [window]);
  assert.equal(Math.round(native?.cpuMsOf(window) ?? 0), 9000);
});
