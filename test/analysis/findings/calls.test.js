import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALL_RULES } from '../../../lib/analysis/judge/findings/calls.js';
import { rankFindings } from '../../../lib/analysis/judge/verdict/trust.js';
import { buildCalls, buildStatement } from '../../fixtures/reports/build-calls.js';
import { wordsOf } from '../../helpers/words.js';
import { makeLoad, makeRunInfo, makeWaits } from '../facts.js';

/** @import { CallsReport, EndpointCalls } from '../../../lib/facts/calls.d.ts' */
/** @import { FindingRule } from '../../../lib/analysis/judge/statements.js' */
/** @import { StatementParts } from '../../fixtures/reports/build-calls.js' */

const ORDERS = { name: 'GET /orders', requests: 190, perRequest: 20 };
const RELATION = { relation: 'Order.items' };

/** @param {CallsReport} calls @param {any} [beside] */
const factsOf = (calls, beside = {}) => ({
  ...{ run: makeRunInfo(), load: makeLoad(), profile: null, calls },
  ...beside,
});

/** @param {Parameters<FindingRule>[0]} facts */
const findAll = facts => CALL_RULES.flatMap(rule => rule(facts));

/** Findings about one statement. @param {StatementParts} parts @param {Partial<EndpointCalls>} [own] */
const find = (parts, own) => findAll(factsOf(buildCalls([buildStatement(parts)], own)));

/** @param {StatementParts} parts @param {Partial<EndpointCalls>} [own] */
const idsOf = (parts, own) => find(parts, own).map(({ id }) => id);

test('where the CPU is saturated, times of calls are upper bounds: no savings, no slow statement', () => {
  const bound = { by: /** @type {const} */ ('workers'), cores: 0.97 };
  const many = { uses: [{ ...ORDERS, perRequest: 50 }], ...RELATION, meanMs: 2 };
  const calls = buildCalls([buildStatement({ ...many, p95Ms: 400 })]);
  const [finding, ...others] = findAll(factsOf({ ...calls, bound }));
  assert.deepEqual([finding?.id, finding?.severity, others], ['n-plus-one', 'warn', []]);
  const { title, gain, evidence } = wordsOf(finding);
  assert.match(title, /with 50 queries per request, at most 100 ms of 40 ms in the server\.$/);
  assert.match(gain ?? '', /the time is not known, because the CPU was saturated/);
  assert.ok(evidence.some(({ value }) => /^at most 2\.0 ms on average/.test(value)));
  const slow = buildCalls([buildStatement({ meanMs: 90, p95Ms: 400 })]);
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', totalTime: { p95Ms: 500 } }] };
  const idsIf = (/** @type {any} */ more) =>
    findAll(factsOf({ ...slow, ...more }, { load })).map(({ id }) => id);
  assert.deepEqual([idsIf({}), idsIf({ bound })], [['slow-call'], []]);
});

