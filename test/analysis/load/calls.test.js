import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyseRun } from '../../../lib/analysis/analyse-run.js';
import { unpackCalls } from '../../../lib/analysis/sample-table/unpack.js';
import { sum } from '../../../lib/base/math/summary.js';
import { readFigures } from '../../../lib/experiment/compare/figures.js';
import { estimateWithinRun } from '../../../lib/experiment/compare/within-run.js';
import { checkThresholds } from '../../../lib/experiment/thresholds/check-thresholds.js';
import { parseThresholds } from '../../../lib/experiment/thresholds/read-thresholds.js';
import { measureOf, readMeasure } from '../../../lib/run/facts/measures.js';
import { runFiles } from '../../../lib/run/run-folder.js';
import { NAMES, writeCallsRun } from '../../helpers/calls.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { CallsReport } from '../../../lib/run/facts/calls.d.ts' */

/** @param {import('node:test').TestContext} t @param {Parameters<typeof writeCallsRun>[1]} [options] */
async function analyse(t, options) {
  const folder = writeCallsRun(makeTempFolder(t), options);
  const { report } = await analyseRun(folder);
  return { folder, report, calls: /** @type {CallsReport} */ (report.calls) };
}

/** @param {number} value @param {number} expected */
const isNear = (value, expected) =>
  assert.ok(Math.abs(value - expected) < 1e-6 * expected, `${value} is not ${expected}`);

test('statements have their executions, rows and times, the longest first', async t => {
  const { calls } = await analyse(t);
  assert.deepEqual(
    calls.statements.map(({ id, requests, count }) => [id, requests, count]),
    [
      ['00000002', 20, 120],
      ['00000001', 20, 20],
      ['00000003', 20, 20],
    ],
  );
  const [items, , redis] = calls.statements;
  assert.deepEqual({ ...items, ...NAMES['00000002'] }, items);
  isNear(items?.ms ?? 0, 60);
  isNear(items?.meanMs ?? 0, 0.5);
  assert.ok(Math.abs((items?.p95Ms ?? 0) - 0.5) < 0.05);
  assert.equal(items?.rows, 3);
  assert.equal(items?.perRequest, 6);
  assert.equal(items?.most, 8);
  isNear(items?.shareOfTotalMs ?? 0, 60 / (20 * 20));
  assert.deepEqual(items?.endpoints, [{ name: 'GET /orders/', requests: 20, count: 120, ms: 60 }]);
  assert.equal(redis?.rows, null);
  isNear(redis?.openMs ?? 0, 6);
});

test('of HTTP calls that wait for each other, the quickest takes the place of rows', async t => {
  const named = { '00000009': { ...NAMES['00000002'], kind: 'http', text: 'GET a:1/b' } };
  const call = ['00000009', 2, 80_000, 60_000, 0, [[111, 2]], 'http'];
  const { calls } = await analyse(t, { header: () => ({ calls: [call], named }) });
  assert.deepEqual([calls.statements[0]?.aloneMs, calls.statements[0]?.rows], [30, null]);
});

test('executions per request are over all requests to the endpoints, with and without them', async t => {
  const some = { calls: [['00000002', 8, 4000, 24, 0, [[65, 8]]]] };
  const { calls } = await analyse(t, { header: (_, request) => (request ? { calls: [] } : some) });
  const [items] = calls.statements;
  assert.deepEqual([items?.requests, items?.ofRequests, items?.count], [10, 20, 80]);
  assert.equal(items?.perRequest, 4);
  assert.equal(calls.endpoints[0]?.queries.mean, items?.perRequest);
});

test('one text is one statement of an endpoint, at the place of most of its executions', async t => {
  const { relation: _, ...unrelated } = NAMES['00000002'];
  const name = { ...unrelated, relation: null };
  const named = {
    '0000000a': { ...name, file: 'app/views.py', line: 14 },
    '0000000b': { ...name, file: 'app/rows.py', line: 3 },
    '0000000c': { ...name, file: 'app/views.py', line: 20, relation: 'Order.items' },
  };
  const call = (/** @type {string} */ id, /** @type {number} */ n) => {
    return [id, n, n * 500, n, 0, [[65, n]]];
  };
  const { calls } = await analyse(t, {
    header: (second, request) => ({
      // A generator hides the line of every fifth request; the relation is another statement.
      calls: [
        call(second % 5 === 0 && request === 0 ? '0000000b' : '0000000a', 10),
        call('0000000c', 1),
      ],
      named,
    }),
  });
  assert.deepEqual(
    calls.statements.map(({ line, requests, count, most }) => [line, requests, count, most]),
    [
      [14, 20, 200, 10],
      [20, 20, 20, 1],
    ],
  );
  assert.ok(!calls.statements.some(own => own.alsoFrom), 'few executions may be an accident');
  const rows = (await unpackCalls(calls.table)).flatMap(own => own.rows);
  const own = rows.filter(({ statement }) => statement === 0);
  assert.equal(sum(own.map(({ count }) => count)), 200);
});

