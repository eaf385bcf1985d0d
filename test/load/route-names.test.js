/** Endpoints that are named by the route of the server's framework, once a response names it. */
import assert from 'node:assert/strict';
import { Endpoints } from '../../lib/analysis/read/load/endpoints.js';
import { LoadSeries } from '../../lib/analysis/read/load/load-series.js';
import { LoadTotals } from '../../lib/analysis/read/load/load-totals.js';
import { nameEndpoint } from '../../lib/base/config/endpoint-names.js';
import { createSecondRecorder } from '../../lib/load/metrics/second-recorder.js';
import { readRoute } from '../../lib/load/metrics/server-side.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

const POST = 'GET /posts/:id';

/** A recorder with a clock, and the rows that it wrote. */
function makeRecorder() {
  const clock = { nowMs: 1000 };
  /** @type {any[]} */
  const lines = [];
  const recorder = createSecondRecorder(
    line => lines.push({ kind: 'second', t: clock.nowMs, ...line }),
    { now: () => clock.nowMs },
  );
  const readTotals = () => {
    recorder.flush({ all: true });
    return LoadTotals.of([{ kind: 'load-start', t: 0 }, ...lines]);
  };
  const readRows = () =>
    readTotals()
      .endpoints.list()
      .map(({ name, requests, errors, codes }) => {
        return [name, requests, errors, codes.map(({ count }) => count)];
      });
  return { clock, lines, recorder, readTotals, readRows };
}

test('a path whose second is not written yet is counted by its route, and leaves nothing', () => {
  const { recorder, lines, readRows } = makeRecorder();
  for (const slug of ['a', 'b', 'a']) {
    const handle = recorder.endpoint(`GET /posts/${slug}`);
    recorder.countRequest(handle);
    assert.ok(recorder.rename(handle, POST));
    recorder.countAnswer(recorder.endpoint(POST), 200, 1, 2);
  }
  assert.deepEqual(readRows(), [[POST, 3, 0, [3]]]);
  assert.deepEqual(Object.keys(lines[0].endpoints), [POST]);
  assert.equal(lines[0].renamed, undefined);
});

test('requests of earlier seconds, those under way and an earlier refusal count by the route, too', () => {
  const { recorder, clock, readTotals, readRows, lines } = makeRecorder();
  const handle = recorder.endpoint('GET /posts/a');
  for (let sent = 0; sent < 3; sent++) recorder.countRequest(handle);
  recorder.countAnswer(handle, 503, 1, 2);
  clock.nowMs = 2500;
  recorder.flush();
  assert.ok(recorder.rename(handle, POST));
  recorder.countAnswer(recorder.endpoint(POST), 200, 1, 2);
  clock.nowMs = 9500;
  recorder.countFailure(handle);
  assert.deepEqual(readRows(), [[POST, 3, 2, [1, 1]]]);

  const totals = readTotals();
  const series = new LoadSeries([1000, 2000, 10_000], totals.endpoints.names(), 'total');
  for (const line of lines) series.add(line, name => totals.endpoints.nameOf(name));
  const [before, after] = series.endpoints.get(POST) ?? [];
  assert.deepEqual([before?.requests, before?.errors, after?.errors], [3, 1, 1]);
  // A part of the run knows names that a later part found.
  const [first] = lines;
  const test = { start: { kind: 'load-start', t: 0 }, end: null, records: lines };
  const part = LoadTotals.ofPart(
    /** @type {any} */ ({ test, window: { startMs: 1000, endMs: 2000 }, seconds: [first] }),
  );
  assert.deepEqual(part.endpoints.names(), [POST]);
});

const at = (/** @type {string} */ path) =>
  nameEndpoint({ url: `http://host${path}` }, 'http://host');

