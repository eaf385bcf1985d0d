import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankFindings } from '../../../../lib/analysis/judge/verdict/trust.js';
import { buildCalls, buildStatement } from '../../../fixtures/reports/build-calls.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../../facts.js';
import { factsOf, find, findAll, idsOf } from './find-calls.js';

/** @import { EndpointCalls } from '../../../../lib/run/facts/calls.d.ts' */
/** @import { StatementParts } from '../../../fixtures/reports/build-calls.js' */

const ORDERS = { name: 'GET /orders', requests: 190, perRequest: 20 };
const RELATION = { relation: 'Order.items' };

test('where the CPU is saturated, times of calls are upper bounds: no savings, no slow statement', () => {
  const bound = { by: /** @type {const} */ ('workers'), cores: 0.97 };
  const many = { uses: [{ ...ORDERS, requests: 200, perRequest: 50 }], ...RELATION, meanMs: 2 };
  const calls = buildCalls([buildStatement({ ...many, p95Ms: 400 })]);
  const [finding, ...others] = findAll(factsOf({ ...calls, bound }));
  assert.deepEqual([finding?.id, finding?.severity, others], ['n-plus-one', 'warn', []]);
  const { title, gain, evidence } = wordsOf(finding);
  assert.match(title, /with 50 queries per request, at most 40 ms of 40 ms in the server\.$/);
  assert.match(gain ?? '', /the time is not known, because calls also waited for their worker/);
  assert.ok(evidence.some(({ value }) => /^at most 2\.0 ms on average/.test(value)));
  const few = buildCalls([
    buildStatement({ ...RELATION, meanMs: 0.1, uses: [{ ...ORDERS, perRequest: 12 }] }),
  ]);
  const severities = [{}, { bound }].map(own => findAll(factsOf({ ...few, ...own }))[0]?.severity);
  assert.deepEqual(severities, ['info', 'warn'], 'without times, the count decides');
  /** @param {number} database share of the CPU */
  const costs = database => ({
    endpoints: [
      {
        ...{ loadEndpoint: 'GET /orders', samples: 400, shareOfCpu: { value: 0.9 }, views: [] },
        byCategory: [{ category: 'database', share: database }],
      },
    ],
  });
  const withCpu = [0.6, 0.1].map(
    share => findAll(factsOf({ ...few, bound }, { costs: costs(share) }))[0]?.severity,
  );
  assert.deepEqual(withCpu, ['warn', 'info'], 'known to cost next to nothing');
  const slow = buildCalls([buildStatement({ meanMs: 90, p95Ms: 400 })]);
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', totalTime: { p95Ms: 500 } }] };
  const idsIf = (/** @type {any} */ more) =>
    findAll(factsOf({ ...slow, ...more }, { load })).map(({ id }) => id);
  assert.deepEqual([idsIf({}), idsIf({ bound })], [['slow-call'], []]);
});

test('the gain of one query is what the time and the CPU of the others take from each request', () => {
  const slow = buildStatement({ uses: [{ ...ORDERS, requests: 200 }], ...RELATION, meanMs: 10 });
  const facts = {
    ...{ pressure: { id: 'waiting', facts: { users: 8, share: 1 } }, throughputPerSec: 20 },
    ...{ workers: { processes: 1, cores: 0.02, busiestCores: 0.02 }, generatorCores: 0.02 },
    ...{ host: { cores: 0.1, cpus: 4 }, loopWaits: null, paths: [] },
    waits: makeWaits({ database: 1 }, { slots: 16, busy: 8 }),
  };
  const calls = buildCalls([slow], { serverMs: 400 });
  const [finding] = findAll(factsOf(calls, { bottleneck: { id: 'database', facts } }));
  // 190 of 400 ms go
  const gain = finding?.id === 'n-plus-one' ? finding.facts.gain : null;
  assert.ok(Math.abs((gain?.value ?? 0) - 190 / 210) < 0.03, JSON.stringify(gain));
  assert.ok((gain?.low ?? 1) < 0.35, 'a query for all rows takes longer than one for a row');
  assert.match(
    wordsOf(finding).gain ?? '',
    /The same users would get about 9\d\.\d % more requests/,
  );
});

