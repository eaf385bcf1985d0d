import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { mergeSketches } from '../../../lib/base/math/sketch.js';
import { test as quiet } from '../../helpers/quiet.js';
import { runScenario, serve } from './http-run.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8' };
const URL = '/events/7';

/**
 * @param {import('node:test').TestContext} t
 * @param {(response: ServerResponse, request: IncomingMessage, nth: number) => unknown} answer
 * @param {Record<string, any>} sse @param {Record<string, any>} [more]
 */
async function run(t, answer, sse, { before = [], after = [], ...more } = {}) {
  let nth = 0;
  const server = await serve(t, (request, response) => {
    if (request.url?.startsWith('/events')) void answer(response, request, ++nth);
    else response.end('{"id":7}');
  });
  const flow = [...before, { sse: { url: URL, ...sse } }, ...after];
  return { ...server, ...(await runScenario({ target: server.target, flow, ...more })) };
}

/** @param {any} result @param {string} name */
function sketch({ seconds }, name) {
  return seconds.map((/** @type {any} */ one) => one.sketches[name]).filter(Boolean);
}

test('a stream counts as a request with a time to first byte and no total time', async t => {
  const result = await run(
    t,
    async response => {
      response.writeHead(200, EVENTS);
      await sleep(30);
      response.write('event: price\ndata: {"price": 3}\n\n');
      await sleep(30);
      response.write(': heartbeat\n\nevent: price\ndata: {"price": 4}\n\n');
    },
    { until: 2, match: { event: 'price' }, capture: { json: '$.price', as: 'price' } },
    { after: [{ get: { url: '/{{ price }}' } }] },
  );
  const { counters, endpoints, seen, errors, vars, services, connections } = result;
  assert.deepEqual(errors, []);
  assert.equal(vars.price, 4);
  const own = endpoints['GET /events/:id'];
  assert.equal(own.requests, 1);
  assert.equal(own.errors, 0);
  assert.equal(own.statuses[200].count, 1);
  assert.equal(own.statuses[200].timeToFirstByte.count, 1);
  assert.equal(own.statuses[200].total, undefined);
  assert.equal(own.statuses[200].sums, undefined);
  assert.equal(counters['sse.streams'], 1);
  assert.equal(counters['sse.events'], 2);
  assert.equal(counters['sse.bytes_received'], 79);
  assert.equal(sketch(result, 'sse.first_event')[0].count, 1);
  const [first] = seen;
  assert.equal(first?.headers.accept, 'text/event-stream');
  assert.equal(first?.headers['accept-encoding'], undefined);
  assert.equal(seen[1]?.url, '/4');
  await sleep(20);
  assert.ok([...connections.keys()].every(socket => socket.destroyed));
  assert.equal(services.sockets.open, 0);
});

test('a stream that breaks off is opened again after `retry` with the last id', async t => {
  const startedMs = performance.now();
  const { counters, seen, errors } = await run(
    t,
    (response, _request, nth) => {
      response.writeHead(200, EVENTS);
      response.write(`retry: 120\nid: ü${nth}\ndata: ${nth}\n\n`);
      if (nth === 1) response.end();
      else setTimeout(() => response.destroy(), 10);
    },
    { until: 3, headers: { 'X-Room': 'a' } },
  );
  assert.deepEqual(errors, []);
  assert.ok(performance.now() - startedMs >= 240);
  assert.equal(counters['sse.reconnects'], 2);
  assert.equal(counters['sse.streams'], 1);
  assert.equal(counters['sse.events'], 3);
  assert.deepEqual(
    seen.map(({ headers }) => headers['last-event-id']),
    [undefined, 'ü1', 'ü2'].map(id => id && Buffer.from(id).toString('latin1')),
  );
  assert.ok(seen.every(({ headers }) => headers['x-room'] === 'a'));
});