test('a number that is the same in all requests to an endpoint is no id, and one that varies is', () => {
  const { recorder, clock, readRows } = makeRecorder();
  for (const path of [
    ...['/api/0/teams/3', '/api/0/teams/4', '/rest/api/2/issue/9', '/orders/7'],
    ...['/pages/0/rows', '/pages/1/rows', '/api/1/events', '/api/2/events'],
  ]) {
    recorder.countRequest(recorder.endpoint(at(path)));
    clock.nowMs += 1000;
    recorder.flush();
  }
  recorder.countRequest(recorder.endpoint(at('/pages/0/rows')));
  assert.deepEqual(
    readRows().map(([name, requests]) => [name, requests]),
    [
      ['GET /pages/:id/rows', 3],
      ['GET /api/:id/events', 2],
      ['GET /api/0/teams/:id', 2],
      ['GET /orders/:id', 1],
      ['GET /rest/api/2/issue/:id', 1],
    ],
  );
});

test('a part of a load knows from the other parts that a number varies', () => {
  const { recorder, clock, lines } = makeRecorder();
  for (const path of ['/pages/0/rows', '/pages/1/rows']) {
    recorder.countRequest(recorder.endpoint(at(path)));
    clock.nowMs += 1000;
    recorder.flush({ all: true });
  }
  const test = { start: { kind: 'load-start', t: 0 }, end: null, records: lines };
  const part = LoadTotals.ofPart(
    /** @type {any} */ ({ test, window: null, seconds: lines.slice(0, 1) }),
  );
  assert.deepEqual(part.endpoints.names(), ['GET /pages/:id/rows']);
});

test('a number in a route stays, whatever other routes have at its place', () => {
  const endpoints = new Endpoints();
  const own = { requests: 1, isRouted: true };
  for (const name of ['GET /api/0/:id', 'GET /api/:id/:id'])
    endpoints.add({ endpoints: { [name]: own } });
  assert.deepEqual(endpoints.names(), ['GET /api/:id/:id', 'GET /api/0/:id']);
  const { recorder, readRows } = makeRecorder();
  const first = recorder.endpoint(at('/api/0/teams'));
  recorder.countRequest(first);
  assert.ok(recorder.rename(first, 'GET /api/0/:id'));
  assert.deepEqual(readRows(), [['GET /api/0/:id', 1, 0, []]]);
});

test('a route that another response names replaces none, and thousands of paths keep to the limit', () => {
  const { recorder, clock, readRows, readTotals, lines } = makeRecorder();
  const first = recorder.endpoint('GET /a');
  recorder.countRequest(first);
  assert.equal(recorder.rename(first, 'GET /a'), false);
  assert.equal(recorder.rename(first, 'GET /:id'), false, 'its name was confirmed');
  assert.deepEqual(readRows(), [['GET /a', 1, 0, []]]);

  let requests = 1;
  for (let slug = 0; slug < 6000; slug++) {
    const handle = recorder.endpoint(`GET /posts/${slug}x`);
    recorder.countRequest(handle);
    requests += 1;
    clock.nowMs += 1000; // each response comes in a later second
    recorder.flush();
    const own = recorder.rename(handle, POST) ? recorder.endpoint(POST) : handle;
    recorder.countAnswer(own, 200, 1, 2);
  }
  const rows = readTotals().endpoints.list();
  const sumOf = (/** @type {(row: any) => number} */ of) =>
    rows.reduce((sum, row) => sum + of(row), 0);
  assert.equal(
    sumOf(row => row.requests),
    requests,
  );
  assert.equal(
    sumOf(row => row.codes[0]?.count ?? 0),
    6000,
  );
  assert.ok(rows.length <= 302, `${rows.length} rows`);
  for (const row of rows.slice(1))
    assert.equal(
      row.requests - (row.name === 'GET /a' ? 1 : 0),
      row.codes[0]?.count ?? 0,
      row.name,
    );
  const names = lines.flatMap(line => Object.keys(line.renamed ?? {}));
  assert.ok(names.length <= 2000, `${names.length} names`);
});

const TIMING =
  'total;dur=4, cpu;dur=1.5, worker;desc="0a1b2c3d.42", now;dur=1795211103000.1, companion;desc="0.1.0"';