test('where CPU is the bottleneck, the gain is what the CPU of driver and ORM leaves, as samples show it', () => {
  const own = { loadEndpoint: 'GET /orders', samples: 400, shareOfCpu: { value: 1 }, views: [] };
  const byCategory = [{ category: 'database', share: 0.8 }];
  const { cpu, profile } = makeRecorded({ cores: [1], cpuMs: 10 });
  const facts = {
    ...{ bottleneck: { id: 'workers', facts: {} }, cpu, run: makeRunInfo(), timeline: null },
    costs: { endpoints: [{ ...own, byCategory }] },
  };
  const repeated = buildStatement({ uses: [{ ...ORDERS, requests: 200 }], ...RELATION });
  const gainOf = (/** @type {object} */ seen, /** @type {any[]} */ ...others) => {
    const samples = { ...profile.samples, unseenShare: 0, skew: 1, ...seen };
    const calls = buildCalls([repeated, ...others]);
    const all = factsOf(calls, { ...facts, profile: { ...profile, samples } });
    const [finding] = findAll(all);
    return finding?.id === 'n-plus-one' ? finding.facts.gain : null;
  };
  const share = (0.8 * 19) / 24; // 19 of the 24 queries of a request go
  assert.equal(gainOf({})?.value.toFixed(3), (1 / (1 - share) - 1).toFixed(3));
  const most = 1 / ((1 - share) * (1 - share / 2)) - 1;
  assert.equal(gainOf({})?.high?.toFixed(3), most.toFixed(3));
  assert.ok((gainOf({})?.low ?? 1) < 0.45);
  assert.ok((gainOf({ skew: 1.5 })?.high ?? 0) > (gainOf({})?.high ?? 0));
  // To read 960 rows with one statement takes ORM and driver more than all 24 queries.
  const uses = [{ ...ORDERS, requests: 200, perRequest: 1 }];
  const page = buildStatement({ uses, id: '00000009', rows: 961, line: 9 });
  const few = share / (1 + 960 / 24 / 30);
  assert.equal(gainOf({}, page)?.value.toFixed(3), (1 / (1 - few) - 1).toFixed(3));
  assert.equal(gainOf({}, page)?.high?.toFixed(3), most.toFixed(3), 'or they cost next to nothing');
});

test('statements that run in parallel save at most the time in the server', () => {
  const parallel = {
    uses: [{ ...ORDERS, requests: 200, perRequest: 50 }],
    ...RELATION,
    meanMs: 20,
  };
  assert.match(
    wordsOf(find(parallel)[0]).gain ?? '',
    /^One query for all rows would save up to 39\.2 ms of the 40 ms/,
  );
});

test('without a relation, a statement that runs as often as there are rows is an N+1', () => {
  const [finding] = find({ uses: [ORDERS] });
  assert.equal(finding?.id, 'n-plus-one');
  assert.match(wordsOf(finding).advice ?? '', /^The loop around shop\/views\.py:34 can ask/);
});

test('an endpoint whose pages all have the same number of rows has the N+1 of another one, too', () => {
  const uses = [{ ...ORDERS }, { name: 'GET /assets', requests: 190, perRequest: 20 }];
  const calls = buildCalls([buildStatement({ uses, most: 60 })]);
  const same = { p50: 22, p95: 22, most: 22, mean: 22 };
  calls.endpoints = calls.endpoints.map(own =>
    own.name === 'GET /assets' ? { ...own, queries: same } : own,
  );
  const [finding, ...others] = findAll(factsOf(calls));
  assert.match(wordsOf(finding).title, /^N\+1: GET \/orders and GET \/assets load rows with /);
  assert.deepEqual(others, []);
});

test('the loop of a helper may be in a caller of it', () => {
  const view = { function: 'show', file: 'shop/views.py' };
  const cost = { loadEndpoint: 'GET /orders', shareOfCpu: { value: 1 }, byCategory: [] };
  const adviceOf = (/** @type {string} */ name) => {
    const calls = buildCalls([buildStatement({ uses: [ORDERS], function: name })]);
    const costs = { endpoints: [{ ...cost, views: [view] }] };
    return wordsOf(findAll(factsOf(calls, { costs }))[0]).advice ?? '';
  };
  assert.match(adviceOf('show'), /^The loop around shop\/views\.py:34 can ask/);
  assert.match(
    adviceOf('Asset.first_owner'),
    /^The loop around shop\/views\.py:34, or around a call of `Asset\.first_owner`, can ask/,
  );
});

