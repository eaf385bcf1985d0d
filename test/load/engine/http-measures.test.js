import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { mergeSketches } from '../../../lib/base/math/sketch.js';
import { test } from '../../helpers/quiet.js';
import { runScenario, serve } from './http-run.js';

/** @param {any} json */
const median = json => mergeSketches([json]).quantile(0.5) ?? 0;

test('measures time to first byte and total time, per endpoint and status', async t => {
  const { target } = await serve(t, (request, response) => {
    setTimeout(() => {
      response.writeHead(request.url === '/users/8' ? 404 : 200);
      response.flushHeaders();
      setTimeout(() => response.end('done'), 60);
    }, 30);
  });
  const { endpoints, seconds } = await runScenario({
    target,
    flow: [{ get: { url: '/users/7?x=1' } }, { get: { url: '/users/8' } }],
  });
  const { requests, errors, statuses } = endpoints['GET /users/:id'];
  assert.deepEqual([requests, errors], [2, 1]);
  const ttfbMs = median(statuses[200].timeToFirstByte);
  const totalMs = median(statuses[200].total);
  assert.ok(ttfbMs >= 29, `${ttfbMs}`);
  assert.ok(totalMs - ttfbMs >= 50, `${totalMs} in all, ${ttfbMs} to the first byte`);
  const [first] = seconds;
  assert.ok(first.sketches['http.tcp'], 'connection');
});

test('what a user does before its first request does not make that late, a late start does', async t => {
  const { target } = await serve(t, (_request, response) => response.end('done'));
  const { seconds } = await runScenario({
    target,
    flow: [{ think: '400ms' }, { get: { url: '/users/7' } }],
  });
  const [fromIntended] = seconds.flatMap(
    ({ sketches }) => sketches['http.total_from_intended'] ?? [],
  );
  // The user of this test begins 5 ms after the schedule meant.
  assert.ok(median(fromIntended) >= 5 && median(fromIntended) < 300, `${median(fromIntended)}`);
});

test('an error keeps the response that explains it', async t => {
  const { target } = await serve(t, (_request, response) => {
    response.writeHead(500, { 'x-request-id': 'r1' });
    response.end('{"detail":"no db"}');
  });
  const { samples } = await runScenario({
    target,
    config: { http: { distributedTracing: true } },
    flow: [
      { get: { url: '/a', name: 'my name' } },
      { get: { url: '/b', match: { json: '$.detail', value: 1 } } },
    ],
  });
  const [answer, failed] = samples;
  assert.deepEqual(
    [answer.endpoint, answer.code, answer.status, answer.body, answer.requestId],
    ['my name', '500', 500, '{"detail":"no db"}', 'r1'],
  );
  assert.match(answer.traceparent, /^00-a9[0-9a-f]{30}-[0-9a-f]{16}-01$/);
  assert.deepEqual([failed.endpoint, failed.code], ['GET /b', '500'], 'one failure, of its status');
});

test('an error keeps the beginning of a text request body, redacted', async t => {
  const { target } = await serve(t, (_request, response) => {
    response.writeHead(422);
    response.end('{"detail":"hunter22 is no password"}');
  });
  const long = { password: 'hunter22', name: 'ü'.repeat(5000) };
  const file = { fromFile: import.meta.filename };
  const { samples } = await runScenario({
    target,
    flow: [
      { post: { url: '/json', json: long } },
      { post: { url: '/form', form: { user: 'ann', password: 'hunter22' } } },
      { post: { url: '/file', formData: { file } } },
      { get: { url: '/none' } },
    ],
  });
  const [json, form, ...none] = samples;
  assert.match(json.requestBody.slice(0, 50), /^\{"password":"\[redacted\]","name":"ü+$/);
  assert.ok(Buffer.byteLength(json.requestBody) <= 2048);
  assert.equal(form.requestBody, 'user=ann&password=[redacted]');
  assert.deepEqual(
    none.map(sample => 'requestBody' in sample),
    [false, false],
  );
  assert.ok(!JSON.stringify(samples).includes('hunter22'), 'the response repeats what was sent');
});

test('an error with an unreadable body counts as a response', async t => {
  const { target } = await serve(t, (request, response) => {
    const isLong = request.url === '/long';
    response.writeHead(500, isLong ? {} : { 'content-encoding': 'gzip' });
    response.end(isLong ? 'x'.repeat(3_000_000) : 'not gzip');
  });
  const { errors, samples } = await runScenario({
    target,
    flow: [{ get: { url: '/broken' } }, { get: { url: '/long' } }],
  });
  assert.deepEqual(errors, []);
  assert.deepEqual(
    samples.map(({ code, body }) => [code, body.length]),
    [
      ['500', 0],
      ['500', 2048],
    ],
  );
});

test('trace ids carry the prefix of the script', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    config: { http: { distributedTracing: { sampled: false, traceIdPrefix: 'C0FFEE!' } } },
    flow: [{ loop: [{ get: { url: '/' } }], count: 2 }],
  });
  const sent = seen.map(({ headers }) => headers.traceparent);
  assert.match(sent[0], /^00-c0ffee[0-9a-f]{26}-[0-9a-f]{16}-00$/);
  assert.notEqual(sent[0], sent[1]);
});