test('only a route behind the companion’s own entries counts, and only in characters of a path', () => {
  const read = (/** @type {string} */ more) => readRoute(TIMING + more);
  assert.equal(read(', route;desc="/posts/:id"'), '/posts/:id');
  assert.equal(
    read(
      ', pools;desc="3 anyio:1:2:3:4", gc;desc="3.14.2 r0:2:900:500 o250000", route;desc="/*", app;dur=1',
    ),
    '/*',
  );
  // Collections and steps of other requests that this one waited for stand in front of it.
  const waited =
    ', gc;desc="3.14.2 r0:2:900:500 o250000", paused;dur=624.500, blocker;dur=161.7;desc="822.8 GET /posts/:id/", blocker;dur=245.0;desc="31.0 POST /login"';
  assert.equal(read(`${waited}, route;desc="/posts/:id"`), '/posts/:id');
  assert.equal(read(`, blocker;dur=1;desc="1 GET /a, route;desc=/b"`), null);
  for (const more of [
    ', route;desc="posts"',
    ', route;desc="/<script>\n"',
    ', route;desc="/caf\u00e9"',
    `, route;desc="/${'a'.repeat(200)}"`,
    ', route;desc="/a b"',
    ', app;desc="x", route;desc="/a"',
  ])
    assert.equal(read(more), null, more);
  assert.equal(readRoute('app;dur=1, route;desc="/posts/:id"'), null);
});

const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  phases: [{ duration: 2, arrivalCount: 12 }]
scenarios:
  - flow:
      - get: { url: /posts/first }
      - get: { url: /posts/second?q=1 }
      - get: { url: /posts/archive }
      - get: { url: /year/2024 }
      - get: { url: /year/7 }
      - get: { url: /rates/usd }
      - get: { url: /posts/third, name: my own }
      - get: { url: /unknown/word }
      - get: { url: /hostile/x }
`;
const ROUTES = /** @type {[RegExp, string][]} */ ([
  [/^\/posts\/archive/, '/posts/archive'],
  [/^\/posts\//, '/posts/:id'],
  [/^\/year\/2024/, '/year/2024'],
  [/^\/year\//, '/year/:id'],
  [/^\/rates\//, '/*'],
  [/^\/hostile\//, '/__proto__/:id;$(x)<b>'],
]);

test('slugs are one row; names of the script and of ENDPOINTS stay, and a route must fit its path', async t => {
  const target = await serve(t, (request, response) => {
    const [, route] = ROUTES.find(([path]) => path.test(request.url ?? '')) ?? [];
    response.setHeader('server-timing', TIMING + (route ? `, route;desc="${route}"` : ''));
    response.end('{}');
  });
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: target, ENDPOINTS: '/rates/:currency' },
    workers: 2,
  });
  await running.ended;
  const { records } = await readLoad(files);
  /** @type {any[]} */
  const all = [{ kind: 'load-start', t: 0 }, ...records];
  const totals = LoadTotals.of(all);
  const rows = totals.endpoints.list();
  assert.deepEqual(
    Object.fromEntries(rows.map(row => [row.name, [row.requests, row.codes[0]?.count]])),
    {
      [POST]: [24, 24],
      'GET /posts/archive': [12, 12],
      'GET /year/:id': [24, 24],
      'GET /rates/:currency': [12, 12],
      'my own': [12, 12],
      'GET /unknown/word': [12, 12],
      'GET /hostile/x': [12, 12],
    },
  );
  const routesOf = (/** @type {string} */ name) => totals.endpoints.of(name).routes;
  assert.deepEqual(routesOf('my own'), { [POST]: 12 });
  assert.deepEqual(routesOf('GET /rates/:currency'), { 'GET /*': 12 });
  assert.deepEqual(routesOf('GET /year/:id'), { 'GET /year/2024': 12 });
  assert.equal(totals.endpoints.of(POST).isRouted, true);

  const routeOf = totals.endpoints.createRouteNames();
  assert.equal(routeOf('GET /posts/first'), POST);
  assert.equal(routeOf('GET /posts/never-seen'), POST);
  assert.equal(routeOf('GET /posts/archive'), 'GET /posts/archive');
  assert.equal(routeOf('GET /unknown/word'), 'GET /unknown/word');
  assert.equal(routeOf('POST /posts/never-seen'), 'POST /posts/never-seen');
});
