import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInvalid } from '../../../lib/analysis/judge/quality/validity.js';
import { sumUpFailures } from '../../../lib/analysis/load/failures.js';
import { buildLoadReport } from '../../../lib/analysis/load/load-report.js';
import { LoadTotals } from '../../../lib/analysis/read/load/load-totals.js';
import { Sketch } from '../../../lib/base/math/sketch.js';
import { recordsOf } from '../../helpers/records.js';

const START = 1_795_211_100_000;

/** @param {number[]} values */
function sketch(values) {
  const made = new Sketch();
  for (const value of values) made.accept(value);
  return made.toJson();
}

/** @param {number} second @param {Record<string, number>} counters @param {Record<string, any>} [more] */
function second(second, counters, more = {}) {
  const fromMs = START + second * 1000;
  return { t: fromMs + 1000, kind: 'second', fromMs, counters, ...more };
}

/** @param {Record<string, any>[]} records @param {Record<string, any>} [end] */
function load(records, end = { t: START + 60_000, kind: 'load-end', reason: 'complete' }) {
  const start = { t: START, kind: 'load-start', engine: 'artillery', scenarios: ['a'] };
  const report = buildLoadReport({
    load: LoadTotals.of(recordsOf('metrics', [start, ...records, end])),
    errors: [],
    tokens: [],
  });
  assert.ok(report);
  return report;
}

test('rates are computed over the seconds with activity, not over the wait for the last users', () => {
  const { http, window } = load([
    second(0, { 'http.requests': 10, 'http.responses': 10, 'http.codes.200': 10 }),
    second(9, {
      'http.requests': 10,
      'http.responses': 10,
      'http.codes.200': 5,
      'http.codes.500': 5,
    }),
  ]);
  assert.deepEqual(window, { startMs: START, endMs: START + 10_000 });
  assert.equal(http.meanRatePerSec, 2);
  assert.equal(http.throughputPerSec, 1.5);
  assert.equal(http.errorRate, 0.25);
  assert.equal(http.peakRatePerSec, 10);
});

test('lines of several workers about the same second add up, and holes are filled with zeros', () => {
  const { seconds } = load([
    second(
      0,
      { 'http.requests': 1 },
      { usersActive: 2, sketches: { 'http.response_time': sketch([10]) } },
    ),
    second(
      0,
      { 'http.requests': 2 },
      { usersActive: 3, sketches: { 'http.response_time': sketch([30, 30]) } },
    ),
    second(3, { 'http.requests': 4, 'errors.ETIMEDOUT': 1, 'http.codes.404': 2 }),
  ]);
  assert.deepEqual(
    seconds.map(({ requests }) => requests),
    [3, 0, 0, 4],
  );
  assert.deepEqual([seconds[0]?.usersActive, seconds[3]?.errors], [5, 3]);
  assert.ok(Math.abs((seconds[0]?.p50Ms ?? 0) - 30) < 0.5);
  assert.equal(seconds[1]?.p50Ms, null);
});

test('requests under way at the end of a second are those that were sent and have not ended', () => {
  const times = sketch([10]);
  const answers = (/** @type {number} */ count) => ({ count, timeToFirstByte: times });
  const begun = { 'GET /': { requests: 6, errors: 1, statuses: { 200: answers(1) } } };
  const ended = {
    'GET /': { requests: 0, errors: 1, statuses: { 200: answers(2), 503: answers(1) } },
  };
  const { seconds } = load([
    second(0, { 'http.requests': 6 }, { usersActive: 6, endpoints: begun }),
    second(2, {}, { usersActive: 1, endpoints: ended }),
  ]);
  assert.deepEqual(
    seconds.map(({ inFlightAtEnd }) => inFlightAtEnd),
    [4, 4, 1],
  );
});

test('percentiles of a run come from merged sketches: a slow second weighs by its requests', () => {
  const { http } = load([
    second(
      0,
      { 'http.requests': 99 },
      { sketches: { 'http.response_time': sketch(Array(99).fill(10)) } },
    ),
    second(1, { 'http.requests': 1 }, { sketches: { 'http.response_time': sketch([1000]) } }),
  ]);
  const latency = http.timeToFirstByte;
  assert.ok(latency);
  assert.ok((latency.p95Ms ?? 99) < 10.2 && latency.maxMs === 1000 && latency.meanMs === 19.9);
});

test('seconds count requests and users', () => {
  const counters = {
    'vusers.created': 3,
    'vusers.created_by_name.a b': 3,
    'vusers.skipped': 1,
    'http.requests': 5,
  };
  const { users, http, window } = load([second(0, counters), second(8, { 'vusers.completed': 3 })]);
  assert.deepEqual([users.created, users.skipped, users.completed, http.requests], [3, 1, 3, 5]);
  assert.deepEqual(users.byScenario, [{ name: 'a b', count: 3, ended: null, failed: null }]);
  assert.equal(window.endMs, START + 1000, 'the end of a user is no load');
});