test('what an N+1 would save includes the CPU of ORM and driver', () => {
  const cost = { loadEndpoint: 'GET /orders', samples: 400, shareOfCpu: { value: 1 }, views: [] };
  const known = { ...cost, cpuMsPerRequest: { value: 30 } };
  const byCategory = [{ category: 'database', share: 0.8 }];
  const gainOf = (/** @type {any} */ own, /** @type {any} */ bound = null) => {
    const calls = { ...buildCalls([buildStatement({ uses: [ORDERS], ...RELATION })]), bound };
    const all = findAll(factsOf(calls, { costs: { endpoints: [{ ...own, byCategory }] } }));
    return wordsOf(all[0]).gain ?? '';
  };
  // 9 ms in statements, and 18 of 24 queries with 24 ms of CPU
  assert.match(
    gainOf(known),
    /up to 27\.\d ms of the 40 ms in the server per request, with the CPU of/,
  );
  assert.match(gainOf(cost), /up to 9\.\d ms of the 40 ms in the server per request\./);
  const bound = { by: 'workers', cores: 0.97 };
  assert.match(gainOf(known, bound), /saves up to 18\.\d ms of CPU per request; the time is not/);
});

test('a row that is locked, and a list of one key, are read for each row like any other', () => {
  const loop = { uses: [ORDERS] };
  for (const text of [
    'SELECT a FROM items WHERE id = ? FOR UPDATE',
    'SELECT a FROM items WHERE id = ? FOR NO KEY UPDATE',
    'SELECT a FROM items WHERE id IN (?)',
    'SELECT items.id, items.na ... me = ? AND items.order_id = ?',
  ])
    assert.deepEqual(idsOf({ ...loop, text }), ['n-plus-one'], text);
});

test('what repeats for another reason than rows is never called an N+1', () => {
  const loop = { uses: [ORDERS] };
  /** @type {[string, StatementParts, Partial<EndpointCalls>?][]} */
  const others = [
    ['a batch of inserts', { ...loop, text: 'INSERT INTO items (id, name) VALUES (?, ?)' }],
    [
      'an insert from a query',
      { ...loop, text: 'WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a' },
    ],
    ['a sequence for each insert', { ...loop, text: "SELECT nextval('items_id_seq')" }],
    ['a ping of the connection', { ...loop, text: 'SELECT ?' }],
    [
      'chunks of ids',
      { ...loop, ...RELATION, rows: 400, text: 'SELECT a FROM items WHERE order_id IN (?)' },
    ],
    ['an array of ids', { ...loop, rows: 90, text: 'SELECT a FROM items WHERE order_id = ANY(?)' }],
    [
      'the tables of the database',
      { ...loop, text: 'SELECT a FROM pg_catalog.pg_class WHERE b = ?' },
    ],
    ['polling for new rows', { ...loop, rows: 0.05 }],
    ['a loop that sleeps', loop, { serverMs: 24 * 100 }],
    ['twelve months', { ...loop, uses: [{ ...ORDERS, perRequest: 12 }], most: 12 }],
    [
      'twelve months, tried again once',
      { ...loop, uses: [{ ...ORDERS, perRequest: 12 }], most: 24 },
      { queries: { p50: 14, p95: 14, most: 26, mean: 14 } },
    ],
    ['a retry in few requests', { ...loop, ...RELATION, uses: [{ ...ORDERS, requests: 30 }] }],
    ['a few look-ups', { ...loop, ...RELATION, uses: [{ ...ORDERS, perRequest: 4 }] }],
    ['an unknown line', { ...loop, file: null, line: null, function: null }],
    ['Redis', { ...loop, kind: 'redis', system: null, text: 'GET' }],
  ];
  for (const [name, parts, own] of others)
    assert.ok(!idsOf(parts, own).includes('n-plus-one'), name);
});

test('a loop over different statements repeats nothing', () => {
  const statements = Array.from({ length: 12 }, (_, table) =>
    buildStatement({
      id: `0000000${table}`,
      text: `SELECT a FROM t${table} WHERE id = ?`,
      uses: [{ ...ORDERS, perRequest: 1 }],
    }),
  );
  assert.deepEqual(findAll(factsOf(buildCalls(statements))), []);
});

