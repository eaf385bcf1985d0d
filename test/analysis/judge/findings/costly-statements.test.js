import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCalls, buildStatement } from '../../../fixtures/reports/build-calls.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeLoad } from '../../facts.js';
import { factsOf, find, findAll, idsOf } from './find-calls.js';

/** @import { StatementParts } from '../../../fixtures/reports/build-calls.js' */

test('a slow statement that takes most of the p95 of an endpoint is one finding', () => {
  const report = { name: 'GET /report', requests: 200 };
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /report', totalTime: { p95Ms: 900 } }] };
  const calls = (/** @type {StatementParts} */ parts) =>
    factsOf(buildCalls([buildStatement({ uses: [report], meanMs: 400, p95Ms: 800, ...parts })]), {
      load,
    });
  const [finding] = findAll(calls({}));
  assert.equal(
    wordsOf(finding).title,
    'One statement sets the p95 of GET /report: 800 ms of 900 ms.',
  );
  assert.equal(finding?.severity, 'warn');
  for (const parts of [
    { p95Ms: 300 },
    { uses: [{ ...report, perRequest: 20 }] },
    { uses: [{ ...report, requests: 4 }] },
    {
      uses: [
        { ...report, requests: 50 },
        { name: 'GET /other', requests: 900 },
      ],
    },
  ])
    assert.ok(!findAll(calls(parts)).some(({ id }) => id === 'slow-call'), JSON.stringify(parts));
});

test('advice for a slow statement names what is known of it, and how to find out the rest', () => {
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', totalTime: { p95Ms: 90 } }] };
  const adviceOf = (/** @type {StatementParts} */ parts) =>
    wordsOf(
      findAll(
        factsOf(buildCalls([buildStatement({ meanMs: 40, p95Ms: 80, ...parts })]), { load }),
      ).find(({ id }) => id === 'slow-call'),
    ).advice ?? '';
  const text = `SELECT a.id FROM a ${'LEFT OUTER JOIN b ON b.id = a.b_id '.repeat(9)}`;
  assert.match(adviceOf({ text }), /^It joins 10 tables, which takes planning\. Why is not known/);
  assert.match(adviceOf({ rows: 5000 }), /^It returns 5,000 rows\. Why is not known/);
  assert.match(adviceOf({}), /^Why is not known .*`--explain-sql`.* the planning time\.$/);
  assert.doesNotMatch(adviceOf({ text }), /index/);
});

test('calls of a request that follow each other are named together, with their lines, and those at the same time are not', () => {
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', totalTime: { p95Ms: 450 } }] };
  const http = { kind: /** @type {const} */ ('http'), system: null, meanMs: 100, p95Ms: 130 };
  const slowIn = (/** @type {number} */ serverMs, cpuMs = 10, bound = null, requests = 200) => {
    const uses = [{ name: 'GET /orders', requests }];
    const statements = [12, 15, 18].map(line =>
      buildStatement({ ...http, uses, id: `0000000${line}`, text: `GET http://s${line}`, line }),
    );
    const calls = { ...buildCalls(statements, { serverMs }), bound };
    const cost = {
      loadEndpoint: 'GET /orders',
      shareOfCpu: { value: 1 },
      views: [],
      byCategory: [],
    };
    const costs = { endpoints: [{ ...cost, cpuMsPerRequest: { value: cpuMs } }] };
    return findAll(factsOf(calls, { load, costs })).find(({ id }) => id === 'slow-call');
  };
  const { title, advice } = wordsOf(slowIn(320));
  assert.equal(
    title,
    'GET /orders makes 3 calls one after the other, at shop/views.py:12, shop/views.py:15 and shop/views.py:18: 300 ms of 320 ms in the server.',
  );
  assert.match(
    advice ?? '',
    /^If none needs what another one returns, start them at the same time/,
  );
  // Requests that wait for less than the calls take make some of them at the same time.
  for (const other of [
    slowIn(200),
    slowIn(320, 150),
    slowIn(320, 10, /** @type {any} */ ({ by: 'loop', cores: 1 })),
    // each in half of the requests, and perhaps in place of another one
    slowIn(320, 10, null, 100),
  ])
    assert.doesNotMatch(String(other && wordsOf(other).title), /one after the other/);
});

const RANDOM = { text: 'SELECT a.name FROM articles a ORDER BY RANDOM() LIMIT ?' };