test('each user keeps its token, a new one is used at once, own credentials come first', async t => {
  const { target, seen } = await serve(t);
  const get = { get: { url: '/' } };
  const { services } = await runScenario({
    target,
    tokens: ['t1', 't2'],
    users: 3,
    flow: [get, get],
  });
  const sent = () => seen.splice(0).map(({ headers }) => headers.authorization);
  assert.deepEqual(sent(), [
    'Bearer t1',
    'Bearer t1',
    'Bearer t2',
    'Bearer t2',
    'Bearer t1',
    'Bearer t1',
  ]);
  assert.equal(services.tokens.all().length, 2);
  await runScenario({
    target,
    tokens: ['t1'],
    vars: { own: 'o1' },
    flow: [
      { get: { url: '/', headers: { Authorization: 'Bearer {{ own }}' } } },
      { get: { url: '/', auth: { user: 'u', pass: 'p' } } },
    ],
  });
  assert.deepEqual(sent(), ['Bearer o1', 'Basic dTpw']);
  await runScenario({
    target,
    tokens: ['t1'],
    config: { defaults: { headers: { AUTHORIZATION: 'd' } } },
    flow: [get],
  });
  await runScenario({
    target,
    tokens: ['t1'],
    scenario: { loadflame: { auth: false } },
    flow: [get],
  });
  assert.deepEqual(sent(), ['d', undefined]);
});

test('a share of traces is flagged as sampled, and no id comes twice', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    flow: [{ loop: [{ get: { url: '/' } }], count: 600 }],
    config: { http: { distributedTracing: { sampled: 0.25 } } },
  });
  const sent = seen.map(({ headers }) => String(headers.traceparent));
  for (const text of sent) assert.match(text, /^00-a9[0-9a-f]{30}-[0-9a-f]{16}-0[01]$/);
  assert.equal(new Set(sent.map(text => text.slice(3, 35))).size, 600);
  assert.equal(new Set(sent.map(text => text.slice(36, 52))).size, 600);
  const sampled = sent.filter(text => text.endsWith('-01')).length;
  // Binomial, 6 standard deviations.
  assert.ok(Math.abs(sampled - 150) < 64, String(sampled));
});

test('counts what bodies of gzip say of their size and level, and none that claims more than deflate can pack', async t => {
  const text = 'a row of a table; '.repeat(1000);
  const best = gzipSync(text, { level: 9 });
  const lies = Buffer.concat([best.subarray(0, -4), Buffer.from([255, 255, 255, 255])]);
  /** @type {Record<string, Buffer[]>} */
  const bodies = {
    '/best': [best],
    '/parts': [
      gzipSync(text, { level: 6 }).subarray(0, 9),
      gzipSync(text, { level: 6 }).subarray(9),
    ],
    '/lies': [lies],
    '/short': [Buffer.from([0x1f, 0x8b])],
    '/plain': [Buffer.from(text)],
  };
  const { target } = await serve(t, async (request, response) => {
    for (const part of bodies[request.url ?? ''] ?? []) {
      response.write(part);
      await sleep(20);
    }
    response.end();
  });
  const flow = Object.keys(bodies).map(url => ({ get: { url } }));
  const { endpoints } = await runScenario({ target, flow });
  const sumsOf = (/** @type {string} */ url) => {
    const { bodyMs: _, ...sums } = endpoints[`GET ${url}`].statuses[200].sums;
    return sums;
  };
  const gzip = { gzips: 1, gzipBytes: best.length, unpackedBytes: text.length };
  assert.deepEqual(sumsOf('/best'), { responseBytes: best.length, ...gzip, bestGzips: 1 });
  const { gzipBytes, ...parts } = sumsOf('/parts');
  assert.deepEqual([parts.unpackedBytes, parts.bestGzips], [text.length, 0]);
  assert.equal(gzipBytes, parts.responseBytes);
  for (const url of ['/lies', '/short', '/plain'])
    assert.deepEqual(Object.keys(sumsOf(url)), ['responseBytes'], url);
});

test('counts the parts of a body that comes in many', async t => {
  const { target } = await serve(t, (request, response) => {
    const parts = request.url === '/one' ? ['x'.repeat(50_000)] : Array(400).fill('x'.repeat(128));
    for (const part of parts) response.write(part);
    response.end();
  });
  const { endpoints } = await runScenario({
    target,
    flow: [{ get: { url: '/many' } }, { get: { url: '/one' } }],
  });
  const sumsOf = (/** @type {string} */ name) => endpoints[name].statuses[200].sums;
  assert.equal(sumsOf('GET /many').parts, 400);
  assert.equal(sumsOf('GET /many').responseBytes, 51_200);
  assert.equal(sumsOf('GET /one').parts, undefined);
});