test('of each endpoint and code the first five error samples are kept', () => {
  const errors = Array.from({ length: 8 }, (_, i) => ({
    t: START + 100 - i,
    kind: /** @type {const} */ ('error'),
    endpoint: 'GET /x',
    code: '500',
    body: String(i),
  }));
  const report = buildLoadReport({
    load: LoadTotals.of([{ t: START, kind: 'load-start', engine: 'artillery' }]),
    errors,
    tokens: [],
  });
  assert.deepEqual(
    report?.errorSamples.map(({ body }) => body),
    ['7', '6', '5', '4', '3'],
  );
});

test('a run that is not valid says why', () => {
  /** @type {[string | undefined, Record<string, number>, Record<string, number>][]} */
  const table = [
    [
      undefined,
      { 'http.requests': 10, 'http.responses': 10, 'http.codes.200': 10 },
      { 'vusers.created': 2 },
    ],
    [undefined, { 'x.y': 1 }, { 'vusers.created': 5 }],
    ['nothing-sent', { 'vusers.paused': 1 }, { 'vusers.created': 5, 'vusers.failed': 5 }],
    [
      'no-response',
      { 'http.requests': 3, 'errors.ECONNREFUSED': 3 },
      { 'vusers.created': 3, 'vusers.failed': 3 },
    ],
    [
      'most-users-failed',
      { 'http.requests': 9, 'http.responses': 9, 'http.codes.200': 9 },
      { 'vusers.created': 9, 'vusers.failed': 5 },
    ],
    [
      'most-failed',
      {
        'http.requests': 9,
        'http.responses': 9,
        'http.codes.200': 3,
        'http.codes.401': 3,
        'http.codes.403': 3,
      },
      {},
    ],
    [
      undefined,
      { 'http.requests': 9, 'http.responses': 9, 'http.codes.200': 5, 'http.codes.401': 4 },
      {},
    ],
    [
      'most-failed',
      { 'http.requests': 9, 'http.responses': 9, 'http.codes.200': 4, 'http.codes.500': 5 },
      {},
    ],
    [undefined, { 'socketio.connect': 9, 'socketio.emit': 9 }, { 'vusers.created': 9 }],
    [undefined, { 'websocket.connect': 9, 'websocket.messages_sent': 9 }, { 'vusers.created': 9 }],
  ];
  for (const [id, counters, users] of table) {
    assert.equal(
      findInvalid(load([second(0, { ...counters, ...users })]))?.id,
      id,
      JSON.stringify(counters),
    );
  }
});

test('a run that is not valid names what most requests failed with, a status or an error', () => {
  const failureOf = (/** @type {number} */ timeouts, /** @type {number} */ refused) => {
    const invalid = findInvalid(
      load([
        second(0, {
          'http.requests': 100,
          'http.responses': 100 - timeouts,
          'http.codes.200': 100 - timeouts - refused,
          'http.codes.500': refused,
          'errors.ETIMEDOUT': timeouts,
        }),
      ]),
    );
    return invalid?.id === 'most-failed' ? (invalid.facts.failure?.code ?? null) : null;
  };
  assert.equal(failureOf(60, 1), 'ETIMEDOUT');
  assert.equal(failureOf(10, 50), '500');
});

test('times to the last byte, from the intended start and of new connections are kept apart', () => {
  const { http, endpoints, seconds } = load([
    { t: START, kind: 'phase-start', index: 0, spec: { duration: 5, arrivalRate: 2 } },
    second(
      0,
      { 'http.requests': 2, 'http.responses': 2, 'vusers.paused': 1 },
      {
        sketches: {
          'http.response_time': sketch([10, 10]),
          'http.total': sketch([300, 500]),
          'http.total_from_intended': sketch([350, 500]),
          'http.tcp': sketch([2]),
        },
        endpoints: {
          'GET /a': {
            requests: 2,
            errors: 1,
            statuses: {
              200: { count: 1, timeToFirstByte: sketch([10]), total: sketch([300]) },
              503: { count: 1, timeToFirstByte: sketch([10]), total: sketch([500]) },
            },
          },
        },
      },
    ),
    second(1, { 'http.requests': 1 }, { sketches: { 'http.response_time': sketch([200]) } }),
  ]);
  assert.deepEqual([http.totalTime?.meanMs, http.totalFromIntended?.meanMs], [400, 425]);
  assert.equal(http.connections.tcp?.count, 1);
  assert.equal(http.connections.tls, null);
  const [endpoint] = endpoints;
  assert.deepEqual(
    endpoint?.codes.map(({ code }) => code),
    ['200', '503'],
  );
  assert.deepEqual([endpoint?.timeToFirstByte?.maxMs, endpoint?.totalTime?.maxMs], [10, 500]);
  assert.deepEqual(
    seconds.map(({ inFlight }) => inFlight),
    [0.8, 0.2],
    'where no total is known, the time to first byte stands for it',
  );
});