test('a relation that is loaded with a query per row is an N+1, with its line and the call that loads it at once', () => {
  const [finding] = find({ uses: [ORDERS], ...RELATION, meanMs: 0.6, most: 44 });
  assert.deepEqual(
    [finding?.id, finding?.severity, finding?.of],
    ['n-plus-one', 'warn', '0a1b2c3d'],
  );
  const words = wordsOf(finding);
  assert.equal(
    words.title,
    'N+1: GET /orders loads `Order.items` with 20 queries per request, 12 ms of 40 ms in the server.',
  );
  assert.equal(
    words.advice,
    "Load it with the query of the rows: `.options(selectinload(Order.items))`, or `joinedload(Order.items)` for a relation to one row. Try it first, with SQLAlchemy 2: `loadflame try --fix lazy-loading:Order.items --command '<how you start your API>' <your script>`.",
  );
  assert.equal(
    words.gain,
    'One query for all rows would save up to 11.4 ms of the 40 ms in the server per request.',
  );
  assert.deepEqual(words.evidence, [
    {
      label: 'statement',
      value: 'SELECT items.id, items.name, items.price FROM items WHERE items.order_id = ?',
    },
    { label: 'sent from', value: 'list_orders (shop/views.py:34)' },
    {
      label: 'GET /orders',
      value: '20 per request on average, in 95.0 % of its requests; 12 ms of 40 ms in the server',
    },
    { label: 'each execution', value: '0.60 ms on average' },
    { label: 'the most in one request', value: '44' },
  ]);
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

test('the advice for Django is `select_related` for a forward relation and `prefetch_related` for a reverse one', () => {
  const text = 'SELECT "items"."id" FROM "items" WHERE "items"."order_id" = ?';
  const django = { ...RELATION, text, uses: [ORDERS] };
  assert.match(wordsOf(find(django)[0]).advice ?? '', /`prefetch_related\('items'\)`/);
  const forward = {
    relation: 'Order.customer',
    text: 'SELECT "c"."id" FROM "c" WHERE "c"."id" = ? LIMIT ?',
  };
  assert.match(
    wordsOf(find({ ...django, ...forward })[0]).advice ?? '',
    /`select_related\('customer'\)`/,
  );
});

test('the advice for a deferred column names it, and no remedy for relations', () => {
  const column = { relation: 'Item.body', uses: [ORDERS] };
  const text = 'SELECT items.body AS items_body FROM items WHERE items.id = ?';
  const [finding] = find({ ...column, text });
  assert.equal(finding?.id, 'n-plus-one');
  const words = wordsOf(finding);
  assert.match(words.detail ?? '', /^The code reads the deferred column of/);
  assert.match(words.advice ?? '', /`\.options\(undefer\(Item\.body\)\)`/);
  assert.doesNotMatch(words.advice ?? '', /selectinload|--fix/);
  const django = 'SELECT "items"."id", "items"."body" FROM "items" WHERE "items"."id" = ? LIMIT ?';
  assert.match(wordsOf(find({ ...column, text: django })[0]).advice ?? '', /out of `\.defer\(\)`/);
});

test('no command is printed for a relation with a name that a shell reads', () => {
  const [finding] = find({ relation: 'Order.items;reboot', uses: [ORDERS] });
  assert.doesNotMatch(wordsOf(finding).advice ?? '', /loadflame try/);
});

test('without a relation, a statement that runs as often as there are rows is an N+1', () => {
  const [finding] = find({ uses: [ORDERS] });
  assert.equal(finding?.id, 'n-plus-one');
  assert.match(wordsOf(finding).advice ?? '', /^The loop around shop\/views\.py:34 can ask/);
});

test('a row that is locked, and a list of one key, are read for each row like any other', () => {
  const loop = { uses: [ORDERS] };
  for (const text of [
    'SELECT a FROM items WHERE id = ? FOR UPDATE',
    'SELECT a FROM items WHERE id = ? FOR NO KEY UPDATE',
    'SELECT a FROM items WHERE id IN (?)',
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

test('a finding on a repeated statement other than N+1 advises by its kind', () => {
  const [finding] = find({ uses: [{ ...ORDERS, perRequest: 6 }], most: 6 });
  const { title, advice, gain } = wordsOf(finding);
  assert.equal(
    title,
    'GET /orders sends the same statement again and again: 6.0 times per request, 3.0 ms of 40 ms in the server.',
  );
  assert.match(advice ?? '', /a join/);
  assert.match(gain ?? '', /^One for all would save up to 2\.5 ms/);
  assert.equal(finding?.severity, 'info');
  const adviceOf = (/** @type {StatementParts} */ parts) =>
    wordsOf(find({ uses: [ORDERS], ...parts })[0]).advice;
  assert.match(adviceOf({ text: 'INSERT INTO a VALUES (?)' }) ?? '', /executemany/);
  assert.match(adviceOf({ kind: 'redis', system: null, text: 'GET' }) ?? '', /pipeline/);
});

test('a SELECT that a line sends twice in each request is a remark with the time of one', () => {
  const twice = { uses: [{ ...ORDERS, perRequest: 2 }], most: 2, meanMs: 4 };
  const [finding, ...others] = find(twice);
  assert.deepEqual([finding?.id, finding?.severity, others], ['repeated-call', 'info', []]);
  const { title, advice, gain } = wordsOf(finding);
  assert.equal(
    title,
    'GET /orders sends the same statement twice: 2.0 times per request, 8.0 ms of 40 ms in the server.',
  );
  assert.match(advice ?? '', /keep the first result/);
  assert.match(gain ?? '', /^Executing it once would save up to 4(?:\.0)? ms/);
  for (const [name, parts] of /** @type {[string, StatementParts][]} */ ([
    ['two rows of some requests', { ...twice, uses: [{ ...ORDERS, perRequest: 1.5 }] }],
    ['little time', { ...twice, meanMs: 0.5 }],
    ['two inserts', { ...twice, text: 'INSERT INTO a VALUES (?)' }],
    ['an unknown line', { ...twice, file: null, line: null, function: null }],
    ['a rare path', { ...twice, uses: [{ ...ORDERS, perRequest: 2, requests: 30 }] }],
  ]))
    assert.deepEqual(idsOf(parts), [], name);
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

test('a finding on waits for a connection gives their part of a request, and gives way to the bottleneck', () => {
  const statement = buildStatement();
  const facts = factsOf(buildCalls([statement], { poolMs: { mean: 12, count: 150 } }));
  const [finding] = findAll(facts);
  assert.equal(
    wordsOf(finding).title,
    'Requests to GET /orders wait for a connection of the pool: 12 ms of 40 ms in the server.',
  );
  assert.deepEqual(
    findAll(factsOf(buildCalls([statement], { poolMs: { mean: 0.3, count: 9 } }))),
    [],
  );
  const bottleneck = /** @type {any} */ ({
    id: 'bottleneck',
    of: 'pool',
    severity: 'warn',
    facts: {},
  });
  assert.deepEqual(rankFindings([bottleneck, ...(finding ? [finding] : [])]), [bottleneck]);
});

test('a finding on a transaction that stays open during a call names the host', () => {
  const parts = {
    kind: /** @type {const} */ ('http'),
    system: null,
    text: 'POST pay.example/charges',
    meanMs: 80,
  };
  const find = (/** @type {number} */ openMs) =>
    findAll(factsOf(buildCalls([buildStatement({ ...parts, openMs })])));
  assert.equal(
    wordsOf(find(200 * 70)[0]).title,
    'A transaction stays open while GET /orders calls pay.example: 70 ms per request.',
  );
  assert.deepEqual(find(200 * 2), []);
});

test('rows that cannot fit into the response are a finding, and a list of short ones is none', () => {
  const find = (
    /** @type {number} */ responseBytes,
    /** @type {StatementParts} */ parts = { rows: 5000 },
  ) => {
    const load = { ...makeLoad(), endpoints: [{ name: 'GET /orders', means: { responseBytes } }] };
    return findAll(factsOf(buildCalls([buildStatement(parts)]), { load }));
  };
  assert.equal(
    wordsOf(find(120)[0]).title,
    'GET /orders reads 5,000 rows per request for a response of 120 B.',
  );
  assert.deepEqual(find(10_000), []);
  assert.deepEqual(find(20, { rows: 400 }), []);
  assert.deepEqual(find(120, { rows: null }), []);
});
