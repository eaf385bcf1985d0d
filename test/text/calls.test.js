import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printMarkdown } from '../../lib/report/print/markdown.js';
import { ACTS, createShortener } from '../../lib/text/calls.js';
import { describeRun } from '../../lib/text/document/run.js';
import { CALL_FINDINGS } from '../../lib/text/findings-calls.js';
import { wordReport } from '../../lib/text/index.js';
import { buildCalls, buildStatement } from '../fixtures/reports/build-calls.js';
import { fullReport } from '../fixtures/reports/reports.js';
import { printRun } from '../helpers/print-documents.js';

/** @typedef {NonNullable<Parameters<typeof printRun>[1]>} Look */

const LIST = { name: 'GET /api/v1/appointments/', requests: 200, perRequest: 20 };
const STATEMENTS = [
  buildStatement({ uses: [LIST], relation: 'Order.items' }),
  buildStatement({
    ...{ id: 'b', file: 'shop/citizens.py', line: 21, meanMs: 3.2, p95Ms: 9.1 },
    text: 'SELECT citizens.id, citizens.name FROM citizens WHERE citizens.office_id = ?',
  }),
];
const CHARGE = buildStatement({
  ...{ id: 'c', kind: 'http', system: null, text: 'POST pay.example/charges', rows: null },
  ...{ file: 'shop/pay.py', line: 9 },
});

/** @param {ReturnType<typeof buildCalls>} calls @param {Look} look */
function print(calls, look) {
  const report = wordReport({ ...fullReport(), calls });
  return printRun(report, { width: 80, ...look });
}

/** @param {string} text */
const sectionOf = text => text.slice(text.indexOf('Database:')).split('\n\nWhere the CPU')[0];

test('the short form has the most expensive statements and at most 52 lines', () => {
  const text = print(buildCalls([...STATEMENTS, CHARGE, CHARGE]), { extent: 'short' });
  assert.equal(
    sectionOf(text),
    `Database: 24 statements per request, 14 ms of 40 ms in the server (35.0 %)
                                      per request (all)     mean     p95   share
  shop/views.py:34 Order.items                       20  0.50 ms  1.0 ms  10.0 %
  shop/citizens.py:21 SELECT … FROM…                  1   3.2 ms  9.1 ms  10.0 %
  shop/pay.py:9 POST pay.example/ch…                  1  0.50 ms  1.0 ms  10.0 %
  and 1 more in report.html`,
  );
  assert.ok(text.split('\n').length <= 52);
});

test('the statements say over which requests "per request" is a mean', () => {
  const text = print(buildCalls(STATEMENTS), { extent: 'full', width: 400 });
  assert.match(
    text,
    /“Per request \(all\)” .* the mean over all requests to its endpoints, with and without it\./,
  );
  assert.match(text, / per request \(all\) +mean /);
});

test('a wait for responses of a full worker is a bound in all tables', () => {
  const report = fullReport();
  const bound = { by: /** @type {const} */ ('workers'), cores: 0.974 };
  const share = { value: 0.9, low: 0.8, high: 0.96 };
  const kinds = [{ id: /** @type {const} */ ('database'), share, where: [], isBound: true }];
  const categories = [
    { id: 'database', label: 'database', color: '#0067a8' },
    { id: 'other', label: 'CPU, or not known', color: '#6b7280' },
  ];
  const table = { ...report.profile?.waits?.table, categories };
  const waits = /** @type {any} */ ({ ...report.profile?.waits, kinds, table });
  const profile = /** @type {any} */ ({ ...report.profile, waits });
  const means = { 'db.queriesPerRequest': 5, 'db.msPerRequest': 9 };
  for (const endpoint of report.load?.endpoints ?? []) endpoint.means = means;
  const worded = wordReport({ ...report, profile, calls: { ...buildCalls(STATEMENTS), bound } });
  const text = printRun(worded, { extent: 'full', width: 200 });
  assert.match(text, /the worker, or the database +\S* +at most 96\.0 %/);
  const [, unknown] = categories;
  assert.deepEqual(worded.profile?.waits?.table.categories, [
    { id: 'database', label: 'the worker, or the database', color: unknown?.color },
    unknown,
  ]);
  assert.doesNotMatch(text, /waiting for the database/);
  for (const table of [/^Endpoints\n.*?\n\n/ms, /^By endpoint\n.*?\n\n/ms])
    assert.match(table.exec(text)?.[0] ?? '', /database, at most/);
  assert.match(text, / per request \(all\) +mean, at most /);
});

test('upper bounds are called that, and make no shares', () => {
  const bound = { by: /** @type {const} */ ('workers'), cores: 0.974 };
  for (const extent of /** @type {const} */ (['short', 'full'])) {
    const text =
      sectionOf(print({ ...buildCalls(STATEMENTS), bound }, { extent, width: 200 })) ?? '';
    assert.match(
      text,
      /^Database: 24 statements per request, at most 14 ms of 40 ms in the server\n/,
    );
    assert.match(text, /used 0\.97 of a core each: times of calls are upper bounds/);
    assert.doesNotMatch(text, /share|of server time|\d %/);
  }
});

