import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { runScenario, serve } from './http-run.js';

const WORKER = 'worker;desc="0a1b2c3d.42"';
const POD = { a: 'a'.repeat(31).concat('1'), b: 'b'.repeat(31).concat('2') };
const COOKIE = 'c'.repeat(31).concat('3');
const hash = (/** @type {string} */ value) =>
  createHash('sha256').update(value).digest('hex').slice(0, 8);

/** @param {any[]} seconds @param {string} field */
function sum(seconds, field) {
  /** @type {Record<string, number>} */
  const all = {};
  for (const record of seconds) {
    for (const [name, n] of Object.entries(record[field] ?? {}))
      all[name] = (all[name] ?? 0) + Number(n);
  }
  return all;
}

/** CPU of threads that end, which these responses do not have. */
const ended = { count: 0, ms: 0 };

test('sums times of the companion per endpoint, and responses per worker', async t => {
  let asked = 0;
  const { target } = await serve(t, (_request, response) => {
    asked += 1;
    response.setHeader(
      'Server-Timing',
      `db;dur=9, total;dur=${asked * 10}.5, cpu;dur=2.25, ${WORKER}`,
    );
    response.end();
  });
  const { endpoints, seconds } = await runScenario({
    target,
    flow: [
      { get: { url: '/a/7' } },
      { get: { url: '/a/8' } },
      { post: { url: '/b/9', name: 'my b' } },
    ],
  });
  assert.deepEqual(endpoints['GET /a/:id'].server, { count: 2, totalMs: 31, cpuMs: 4.5, ended });
  assert.equal(endpoints['GET /a/:id'].routes, undefined);
  assert.deepEqual(endpoints['my b'].server, { count: 1, totalMs: 30.5, cpuMs: 2.25, ended });
  assert.deepEqual(endpoints['my b'].routes, { 'POST /b/:id': 1 });
  assert.deepEqual(sum(seconds, 'workers'), { '0a1b2c3d.42': 3 });
  assert.deepEqual(sum(seconds, 'backends'), {});
});

test('CPU time is unknown if one worker does not report it', async t => {
  let asked = 0;
  const { target } = await serve(t, (_request, response) => {
    asked += 1;
    const cpu = asked === 2 ? '' : 'cpu;dur=1, ';
    response.setHeader('Server-Timing', `total;dur=5, ${cpu}${WORKER}`);
    response.end();
  });
  const flow = Array.from({ length: 3 }, () => ({ get: { url: '/' } }));
  const { endpoints } = await runScenario({ target, flow });
  assert.deepEqual(endpoints['GET /'].server, { count: 3, totalMs: 15, cpuMs: null, ended });
});

test('steps that blocked an event loop are summed up, apart from requests without one', async t => {
  let asked = 0;
  const { target } = await serve(t, (_request, response) => {
    asked += 1;
    const cpu = asked === 3 ? '' : 'cpu;dur=1, ';
    const blocked = asked === 1 ? '' : `blocked;dur=${asked}00.5, blocked-cpu;dur=${asked}.25, `;
    response.setHeader('Server-Timing', `total;dur=5, ${cpu}${blocked}${WORKER}`);
    response.end();
  });
  const flow = Array.from({ length: 3 }, () => ({ get: { url: '/' } }));
  const { endpoints } = await runScenario({ target, flow });
  assert.deepEqual(endpoints['GET /'].server, {
    count: 3,
    totalMs: 15,
    cpuMs: null,
    ended,
    blocked: { count: 2, ms: 501, cpuMs: 5.5, longestMs: 300.5 },
  });
});

test('times of other programs, and those of other hosts, are not the target’s', async t => {
  const other = await serve(t, (_request, response) => {
    response.setHeader('Server-Timing', `total;dur=5, cpu;dur=5, ${WORKER}`);
    response.setHeader('Set-Cookie', `${COOKIE}=${POD.a}`);
    response.end();
  });
  const { target } = await serve(t, (_request, response) => {
    response.setHeader('Server-Timing', 'total;dur=123, cpu;dur=5, cache;desc="hit"');
    response.end();
  });
  const { endpoints, seconds } = await runScenario({
    target,
    flow: [{ get: { url: '/' } }, { get: { url: `${other.target}/` } }],
  });
  assert.equal(endpoints['GET /'].server, undefined);
  assert.equal(endpoints[`GET ${other.target}/`].server, undefined);
  assert.deepEqual(sum(seconds, 'workers'), {});
  assert.deepEqual(sum(seconds, 'backends'), {});
});

test('counts responses per backend by the cookie of a router, which only the first one sets', async t => {
  let users = 0;
  const { target, seen } = await serve(t, (request, response) => {
    if (!request.headers.cookie) {
      users += 1;
      const pod = users === 1 ? POD.a : POD.b;
      response.setHeader('Set-Cookie', ['theme=dark', `${COOKIE}=${pod}; path=/; HttpOnly`]);
    }
    response.end();
  });
  const flow = Array.from({ length: 4 }, () => ({ get: { url: '/' } }));
  const { seconds } = await runScenario({ target, flow, users: 3 });
  assert.equal(seen.filter(({ headers }) => headers.cookie).length, 9);
  assert.deepEqual(sum(seconds, 'backends'), { [hash(POD.a)]: 4, [hash(POD.b)]: 8 });
  assert.ok(!JSON.stringify(seconds).includes(POD.a), 'no cookie is written');
});

test('counts failures by status and responder, and samples name the responder', async t => {
  let users = 0;
  const { target } = await serve(t, (request, response) => {
    if (!request.headers.cookie) {
      users += 1;
      response.setHeader('Set-Cookie', `${COOKIE}=${users === 1 ? POD.a : POD.b}`);
    }
    response.statusCode = request.url === '/' ? 200 : 500;
    response.end();
  });
  const flow = [{ get: { url: '/' } }, { get: { url: '/bad' } }];
  const { seconds, samples } = await runScenario({ target, flow, users: 3 });
  const failed = seconds.flatMap(second => Object.entries(second.failed ?? {}));
  assert.deepEqual([...new Set(failed.map(([status]) => status))], ['500']);
  const ids = failed.map(([, counts]) => ({ counts }));
  assert.deepEqual(sum(ids, 'counts'), { [hash(POD.a)]: 1, [hash(POD.b)]: 2 });
  assert.deepEqual(
    samples.map(({ instance }) => instance),
    [hash(POD.a), hash(POD.b), hash(POD.b)],
  );
});