test('endpoints that repeat a statement share a count only where theirs agree, and a time has its endpoint', () => {
  const uses = [
    { ...ORDERS, perRequest: 9 },
    { ...ORDERS, name: 'GET /all', perRequest: 6 },
  ];
  const [finding] = find({ uses, most: 9 });
  assert.equal(
    wordsOf(finding).title,
    'N+1: GET /orders and GET /all load rows with 5.7 to 8.6 queries per request, 4.3 ms of 40 ms in the server at GET /orders.',
  );
});

test('a finding on a repeated statement other than N+1 advises by its kind', () => {
  const [finding] = find({ uses: [{ ...ORDERS, perRequest: 6 }], most: 6 });
  const { title, advice, gain } = wordsOf(finding);
  assert.equal(
    title,
    'GET /orders sends the same statement again and again: 5.7 times per request, 2.9 ms of 40 ms in the server.',
  );
  assert.match(advice ?? '', /a join/);
  assert.match(gain ?? '', /^One for all would save up to 2\.4 ms/);
  assert.equal(finding?.severity, 'info');
  const adviceOf = (/** @type {StatementParts} */ parts) =>
    wordsOf(find({ uses: [ORDERS], ...parts })[0]).advice;
  assert.match(adviceOf({ text: 'INSERT INTO a VALUES (?)' }) ?? '', /executemany/);
  for (const text of ['DELETE FROM cache WHERE now() > ttl', 'UPDATE a SET b = ? WHERE id = ?'])
    assert.match(adviceOf({ text }) ?? '', /^Execute it once for all rows/);
  assert.match(adviceOf({ kind: 'redis', system: null, text: 'GET' }) ?? '', /pipeline/);
});

test('a statement that a view’s class repeats is a finding whose place is the class, without a line', () => {
  const own = { file: 'api/views.py', line: null, function: 'Speakers' };
  const [finding] = find({ uses: [{ ...ORDERS, perRequest: 6 }], most: 6, ...own });
  assert.equal(finding?.id, 'repeated-call');
  const { value } = wordsOf(finding).evidence.find(({ label }) => label === 'sent from') ?? {};
  assert.equal(value, 'Speakers (api/views.py)');
});

test('a SELECT that a line sends twice in each request is a remark with the time of one', () => {
  const twice = { uses: [{ ...ORDERS, perRequest: 2 }], most: 2, meanMs: 4 };
  const [finding, ...others] = find(twice);
  assert.deepEqual([finding?.id, finding?.severity, others], ['repeated-call', 'info', []]);
  const { title, advice, gain } = wordsOf(finding);
  assert.equal(
    title,
    'GET /orders sends the same statement twice: 1.9 times per request, 7.6 ms of 40 ms in the server.',
  );
  assert.match(advice ?? '', /keep the first result/);
  assert.match(gain ?? '', /^Executing it once would save up to 3\.8 ms/);
  for (const [name, parts] of /** @type {[string, StatementParts][]} */ ([
    ['two rows of some requests', { ...twice, uses: [{ ...ORDERS, perRequest: 1.5 }] }],
    ['little time', { ...twice, meanMs: 0.5 }],
    [
      'two inserts',
      {
        ...twice,
        text: 'INSERT INTO a VALUES (?)',
        uses: [{ ...ORDERS, name: 'POST /orders', perRequest: 2 }],
      },
    ],
    ['an unknown line', { ...twice, file: null, line: null, function: null }],
    ['a rare path', { ...twice, uses: [{ ...ORDERS, perRequest: 2, requests: 30 }] }],
  ]))
    assert.deepEqual(idsOf(parts), [], name);
});