test('calls at the same time are no wait longer than the request in the server', () => {
  const calls = buildCalls([...STATEMENTS, { ...CHARGE, endpoints: [] }]);
  const [first, ...others] = calls.endpoints;
  assert.ok(first && others.length === 1);
  first.callsMs.mean = 90;
  calls.whole.callsMs.mean = 45;
  const text = sectionOf(print(calls, { extent: 'full', width: 200 })) ?? '';
  assert.match(text, /\(35\.0 %\); other calls at most 20 ms\n/);
  assert.match(
    text,
    /GET \/api\/v1\/appointments\/: the calls of a request take longer .* at most its time in the server/,
  );
  assert.match(text, /calls at\s+the same time all count/);
  assert.match(text, /appointments\/ .* 40 ms\n/);
  assert.doesNotMatch(text, /90 ms|45 ms/);
  first.callsMs.mean = 30;
  assert.doesNotMatch(
    print(calls, { extent: 'full', width: 200 }),
    /some overlap|other calls at most/,
  );
});

test('what the database itself counted stands beside the times of the app', () => {
  const [first, ...others] = STATEMENTS;
  const databaseStats = { count: 4000, ms: 100, statements: [] };
  const withStats = (/** @type {any} */ stats, /** @type {any} */ calls) =>
    printRun(wordReport({ ...fullReport(), calls, databaseStats: stats }), { width: 200 });
  const calls = buildCalls([{ ...buildStatement(first), databaseMeanMs: 0.026 }, ...others]);
  const text = sectionOf(withStats(databaseStats, calls)) ?? '';
  assert.match(
    text,
    /PostgreSQL itself counted 0\.025 ms per execution, so 0\.60 ms per request: 4,000 executions by all its users during the run, 100 ms in all\./,
  );
  assert.match(text, /mean +in database +p95/);
  assert.match(text, /0\.026 ms/);
  const alone = sectionOf(withStats(databaseStats, null).replace('Database\n', 'Database:\n'));
  assert.match(alone ?? '', /counted 0\.025 ms per execution: 4,000 executions/);
  const absent = { ...databaseStats, refused: { why: 'failed', reason: '42P01' } };
  assert.match(withStats(absent, calls), /is not known: add pg_stat_statements to shared_preload/);
  const none = { count: 0, ms: 0, statements: [] };
  assert.match(withStats(none, calls), /counted no execution during the run: is it the database/);
});

test('the short form leaves out a database with a negligible share of a request', () => {
  const calls = buildCalls(STATEMENTS, { databaseMs: { mean: 1, p95: 2 } });
  assert.doesNotMatch(print(calls, { extent: 'short' }), /Database:/);
});

test('the full form has statements, pool waits and other calls by endpoint, and the kind of calls', () => {
  const beside = { poolMs: { mean: 3, count: 90 }, callsMs: { mean: 5 } };
  const text = sectionOf(print(buildCalls([...STATEMENTS, CHARGE], beside), { width: 140 })) ?? '';
  assert.match(text, /median +p95 +most +database +of server time +pool wait +other calls\n/);
  assert.match(
    text,
    /GET \/api\/v1\/appointments\/ +24 +20 +48 +60 +14 ms +35\.0 % +3\.0 ms +5\.0 ms\n/,
  );
  assert.match(text, /shop\/pay\.py:9 POST pay\.example\/charges +HTTP/);
  const { statements, ...calls } = buildCalls(STATEMENTS);
  const more = { count: 12, ms: 30 };
  assert.match(
    print({ statements, ...calls, more }, { width: 140 }),
    /12 more calls, of statements that the companion could not list, took 30 ms in all\./,
  );
});

test('what new connections send is said to be theirs, where it is sent as often as they are opened', () => {
  const uses = [{ name: 'GET /orders', requests: 200, perRequest: 1 }];
  const pragma = { uses, system: 'sqlite', text: 'PRAGMA foreign_keys = ON', meanMs: 0.02 };
  const connect = { id: 'd', kind: /** @type {const} */ ('connect'), text: 'connect sqlite', uses };
  const rowOf = (/** @type {Parameters<typeof buildStatement>[0][]} */ ...parts) =>
    /^.*(?:PRAGMA foreign|SELECT).*$/m.exec(
      print(buildCalls(parts.map(buildStatement)), { extent: 'full', width: 400 }),
    )?.[0] ?? '';
  assert.match(rowOf(pragma, connect), /new connection: PRAGMA foreign_keys = ON/);
  const again = [{ ...uses[0], name: 'GET /orders', requests: 200, perRequest: 2 }];
  assert.doesNotMatch(rowOf({ ...pragma, uses: again }, connect), /new connection: /);
  assert.doesNotMatch(rowOf(pragma), /new connection: /);
  assert.doesNotMatch(rowOf({ ...pragma, text: 'SELECT a FROM b' }, connect), /new connection: /);
});