test('a closed loop has no schedule, so nothing is counted from one', () => {
  const sketches = { 'http.total_from_intended': sketch([350]) };
  const { http } = load([
    { t: START, kind: 'phase-start', index: 0, spec: { duration: 5, users: 2 } },
    second(0, { 'http.requests': 2 }, { sketches }),
  ]);
  assert.equal(http.totalFromIntended, null);
});

test('a phase says whether users arrive or repeat, and no counter of the engine is lost', () => {
  const phase = (/** @type {number} */ index, /** @type {any} */ spec) => ({
    t: START + index * 1000,
    kind: 'phase-start',
    index,
    spec,
  });
  const { phases, counters } = load([
    phase(0, { duration: 5, arrivalRate: 2 }),
    phase(1, { duration: 60, users: 50 }),
    second(0, { 'http.requests': 2, 'vusers.paused': 3, 'vusers.created': 1 }),
  ]);
  assert.deepEqual(
    phases.map(({ model, plan }) => [model, plan?.arrivalRate, plan?.users]),
    [
      ['open', '2', null],
      ['closed', null, '50'],
    ],
  );
  assert.deepEqual(counters, { 'vusers.paused': 3 });
});

test('what was under way when a recording broke off is unknown, and not failed', () => {
  const answered = { 200: { count: 18 } };
  const counters = { 'http.requests': 20, 'http.responses': 18, 'http.codes.200': 18 };
  const endpoints = { 'GET /': { requests: 20, errors: 1, statuses: answered } };
  const { http, failures } = load([second(0, counters, { endpoints })], {
    t: START + 1000,
    kind: 'generator',
  });
  assert.equal(http.unknown, 1);
  assert.equal(http.errorRate, 1 / 19);
  assert.deepEqual([failures.failed, failures.tried], [1, 19]);
});

test('an emit without a response is one failure, whether its user waited or not', () => {
  const counters = { 'socketio.connect': 9, 'socketio.emit': 9, 'vusers.created': 9 };
  const silent = sumUpFailures(load([second(0, counters)]), { unanswered: 9 });
  assert.deepEqual([silent.failed, silent.tried], [9, 18]);
  const errors = { 'errors.response timeout': 4 };
  const waited = sumUpFailures(load([second(0, { ...counters, ...errors })]), { unanswered: 9 });
  assert.deepEqual(
    waited.kinds.map(({ code, count }) => [code, count]),
    [
      ['unanswered-emit', 5],
      ['response timeout', 4],
    ],
  );
});

test('reports a scenario without users, and the ends of users of the others', () => {
  const { users } = load([
    second(0, {
      'vusers.created_by_name.b': 3,
      'vusers.completed_by_name.b': 1,
      'vusers.failed_by_name.b': 1,
    }),
  ]);
  assert.deepEqual(users.neverRun, ['a']);
  assert.deepEqual(users.byScenario, [{ name: 'b', count: 3, ended: 2, failed: 1 }]);
});

/** @param {string[]} names of endpoints @param {Record<string, any>} [own] */
const ofPaths = (names, own = {}) =>
  load([
    second(
      0,
      { 'http.requests': names.length },
      { endpoints: Object.fromEntries(names.map(name => [name, { requests: 1, ...own }])) },
    ),
  ]).groups;

test('more than ten rows that differ in one part of their path are a proposal for ENDPOINTS', () => {
  const towns = Array.from({ length: 12 }, (_, at) => `town-${String.fromCharCode(97 + at)}`);
  const paths = towns.flatMap(town => [`GET /weather/${town}`, `GET /shops/${town}/items`]);
  assert.deepEqual(
    ofPaths([...paths, 'GET /weather', 'GET /users/:id'])?.map(({ path, rows }) => [path, rows]),
    [
      ['/shops/:shop/items', 12],
      ['/weather/:weather', 12],
    ],
  );
  assert.deepEqual(ofPaths(paths.slice(0, 20)), [], 'ten rows');
  assert.deepEqual(ofPaths(paths, { isRouted: true }), [], 'routes of a framework');
});

test('many resources with paths of their own are no values', () => {
  const names = Array.from({ length: 12 }, (_, at) => String.fromCharCode(97 + at));
  const groups = ofPaths([
    ...names.map(name => `GET /nodes/shop.${name}/`),
    ...names.flatMap((name, at) => [`GET /list-${name}/`, `POST /list-${name}/do-${at}/`]),
  ]);
  assert.deepEqual(
    groups?.map(({ path, rows }) => [path, rows]),
    [['/nodes/:node/', 12]],
  );
});

test('a path that a setting would have to quote is no proposal', () => {
  for (const part of [
    "'; touch x; '",
    '$(id)',
    '`id`',
    'a,b',
    'a b',
    '<img src=x>',
    'a\nB=1',
    '"',
  ]) {
    const names = Array.from({ length: 12 }, (_, at) => `GET /${part}/town${'abcdefghijkl'[at]}`);
    assert.deepEqual(ofPaths(names), [], part);
  }
});