test('a request that opens a connection each time is a finding with its count and line, and no time', () => {
  /** @type {StatementParts} */
  const parts = {
    kind: 'connect',
    system: null,
    text: 'connect 10.0.0.5:5432',
    meanMs: 0,
    most: 1,
  };
  const [finding, ...others] = find({ ...parts, uses: [{ ...ORDERS, perRequest: 1 }] });
  assert.deepEqual([finding?.id, finding?.severity, others], ['repeated-call', 'warn', []]);
  const { title, advice, gain, evidence } = wordsOf(finding);
  assert.match(
    title,
    /^GET \/orders opens new connections, \d.* per request: connect 10\.0\.0\.5:5432\.$/,
  );
  assert.match(advice ?? '', /^Keep connections open/);
  assert.match(gain ?? '', /^Its time is part of the call/);
  assert.doesNotMatch(JSON.stringify(evidence), /0 ms|each execution/);
  const again = { ...parts, id: '0a1b2c3e', line: 50, uses: [{ ...ORDERS, name: 'GET /items' }] };
  const both = [{ ...parts, uses: [{ ...ORDERS, perRequest: 1 }] }, again].map(buildStatement);
  const [merged, ...more] = findAll(factsOf(buildCalls(both)));
  assert.match(
    wordsOf(merged).title,
    /^GET \/orders and GET \/items open new connections, 0\.9 to 19 per request: connect/,
  );
  assert.deepEqual(more, [], 'a service is one finding, whichever lines connect');
  // Those of a pool are opened by few requests.
  assert.deepEqual(idsOf({ ...parts, uses: [{ ...ORDERS, perRequest: 1, requests: 30 }] }), []);
});

test('a line that asks the database about its schema in each request repeats a statement', () => {
  const parts = { text: 'PRAGMA table_info(?)', meanMs: 0.1, most: 40 };
  const [found] = find({ ...parts, uses: [{ ...ORDERS, perRequest: 40 }] });
  assert.match(wordsOf(found).advice ?? '', /^Ask once and keep the response/);
  for (const text of [parts.text, 'SHOW COLUMNS FROM orders', 'CALL refresh(?)'])
    assert.deepEqual(idsOf({ ...parts, text, uses: [{ ...ORDERS, perRequest: 40 }] }), [
      'repeated-call',
    ]);
  for (const text of ['SELECT ?', 'SET search_path TO a', 'SELECT name FROM sqlite_master'])
    assert.deepEqual(idsOf({ ...parts, text, uses: [{ ...ORDERS, perRequest: 40 }] }), [], text);
});

test('a remark on stacks that load row by row gives way to the counted statements', () => {
  const cause = /** @type {any} */ ({
    id: 'cause',
    of: 'lazy-loading',
    severity: 'warn',
    facts: {},
  });
  const counted = find({ uses: [ORDERS], ...RELATION });
  assert.deepEqual(
    rankFindings([cause, ...counted]).map(({ id }) => id),
    ['n-plus-one'],
  );
  assert.deepEqual(rankFindings([cause]), [cause]);
});

test('what sets up a connection is repeated as often as connections are opened', () => {
  for (const text of ['PRAGMA foreign_keys = ON', 'PRAGMA cache_size = ?;']) {
    const [finding] = find({ text, uses: [{ ...ORDERS, perRequest: 40 }], meanMs: 1, most: 40 });
    assert.match(wordsOf(finding).advice ?? '', /^It sets up new connections.*a pool/, text);
  }
});

test('many quick PRAGMAs are a remark unless they take time, for SQLite is in the process', () => {
  const bound = { by: /** @type {const} */ ('workers'), cores: 0.97 };
  /** @param {StatementParts} parts @param {object} [more] */
  const severityOf = (parts, more) => {
    const ask = { text: 'PRAGMA table_info(?)', system: 'sqlite', meanMs: 0.02, most: 40 };
    return findAll(factsOf({ ...buildCalls([buildStatement({ ...ask, ...parts })]), ...more }))[0]
      ?.severity;
  };
  const [ten, thirty] = [10, 30].map(perRequest => ({
    uses: [{ ...ORDERS, requests: 200, perRequest }],
  }));
  assert.equal(severityOf({ ...ten }, { bound }), 'info');
  assert.equal(severityOf({ ...thirty }), 'info');
  assert.equal(
    severityOf({ ...ten, meanMs: 1 }, { bound }),
    'warn',
    'at most a fourth of the time',
  );
  assert.equal(severityOf({ ...thirty, meanMs: 1 }), 'warn');
  const distant = { ...thirty, text: 'SHOW search_path', system: 'postgresql' };
  assert.equal(severityOf(distant), 'warn', 'each is a round trip');
});