test('a statement that takes a large part of all requests is named, however short it is', () => {
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', totalTime: { p95Ms: 9 } }] };
  const slowIn = (/** @type {StatementParts} */ parts, /** @type {any} */ more = {}, own = {}) =>
    findAll(
      factsOf(
        { ...buildCalls([buildStatement(parts)], { serverMs: 3, ...own }), ...more },
        { load },
      ),
    ).filter(({ id }) => id === 'slow-call');
  const [finding] = slowIn({ meanMs: 1.8 });
  assert.equal(finding?.severity, 'info');
  const { title, detail } = wordsOf(finding);
  assert.equal(
    title,
    'One statement takes about 60 % of the time of GET /orders, at shop/views.py:34: 1.8 ms of 3.0 ms in the server.',
  );
  assert.equal(detail, null);
  const [random] = slowIn({ ...RANDOM, meanMs: 1.8 });
  assert.equal(random?.severity, 'warn');
  assert.match(wordsOf(random).detail ?? '', /^A random order sorts all rows /);
  const orders = { name: 'GET /orders', requests: 200 };
  for (const parts of [
    { meanMs: 0.8 },
    { meanMs: 3.2 },
    { meanMs: 1.8, uses: [{ ...orders, perRequest: 6 }] },
    { meanMs: 1.8, uses: [{ ...orders, requests: 9 }] },
    { meanMs: 1.8, kind: /** @type {const} */ ('connect') },
  ])
    assert.deepEqual(slowIn(parts), [], JSON.stringify(parts));
  assert.deepEqual(slowIn({ meanMs: 1.8 }, {}, { serverMs: null }), [], 'of an unknown time');
});

test('a statement of a database in the process is named by its CPU, and on a saturated CPU no other one', () => {
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', totalTime: { p95Ms: 9 } }] };
  const driver = { function: 'execute', file: '<C code of a driver>', total: { value: 0.4 } };
  const profile = { causes: [], hotPaths: [{ heaviest: [driver] }] };
  const cost = {
    loadEndpoint: 'GET /orders',
    shareOfCpu: { value: 0.8 },
    views: [],
    byCategory: [],
  };
  const slowIn = (/** @type {StatementParts} */ parts, of = cost, isFull = true) => {
    const calls = buildCalls([buildStatement({ meanMs: 1.8, ...parts })], { serverMs: 3 });
    const beside = { load, profile, costs: { endpoints: [of] } };
    const bound = { by: /** @type {const} */ ('workers'), cores: 0.97 };
    const all = findAll(factsOf({ ...calls, bound: isFull ? bound : null }, beside));
    return all.find(({ id }) => id === 'slow-call');
  };
  assert.equal(
    wordsOf(slowIn({ system: 'sqlite' })).title,
    'One statement takes about 50 % of the CPU of GET /orders, at shop/views.py:34: at most 1.8 ms of 3.0 ms in the server.',
  );
  assert.equal(slowIn({ system: 'postgresql' }), undefined, 'it waits for the CPU, too');
  const other = { ...cost, shareOfCpu: { value: 2 } };
  assert.equal(slowIn({ system: 'sqlite' }, other), undefined, 'a small part of the CPU');
  assert.equal(slowIn({ system: 'sqlite' }, other, false), undefined, 'it waits for the GIL');
});

const PAGE = {
  id: 'aaaaaaaa',
  text: 'SELECT item.id, item.name FROM item WHERE item.shop = ? ORDER BY item.id LIMIT ? OFFSET ?',
  rows: 20,
};
const COUNT = { text: 'SELECT count(*) AS count_1 FROM (SELECT item.id FROM item) AS anon_1' };

test('what counts all rows for a page of the same table in the same requests is a finding, and no slow statement', () => {
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', totalTime: { p95Ms: 40 } }] };
  const find = (/** @type {StatementParts[]} */ parts, /** @type {any} */ more = {}) =>
    findAll(factsOf({ ...buildCalls(parts.map(buildStatement)), ...more }, { load }));
  const count = { ...COUNT, meanMs: 24, p95Ms: 30 };
  const [finding, ...others] = find([count, PAGE]);
  assert.deepEqual([finding?.id, finding?.severity, others], ['counted-page', 'warn', []]);
  const { title, advice, evidence } = wordsOf(finding);
  assert.equal(
    title,
    'GET /orders counts all rows for each page of them, at shop/views.py:34: 24 ms of 40 ms in the server.',
  );
  assert.doesNotMatch(advice ?? '', /index/);
  assert.ok(evidence.some(({ value }) => value.endsWith('OFFSET ?, 0.50 ms on average')));
  const quoted = { ...count, text: 'SELECT COUNT(*) AS "__count" FROM "item"' };
  assert.equal(
    find([quoted, { ...PAGE, text: 'SELECT "item"."id" FROM "item" LIMIT ?' }]).length,
    1,
  );
  const isFound = (/** @type {StatementParts[]} */ parts, /** @type {any} */ more = {}) =>
    find(parts, more).some(({ id }) => id === 'counted-page');
  const bound = { by: 'workers', cores: 0.97 };
  assert.ok(isFound([count, PAGE], { bound }));
  /** @type {[string, StatementParts[], any?][]} */
  const none = [
    ['no page', [count]],
    ['a page of another table', [count, { ...PAGE, text: 'SELECT a.id FROM a LIMIT ?' }]],
    ['the first row', [count, { ...PAGE, rows: 1 }]],
    ['all rows', [count, { ...PAGE, text: 'SELECT item.id FROM item' }]],
    ['in other requests', [count, { ...PAGE, uses: [{ name: 'GET /b', requests: 200 }] }]],
    ['a quick one', [{ ...count, meanMs: 1 }, PAGE]],
    ['quicker than its page on a saturated CPU', [count, { ...PAGE, meanMs: 30 }], { bound }],
  ];
  for (const [why, parts, more] of none) assert.ok(!isFound(parts, more), why);
  assert.ok(
    find([count]).some(({ id }) => id === 'slow-call'),
    'a count of its own may be slow',
  );
});