test('text of statements stays text', () => {
  const hostile = buildStatement({ text: 'DELETE FROM `a` | <b>\u001b[31m' });
  const terminal = print(buildCalls([hostile]), {});
  assert.ok(!terminal.includes('\u001b'));
  const document = describeRun(wordReport({ ...fullReport(), calls: buildCalls([hostile]) }));
  assert.match(printMarkdown(document), /^\| ``+ ?shop\/views\.py:34 DELETE FROM `a` \\\| <b>/m);
});

test('statements that differ only in their columns begin at the difference', () => {
  const texts = [
    'SELECT item.id, item.name, item.price FROM item WHERE item.id = ?',
    'SELECT item.id, item.name, item.body FROM item WHERE item.id = ?',
    'SELECT item.id, item.name FROM item',
    'DELETE FROM item',
  ];
  const calls = texts.map(text => ({ text }));
  assert.deepEqual([...calls, ...calls].map(createShortener([...calls, ...calls])).slice(0, 4), [
    'SELECT … item.price FROM item WHERE item.id = ?',
    'SELECT … item.body FROM item WHERE item.id = ?',
    'SELECT … FROM item',
    'DELETE FROM item',
  ]);
  const hostile = Array.from({ length: 40 }, (_, at) => ({
    text: `SELECT ${'a '.repeat(9000)}${at} FROM b`,
  }));
  const start = performance.now();
  assert.equal(hostile.map(createShortener(hostile))[7], 'SELECT … 7 FROM b');
  assert.ok(performance.now() - start < 2000);
});

test('the verb of a finding agrees with the number of its endpoints', () => {
  const title = (/** @type {string[]} */ names) => {
    const endpoints = names.map(name => ({ name, perRequest: 9, ms: 5, responseMs: 9 }));
    const call = { ...STATEMENTS[0], most: 9 };
    return CALL_FINDINGS['n-plus-one'](
      /** @type {any} */ ({ call, endpoints, again: { words: [], missing: [] } }),
    ).title;
  };
  assert.match(title(['GET /a']), /GET \/a loads `Order\.items`/);
  assert.match(title(['GET /a', 'GET /b']), /GET \/a and GET \/b load `Order\.items`/);
});

test('a thread that a library starts is no pool of the app: its settings are named, too', () => {
  const [, advice] = ACTS.thread ?? [];
  assert.match(advice ?? '', /pool.*If a library starts it, see its settings/);
});

test('calls that were not timed have no time of 0 ms', () => {
  const opened = buildStatement({
    ...CHARGE,
    id: 'd',
    kind: 'connect',
    text: 'connect pay',
    meanMs: 0,
  });
  const calls = {
    ...buildCalls([opened]),
    bound: { by: /** @type {const} */ ('machine'), cores: 0.1 },
  };
  for (const extent of /** @type {const} */ (['short', 'full'])) {
    const text = print(calls, { extent });
    assert.match(text, /^New connections; calls were not timed$/m);
    assert.doesNotMatch(text, /at most 0 ms|times of calls are upper bounds/);
  }
});

test('a call with the wait for its client says so in the table, its headline and its finding', () => {
  const pooled = { ...CHARGE, poolShare: 0.71, meanMs: 181, ms: 181 * 200 };
  const text = print(buildCalls([pooled]), { width: 120 });
  assert.match(text, /calls per request, [^\n]*, with pool waits$/m);
  assert.match(text, /shop\/pay\.py:9 71 % in its pool: POST pay\.example\/charges/);
  const say = (/** @type {any} */ more) =>
    CALL_FINDINGS['slow-call'](
      /** @type {any} */ ({
        ...{ call: { ...pooled, p95Ms: 181, ...more }, responseMs: 219 },
        endpoint: {
          name: 'GET /trip',
          perRequest: 1,
          ofRequests: 1,
          msPerRequest: 181,
          serverMs: 210,
        },
      }),
    );
  const { title, advice } = say({});
  assert.match(
    title,
    /: 181 ms of 219 ms, about 71\.0 % of it the wait for a free connection of its/,
  );
  assert.match(advice ?? '', /^Make the pool of its client larger/);
  assert.match(say({ poolShare: 0.2 }).advice ?? '', /^Avoid waiting for it/);
  assert.match(say({ poolShare: undefined }).title, /: 181 ms of 219 ms\.$/);
});

test('says that a blocked event loop is why times of calls are upper bounds', () => {
  const bound = { by: /** @type {const} */ ('loop'), cores: 0.1 };
  const text = print({ ...buildCalls([CHARGE]), bound }, { width: 300 });
  assert.match(text, /The event loop was blocked: times of calls are upper bounds/);
  assert.doesNotMatch(text, /The CPU was saturated: times/);
});
