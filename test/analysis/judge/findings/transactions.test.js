import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankFindings } from '../../../../lib/analysis/judge/verdict/trust.js';
import { buildCalls, buildStatement } from '../../../fixtures/reports/build-calls.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeLoad } from '../../facts.js';
import { factsOf, findAll } from './find-calls.js';

/** @import { EndpointCalls } from '../../../../lib/run/facts/calls.d.ts' */
/** @import { StatementParts } from '../../../fixtures/reports/build-calls.js' */

test('a transaction that is open for much longer than its statements take is a finding, with what it locks', () => {
  const uses = [{ name: 'POST /orders', requests: 200 }];
  const lock = {
    ...{ uses, file: 'shop/stock.py', line: 7, function: 'reserve', p95Ms: 2 },
    text: 'SELECT stock.n FROM stock WHERE stock.id = ? FOR UPDATE',
  };
  const find = (
    /** @type {Partial<EndpointCalls>} */ own,
    /** @type {StatementParts} */ parts = lock,
    more = {},
  ) => {
    const calls = buildCalls([buildStatement(parts)], {
      ...{ databaseMs: { mean: 3, p95: 5 }, commitMs: 1, heldMs: 60, serverMs: 70, ...own },
    });
    return findAll(factsOf({ ...calls, ...more })).filter(({ id }) => id === 'held-transaction');
  };
  const [finding] = find({});
  assert.equal(finding?.severity, 'warn');
  const { title, evidence } = wordsOf(finding);
  assert.equal(
    title,
    'POST /orders keeps a transaction open for 60 ms per request, and uses it for 4.0 ms.',
  );
  assert.deepEqual(evidence, [
    { label: 'locks rows', value: lock.text },
    { label: 'sent from', value: 'reserve (shop/stock.py:7)' },
  ]);
  const plain = { uses, text: 'SELECT stock.n FROM stock WHERE stock.id = ?' };
  assert.equal(find({ heldMs: 20 })[0]?.severity, 'info');
  assert.deepEqual(find({ heldMs: 20 }, plain), [], 'it only reads');
  assert.equal(find({ heldMs: 20, poolMs: { mean: 3, count: 90 } }, plain)[0]?.severity, 'warn');
  assert.deepEqual(find({ databaseMs: { mean: 50, p95: 60 } }), [], 'it is used');
  assert.deepEqual(find({ heldMs: undefined }), [], 'an older report');
  const bound = { by: 'workers', cores: 0.97 };
  assert.deepEqual(find({}, lock, { bound }), [], 'it may wait for the CPU');
  const called = { ...plain, kind: /** @type {const} */ ('http'), openMs: 200 * 55 };
  assert.deepEqual(find({}, called), [], 'another finding names the call');
});

test('a slow statement that waits for locks is not advised an index', () => {
  const load = { ...makeLoad(), endpoints: [{ name: 'POST /orders', totalTime: { p95Ms: 90 } }] };
  const uses = [{ name: 'POST /orders', requests: 200 }];
  const update = 'UPDATE "api_keys" SET last_used_at=? WHERE api_keys.id = ?';
  for (const text of [update, 'SELECT stock.n FROM stock WHERE stock.id = ? FOR UPDATE']) {
    const calls = buildCalls([buildStatement({ text, uses, p95Ms: 80 })]);
    const [finding] = findAll(factsOf(calls, { load }));
    assert.equal(finding?.id, 'slow-call');
    assert.match(wordsOf(finding).advice ?? '', /^It may wait for a row that another/);
  }
});

test('a slow statement that only takes a lock is advised to hold it for less time', () => {
  const load = { ...makeLoad(), endpoints: [{ name: 'POST /orders', totalTime: { p95Ms: 90 } }] };
  const uses = [{ name: 'POST /orders', requests: 200 }];
  const adviceFor = (/** @type {string} */ text) => {
    const calls = buildCalls([buildStatement({ text, uses, p95Ms: 80 })]);
    const [finding] = findAll(factsOf(calls, { load }));
    assert.equal(finding?.id, 'slow-call');
    return wordsOf(finding).advice ?? '';
  };
  const advisory = 'SELECT pg_advisory_xact_lock(?)';
  for (const text of ['BEGIN IMMEDIATE', 'LOCK TABLE numbers IN EXCLUSIVE MODE', advisory])
    assert.match(adviceFor(text), /^It waits while another transaction holds the lock/);
  for (const text of ['SELECT l.id FROM lock l', 'SELECT locked FROM pg_advisory_locks'])
    assert.match(adviceFor(text), /^Why is not known from its time alone: /);
});

test('a slow statement that takes rows at random is not advised an index', () => {
  const load = { ...makeLoad(), endpoints: [{ name: 'GET /random', totalTime: { p95Ms: 90 } }] };
  const uses = [{ name: 'GET /random', requests: 200 }];
  const adviceFor = (/** @type {string} */ order) => {
    const text = `SELECT a.name FROM articles a WHERE a.project = ? ORDER BY ${order} LIMIT ?`;
    const calls = buildCalls([buildStatement({ text, uses, p95Ms: 80 })]);
    const [finding] = findAll(factsOf(calls, { load }));
    assert.equal(finding?.id, 'slow-call');
    return wordsOf(finding).advice ?? '';
  };
  for (const order of ['RANDOM()', 'rand()', 'RAND() ASC', 'newid()'])
    assert.match(adviceFor(order), /^It sorts all rows .* no index helps/);
  for (const order of ['a.random', 'random(?)', 'a.name'])
    assert.match(adviceFor(order), /^Why is not known from its time alone: /);
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
  const bound = { by: /** @type {const} */ ('workers'), cores: 0.97 };
  assert.deepEqual(
    findAll({ ...facts, calls: { ...facts.calls, bound } }),
    [],
    'they may wait for the CPU',
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
  const some = buildStatement({
    ...parts,
    openMs: 50 * 70,
    uses: [{ name: 'GET /orders', requests: 50 }],
  });
  assert.match(wordsOf(findAll(factsOf(buildCalls([some])))[0]).title, / 17\.5 ms per request\.$/);
  const bound = { by: /** @type {const} */ ('workers'), cores: 0.97 };
  const long = buildCalls([buildStatement({ ...parts, openMs: 200 * 70 })]);
  const [finding] = findAll(factsOf({ ...long, bound }));
  assert.equal(finding?.severity, 'info');
  assert.match(wordsOf(finding).title, /: at most 70 ms per request\.$/);
});

test('a command that waits for an item of another process is advised no cache', () => {
  const load = { ...makeLoad(), endpoints: [{ name: 'POST /orders', totalTime: { p95Ms: 90 } }] };
  const uses = [{ name: 'POST /orders', requests: 200 }];
  const adviceFor = (/** @type {string} */ text) => {
    const one = { text, kind: /** @type {const} */ ('redis'), system: 'redis', uses, p95Ms: 80 };
    const [finding] = findAll(factsOf(buildCalls([buildStatement(one)]), { load }));
    assert.equal(finding?.id, 'slow-call');
    return wordsOf(finding).advice ?? '';
  };
  for (const text of ['BLPOP cache:6379', 'BRPOP cache:6379', 'XREAD BLOCK cache:6379'])
    assert.match(adviceFor(text), /^It waits until another process adds an item/);
  for (const text of ['XREAD cache:6379', 'BITCOUNT cache:6379'])
    assert.match(adviceFor(text), /cache the result/);
});