const TOUCH = {
  text: 'UPDATE "api_keys" SET last_used_at=? WHERE api_keys.id = ?',
  ...{ file: 'shop/auth.py', line: 12, function: 'check_key', meanMs: 6, most: 1 },
};

test('a write of nearly each GET request is a finding with its line, and one of a POST is none', () => {
  const [finding, ...others] = find(TOUCH);
  assert.deepEqual([finding?.id, finding?.severity, others], ['write-per-read', 'warn', []]);
  assert.equal(
    wordsOf(finding).title,
    'Each request to GET /orders writes: `UPDATE api_keys`, at shop/auth.py:12, 6.0 ms of 40 ms in the server.',
  );
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', totalTime: { p95Ms: 40 } }] };
  const slow = findAll(factsOf(buildCalls([buildStatement({ ...TOUCH, p95Ms: 30 })]), { load }));
  assert.deepEqual(
    slow.map(({ id }) => id),
    ['write-per-read'],
  );
  const committed = buildCalls([buildStatement({ ...TOUCH, meanMs: 1 })], { commitMs: 8 });
  assert.match(
    wordsOf(findAll(factsOf(committed))[0]).title,
    /, 9\.0 ms of 40 ms in the server, with the commit\.$/,
  );
  const bound = { by: /** @type {const} */ ('workers'), cores: 0.97 };
  const busy = findAll(factsOf({ ...buildCalls([buildStatement(TOUCH)]), bound }));
  assert.match(wordsOf(busy[0]).title, /, at most 6\.0 ms of 40 ms in the server\.$/);
  for (const parts of [
    { uses: [{ name: 'POST /orders', requests: 200 }] },
    { uses: [{ name: 'GET /orders', requests: 20 }] },
    { meanMs: 0.5 },
    { rows: 0 },
    { rows: 0.001 },
    { text: 'SELECT api_keys.id FROM api_keys WHERE api_keys.id = ? FOR UPDATE' },
  ])
    assert.deepEqual(idsOf({ ...TOUCH, ...parts }), [], JSON.stringify(parts));
  const hostile = 'UPDATE `a`);DROP TABLE b;<img src=x> SET x=?';
  assert.match(wordsOf(find({ ...TOUCH, text: hostile })[0]).title, / writes: `UPDATE a`, at /);
});

test('rows that cannot fit into the response are a finding, and a list of short ones is none', () => {
  const find = (
    /** @type {number} */ responseBytes,
    /** @type {StatementParts} */ parts = { rows: 5000 },
    gzips = 0,
    share = 0,
  ) => {
    const means = { responseBytes, gzips };
    const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', means }] };
    const byCategory = [{ category: 'database', share }];
    const cost = { loadEndpoint: 'GET /orders', samples: 9, byCategory, views: [] };
    const queries = { p50: 1, p95: 1, most: 1, mean: 1 };
    const calls = buildCalls([buildStatement(parts)], { queries });
    return findAll(factsOf(calls, { load, costs: { endpoints: [cost] } }));
  };
  assert.equal(
    wordsOf(find(120)[0]).title,
    'GET /orders reads 5,000 rows per request for a response of 120 B.',
  );
  assert.deepEqual(find(10_000), []);
  assert.equal(find(9000).length, 1);
  assert.deepEqual(find(9000, { rows: 5000 }, 1), [], 'it was compressed');
  assert.deepEqual(
    [5000, 400, 90].map(rows => find(20, { rows })[0]?.severity),
    ['warn', 'info', undefined],
  );
  assert.equal(find(20, { rows: 400 }, 0, 0.5)[0]?.severity, 'warn', 'they take half of the CPU');
  assert.deepEqual(find(120, { rows: null }), []);
});