test('two places that one request has are one statement, sent so often', async t => {
  const { relation: _, ...unrelated } = NAMES['00000002'];
  const name = { ...unrelated, relation: null };
  const { calls } = await analyse(t, {
    header: () => ({
      calls: [
        ['0000000a', 2, 1000, 2, 0, [[65, 2]]],
        ['0000000b', 1, 500, 1, 0, [[65, 1]]],
      ],
      named: { '0000000a': { ...name, line: 14 }, '0000000b': { ...name, line: 99 } },
    }),
  });
  const [one, ...others] = calls.statements;
  assert.deepEqual(others, []);
  assert.deepEqual([one?.line, one?.requests, one?.count, one?.most], [14, 20, 60, 3]);
  assert.deepEqual(one?.alsoFrom, [{ file: name.file, line: 99, function: name.function }]);
});

test('the most in one request is no less than the mean of an endpoint, whatever others send', async t => {
  const { relation: _, ...unrelated } = NAMES['00000002'];
  const name = { ...unrelated, relation: null };
  const named = { '0000000a': { ...name, line: 14 }, '0000000b': { ...name, line: 99 } };
  const call = (/** @type {string} */ id, /** @type {number} */ n) => {
    return [id, n, n * 500, n, 0, [[65, n]]];
  };
  // From two places 9 + 4 in each request to one endpoint, 1 in each to another.
  const { calls } = await analyse(t, {
    header: () => ({ calls: [call('0000000a', 9), call('0000000b', 4)], named }),
    health: { calls: [call('0000000a', 1)], named },
  });
  assert.deepEqual(
    calls.statements.map(({ perRequest, most }) => [perRequest, most]),
    [[7, 13]],
  );
});

test('endpoints have queries, times and waits per request, those without calls zeros', async t => {
  const { calls, report } = await analyse(t);
  const [orders, health] = calls.endpoints;
  assert.equal(orders?.name, 'GET /orders/');
  assert.deepEqual(orders?.queries, { p50: 5, p95: 9, most: 9, mean: 7 });
  isNear(orders?.databaseMs.mean ?? 0, 5);
  isNear(orders?.poolMs.mean ?? 0, 0.7);
  isNear(orders?.callsMs.mean ?? 0, 0.3);
  assert.equal(orders?.serverMs, 20);
  assert.equal(orders?.poolMs.count, 20);
  assert.equal(health?.requests, 20);
  assert.deepEqual(health?.queries, { p50: 0, p95: 0, most: 0, mean: 0 });
  assert.equal(calls.whole.requests, 40);
  assert.deepEqual(calls.whole.queries, { p50: 0, p95: 9, most: 9, mean: 3.5 });
  const means = report.load?.endpoints.map(({ name, means: own }) => [
    name,
    own?.['db.queriesPerRequest'],
  ]);
  assert.deepEqual(means, [
    ['GET /health', 0],
    ['GET /orders/', 7],
  ]);
  const [, perWindow] = report.timeline?.load?.endpoints ?? [];
  assert.deepEqual(perWindow?.sums?.['db.queriesPerRequest'], Array(10).fill(14));
});

test('the packed table adds up to the statements and endpoints', async t => {
  const { calls, report } = await analyse(t);
  const groups = await unpackCalls(calls.table);
  assert.deepEqual(calls.table.edgesMs, report.timeline?.edgesMs);
  assert.deepEqual(
    calls.table.workers.map(({ id }) => id),
    ['0a1b2c3d.42', '0a1b2c3d.43'],
  );
  const rows = groups.flatMap(own => own.rows);
  const total = (/** @type {number[]} */ values) => values.reduce((all, one) => all + one, 0);
  for (const [statement, { requests, count, ms }] of calls.statements.entries()) {
    const own = rows.filter(row => row.statement === statement);
    assert.deepEqual(
      [own.map(row => row.requests), own.map(row => row.count), own.map(row => row.us)].map(total),
      [requests, count, Math.round(ms * 1000)],
    );
  }
  // The first response of health came before the first with calls.
  assert.deepEqual(
    [0, 1].map(endpoint =>
      total(groups.filter(own => own.endpoint === endpoint).map(({ requests }) => requests)),
    ),
    [20, 19],
  );
  const ofOne = groups.filter(({ worker }) => worker === 1).flatMap(own => own.rows);
  assert.equal(total(ofOne.map(({ count }) => count)), 10 * 10);
  assert.equal(total(groups.map(({ poolUs }) => poolUs)), 20 * 700);
  assert.deepEqual(groups.at(-1)?.window, 9);
});

