import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Endpoints } from '../../lib/analysis/read/load/endpoints.js';
import { createSecondRecorder } from '../../lib/load/metrics/second-recorder.js';
import { binOf, NAMES, TIMING } from '../helpers/calls.js';
import { runScenario, serve } from './engine/http-run.js';

/** @param {number} n statements */
const callsOf = n =>
  JSON.stringify({ calls: [['00000001', n, n * 100, n, 0, [[binOf(100), n]]]], named: NAMES });

/** @param {any[]} seconds */
function listEndpoints(seconds) {
  const endpoints = new Endpoints();
  for (const second of seconds) endpoints.add(second);
  return endpoints.list();
}

/** @param {any} contrasts */
const shorten = contrasts =>
  contrasts.map((/** @type {any} */ { of, most, least }) =>
    [of, most.query, most.mean, least.query, least.mean].join(' '),
  );

/** A server whose pages of kind a send 8 statements, and others 2 or 3. @param {import('node:test').TestContext} t */
const serveKinds = t =>
  serve(t, (request, response) => {
    const isMuch = request.url?.includes('kind=a');
    const some = request.url?.includes('?') ? 2 : 3;
    if (request.url === '/old') response.statusCode = 302;
    response.setHeader('Location', '/search?kind=a');
    response.setHeader(
      'Server-Timing',
      TIMING.replace('cpu;dur=4', `cpu;dur=${isMuch ? 9 : some + 1}`),
    );
    response.setHeader('Loadflame-Calls', callsOf(isMuch ? 8 : some));
    response.end();
  });

test('names steps of one endpoint whose queries differ in statements and CPU', async t => {
  const { target } = await serveKinds(t);
  const { seconds } = await runScenario({
    target,
    users: 25,
    vars: { kind: 'b', link: '/search?kind=a' },
    flow: [
      { get: { url: '/search?kind=a#top' } },
      { get: { url: '/search', qs: { kind: '{{ kind }}' } } },
      { get: { url: '/search' } },
      // What is in it is not known from the script.
      { get: { url: '{{ link }}' } },
      { get: { url: '/old' } },
      { get: { url: '/other?kind=a' } },
    ],
  });
  const rows = listEndpoints(seconds);
  const [search] = rows;
  assert.equal(search?.name, 'GET /search');
  assert.deepEqual(shorten(search?.contrasts), [
    'statements ?kind=a 8 ?kind={{ kind }} 2',
    'cpuMs ?kind=a 9 ?kind={{ kind }} 3',
  ]);
  const queries = seconds.flatMap(({ endpoints }) =>
    Object.keys(endpoints['GET /search'].queries ?? {}),
  );
  assert.deepEqual(new Set(queries), new Set(['?kind=a', '?kind={{ kind }}', '']));
  for (const { name, contrasts } of rows.slice(1)) assert.deepEqual(contrasts, [], name);
  const other = seconds.flatMap(({ endpoints }) => endpoints['GET /other']?.queries ?? []);
  assert.deepEqual(other, [], 'an endpoint with one query');
});

/** @param {(respond: (query: string, cpuMs: number | null, statements?: number) => void) => void} send */
function record(send) {
  /** @type {any[]} */
  const seconds = [];
  const redact = (/** @type {string} */ text) => text.replaceAll('s3cret', '***');
  const recorder = createSecondRecorder(second => seconds.push(second), { redact });
  const handle = recorder.endpoint('GET /search');
  send((query, cpuMs, statements = 1) => {
    recorder.noteServer(handle, {
      ...{ setCookies: null, readCookie: () => '', status: 200, readRoute: null, query },
      timing: TIMING.replace('cpu;dur=4, ', cpuMs === null ? '' : `cpu;dur=${cpuMs}, `),
      readCalls: () => callsOf(statements),
    });
  });
  recorder.flush({ all: true });
  return seconds;
}

test('keeps at most ten queries of an endpoint, short and without secrets', () => {
  const seconds = record(respond => {
    for (let at = 0; at < 5000; at++)
      respond(`?key=s3cret&page=${at % 2500}&${'x'.repeat(5000)}`, 1);
  });
  const queries = new Set(
    seconds.flatMap(({ endpoints }) => Object.keys(endpoints['GET /search'].queries ?? {})),
  );
  assert.equal(queries.size, 10);
  for (const query of queries) assert.match(query, /^\?key=\*\*\*&page=\d&x{83,84}$/);
  assert.ok(JSON.stringify(seconds).length < 5000 * seconds.length);
});

test('names no difference that chance, one slow request or few responses can make', () => {
  const contrastsOf = (/** @type {Parameters<typeof record>[0]} */ send) =>
    shorten(listEndpoints(record(send))[0]?.contrasts);
  const send = (/** @type {(at: number) => [number | null, number | null]} */ cpuOf, count = 40) =>
    contrastsOf(respond => {
      for (let at = 0; at < count; at++)
        for (const [of, cpuMs] of cpuOf(at).entries()) respond(of ? '?b' : '?a', cpuMs);
    });
  assert.deepEqual(
    send(() => [4, 8]),
    ['cpuMs ?b 8 ?a 4'],
  );
  assert.deepEqual(
    send(() => [4, 7.9]),
    [],
    'less than twice',
  );
  assert.deepEqual(
    send(() => [4, 8], 15),
    [],
    'too few',
  );
  assert.deepEqual(
    send(at => [4, at === 20 ? 400 : 4]),
    [],
    'one slow request',
  );
  assert.deepEqual(
    send(() => [0.1, 0.4]),
    [],
    'no cost',
  );
  assert.deepEqual(
    send(() => [4, null]),
    [],
    'not known',
  );
});

test('takes no name of a query for anything else', () => {
  const sums = { count: 30, sum: 30, squares: 30 };
  const own = JSON.stringify({ statements: sums, cpuMs: sums });
  const endpoints = JSON.parse(
    `{"GET /": {"queries": {"__proto__": ${own}, "constructor": ${own}}}}`,
  );
  assert.deepEqual(listEndpoints([{ endpoints }])[0]?.contrasts, []);
  assert.equal(/** @type {any} */ ({}).statements, undefined);
});