test('a stream has its own connection', async t => {
  const { counters, errors, connections } = await run(
    t,
    response => response.writeHead(200, EVENTS).flushHeaders(),
    {},
    {
      flow: [
        {
          parallel: [
            { sse: { url: URL, until: '300ms' } },
            { loop: [{ get: { url: '/7' } }], count: 5 },
          ],
        },
      ],
      config: { http: { pool: 1 } },
    },
  );
  assert.deepEqual(errors, []);
  assert.equal(counters['http.responses'], 6);
  assert.equal(counters['http.codes.200'], 6);
  assert.equal(connections.size, 2);
});

test('`until: end` reads a stream that its server ends, on the connection of its user', async t => {
  const { counters, errors, connections, seen, vars } = await run(
    t,
    (response, request) => {
      const { prompt } = JSON.parse(/** @type {any} */ (request).body);
      response.writeHead(200, EVENTS);
      response.end(`data: ${prompt}\n\ndata: [DONE]\n\n`);
    },
    {
      method: 'post',
      json: { prompt: '{{ word }}' },
      until: 'end',
      match: { regexp: '^h(.*)' },
      capture: { regexp: '^h(.*)', group: 1, as: 'rest' },
    },
    { vars: { word: 'hello' }, after: [{ get: { url: '/' } }] },
  );
  assert.deepEqual(errors, []);
  assert.equal(seen[0]?.method, 'POST');
  assert.equal(vars.rest, 'ello');
  assert.equal(counters['sse.events'], 2);
  assert.equal(connections.size, 1);
});

/** @type {[title: string, answer: (response: ServerResponse, request: IncomingMessage, nth: number) => unknown, sse: Record<string, any>, expected: {error: string, codes?: Record<string, number>, endpointErrors?: number, requests?: number}][]} */
const FAILURES = [
  [
    'a response that is no stream',
    response => response.end('{}'),
    {},
    { error: 'no event stream', codes: { 200: 1 } },
  ],
  [
    'a status that is a failure counts once',
    response => response.writeHead(503, EVENTS).end('busy'),
    {},
    { error: 'no event stream', codes: { 503: 1 }, endpointErrors: 1 },
  ],
  [
    'a server that says 204 wants no reconnect',
    (response, _request, nth) =>
      nth === 1
        ? response.writeHead(200, EVENTS).end('retry: 1\ndata: 1\n\n')
        : response.writeHead(204).end(),
    { until: 2 },
    { error: 'no event stream', codes: { 200: 1, 204: 1 }, requests: 2 },
  ],
  [
    'too few events in time',
    response => response.writeHead(200, EVENTS).write('data: 1\n\n'),
    { until: 2, timeout: '400ms' },
    { error: 'stream timeout', codes: { 200: 1 } },
  ],
  [
    'no response in time',
    () => {},
    { until: '100ms' },
    { error: 'stream timeout', endpointErrors: 1 },
  ],
  [
    'a stream that ends, without reconnects',
    response => response.writeHead(200, EVENTS).end('data: 1\n\n'),
    { until: 2, reconnect: false },
    { error: 'stream ended', codes: { 200: 1 } },
  ],
  [
    'no event that fits',
    response => response.writeHead(200, EVENTS).write('event: b\ndata: {"x":1}\n\n'),
    { until: '400ms', match: { json: '$.x', value: 2 } },
    { error: 'no event matched', codes: { 200: 1 } },
  ],
  [
    'a capture that finds nothing',
    response => response.writeHead(200, EVENTS).write('data: {"x":1}\n\n'),
    { capture: { json: '$.y', as: 'y' } },
    { error: 'Failed capture or match', codes: { 200: 1 } },
  ],
  [
    'an event without an end',
    response => response.writeHead(200, EVENTS).write(`data: ${'x'.repeat(2 ** 21)}`),
    {},
    { error: 'event too large', codes: { 200: 1 } },
  ],
];