test('three hundred statements over all of a run take less than a megabyte in a page', async t => {
  const header = (/** @type {number} */ second, /** @type {number} */ request) => ({
    calls: Array.from({ length: 60 }, (_, at) => [
      // Each of five seconds has others, so that windows of five seconds have all.
      ((second % 5) * 60 + at).toString(16).padStart(8, '0'),
      ...[1 + (at % 3), 300 + ((second * 37 + at * 61 + request * 13) % 900)],
      ...[null, 0, [[60 + (at % 20), 1]]],
    ]),
  });
  const { calls } = await analyse(t, { seconds: 300, header });
  assert.equal(calls.statements.length, 300);
  const rows = (await unpackCalls(calls.table)).flatMap(own => own.rows);
  assert.ok(rows.length >= 36_000, `${rows.length} rows`);
  assert.ok(JSON.stringify(calls.table).length < 700_000);
  assert.ok(JSON.stringify(calls).length < 1_000_000);
});

test('damaged headers and torn lines are counted, and everything else holds', async t => {
  const folder = writeCallsRun(makeTempFolder(t), {
    header: (_, request) => (request ? 'damaged' : { calls: [], more: [3, 900] }),
  });
  appendFileSync(runFiles(folder).loadCalls, '{"t":1700000000000,"kind":"calls","fromMs"');
  const { report } = await analyseRun(folder);
  assert.equal(report.calls?.unreadable, 10);
  assert.deepEqual(report.calls?.more, { count: 30, ms: 9 });
  assert.equal(report.calls?.endpoints[0]?.queries.p50, 3);
  assert.ok(
    report.quality.some(({ id }) => id === 'torn'),
    JSON.stringify(report.quality),
  );
});

test('thresholds and comparisons know queries and database time per request', async t => {
  const { report } = await analyse(t, { seconds: 30 });
  const expressions = [
    'db.queriesPerRequest < 10',
    'db.msPerRequest < 2ms',
    'db.poolMsPerRequest < 1ms',
  ];
  const text = `thresholds: ${JSON.stringify(expressions)}
endpoints:
  GET /orders/: [db.queriesPerRequest < 5]
  GET /health: [db.queriesPerRequest < 1]`;
  const thresholds = parseThresholds(text, 'thresholds.yaml', []);
  const results = await checkThresholds(thresholds, { reports: [report], comparison: null });
  assert.deepEqual(
    results.map(({ status }) => status),
    ['pass', 'fail', 'pass', 'fail', 'pass'],
  );
  const figures = readFigures(report).filter(({ measure }) => measure.startsWith('db.'));
  assert.equal(figures.length, 6);
  const within = await estimateWithinRun(report, 0.05);
  assert.ok(
    figures
      .filter(({ value }) => value > 0)
      .every(({ scope, name, measure }) => within.has(`${scope}\n${name}\n${measure}`)),
  );
  const without = { ...report, calls: null };
  const names = { endpoint: null, category: null };
  assert.equal(readMeasure(measureOf('db.msPerRequest'), without, names), null);
  const [unknown] = await checkThresholds(thresholds, { reports: [without], comparison: null });
  assert.equal(unknown?.missing?.id, 'no-calls');
});

test('of a run under way, calls that are newer than its seconds are left out', async t => {
  const { folder } = await analyse(t);
  const file = runFiles(folder).loadCalls;
  const last = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .findLast(({ kind, calls: own }) => kind === 'calls' && own.length > 0);
  appendFileSync(file, `${JSON.stringify({ ...last, fromMs: last.fromMs + 1000 })}\n`);
  const { report } = await analyseRun(folder);
  assert.deepEqual(
    report.calls?.statements.map(({ count }) => count),
    [120, 20, 20],
  );
});