for (const [title, answer, sse, expected] of FAILURES)
  test(`a step fails: ${title}`, async t => {
    const { error, codes = {}, endpointErrors = 0, requests = 1 } = expected;
    const { counters, endpoints, errors, samples, services } = await run(t, answer, sse);
    assert.equal(errors[0]?.message, error);
    assert.equal(counters[`errors.${error}`], 1);
    const own = endpoints['GET /events/:id'];
    assert.equal(own.requests, requests);
    assert.equal(own.errors, endpointErrors);
    const found = Object.entries(own.statuses).map(([code, { count }]) => [code, count]);
    assert.deepEqual(Object.fromEntries(found), codes);
    assert.equal(counters[`http.refused.${error}`] ?? 0, codes[503] ?? 0);
    assert.equal(samples.length, 1);
    assert.equal(samples[0].code, codes[503] ? '503' : error);
    await sleep(20);
    assert.equal(services.sockets.open, 0);
  });

test('a target that refuses connections fails the step, and a reconnect only waits', async t => {
  const refused = await runScenario({
    target: 'http://127.0.0.1:9',
    flow: [{ sse: { url: URL, until: '300ms' } }],
  });
  assert.equal(refused.errors[0]?.code, 'ECONNREFUSED');
  const { counters, errors } = await run(
    t,
    (response, _request, nth) => {
      if (nth > 1) response.destroy();
      else response.writeHead(200, EVENTS).end('retry: 0\ndata: 1\n\n');
    },
    { until: '700ms' },
  );
  assert.deepEqual(errors, []);
  assert.ok((counters['sse.reconnects'] ?? 0) >= 1 && (counters['sse.reconnects'] ?? 0) <= 7);
});

test('a reconnect that the end of the step interrupts is not a failure', async t => {
  const { counters, endpoints, errors, samples, services } = await run(
    t,
    (response, _request, nth) => {
      if (nth === 1) response.writeHead(200, EVENTS).end('retry: 1\ndata: 1\n\n');
    },
    { until: '500ms' },
  );
  assert.deepEqual([errors, samples], [[], []]);
  assert.equal(counters['sse.reconnects'], 1);
  const { requests, errors: failed } = endpoints['GET /events/:id'];
  assert.deepEqual([requests, failed], [2, 0]);
  await sleep(20);
  assert.equal(services.sockets.open, 0);
});

quiet('first events and gaps of 50 streams are those that the server sent', async t => {
  const [FIRST_MS, GAP_MS, EVENTS_EACH, STREAMS] = [80, 40, 6, 50];
  /** As they were written: a busy machine sends late. @type {number[]} */
  const gaps = [];
  const result = await run(
    t,
    async response => {
      const startedMs = performance.now();
      let lastMs = 0;
      response.writeHead(200, EVENTS).flushHeaders();
      for (let n = 0; n < EVENTS_EACH; n++) {
        await sleep(Math.max(0, startedMs + FIRST_MS + n * GAP_MS - performance.now()));
        response.write(`data: ${n}\n\n`);
        if (lastMs > 0) gaps.push(performance.now() - lastMs);
        lastMs = performance.now();
      }
    },
    {},
    {
      flow: [{ parallel: Array(STREAMS).fill({ sse: { url: URL, until: EVENTS_EACH } }) }],
    },
  );
  assert.equal(result.counters['sse.events'], STREAMS * EVENTS_EACH);
  const first = mergeSketches(sketch(result, 'sse.first_event'));
  const gap = mergeSketches(sketch(result, 'sse.gap'));
  assert.equal(first.count, STREAMS);
  assert.ok(first.min >= FIRST_MS - 2, String(first.min));
  assert.equal(gap.count, gaps.length);
  const sent = gaps.toSorted((a, b) => a - b);
  const median = Number(sent[Math.floor(sent.length / 2)]);
  assert.ok(Math.abs(Number(gap.quantile(0.5)) - median) <= 5, `${gap.quantile(0.5)}, ${median}`);
});
