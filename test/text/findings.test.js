import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../lib/analysis/hotpath/load-rules.js';
import { describeFinding } from '../../lib/text/findings.js';
import { CALL_FINDINGS } from '../../lib/text/findings-calls.js';
import { buildStatement } from '../fixtures/reports/build-calls.js';

test('names each variable that was empty, in requests and in other steps', () => {
  const variables = [
    { name: 'token', endpoint: 'emit one of two', count: 3, requests: null },
    { name: 'id', endpoint: 'GET /a', count: 2, requests: 9 },
  ];
  const of = (/** @type {typeof variables} */ ...all) =>
    describeFinding(
      /** @type {any} */ ({ id: 'empty-variables', level: 'warn', facts: { variables: all } }),
    );
  const [step, request] = variables;
  assert.ok(step && request);
  const { title, evidence } = of(step, request);
  assert.equal(title, '`token` was empty in 3 executions of emit one of two.');
  assert.deepEqual(
    evidence.map(({ label, value }) => [label, value]),
    [['`id` of GET /a', 'empty in 2 of 9 requests']],
  );
  assert.equal(of(request).title, '`id` was empty in 2 of 9 requests of GET /a.');
});

test('a statement that takes a list of keys is not advised to take one', () => {
  const adviceOf = (/** @type {string} */ text) => {
    const call = buildStatement({ text, most: 40 });
    const repeated = { call, endpoints: [], savedMs: 8, savedCpuMs: 0, gain: null, parents: null };
    return [CALL_FINDINGS['n-plus-one'](repeated), CALL_FINDINGS['repeated-call'](repeated)].map(
      ({ advice }) => advice ?? '',
    );
  };
  const list = 'SELECT items.name FROM items WHERE items.order_id IN (?)';
  for (const text of [list, list.replace('IN (?)', '= ANY(?)'), `${list} ORDER BY items.id`])
    for (const advice of adviceOf(text))
      assert.match(advice, /^It takes a list of keys already: .*`selectinload`/);
  for (const text of [`${list} AND items.state = ?`, list.replace('IN (?)', '= ?')])
    for (const advice of adviceOf(text)) assert.match(advice, /a join, .*`.*IN \(…\)`/);
});

test('lists as counted by the companion alone exactly the findings that its counts give', async () => {
  const { counted } = await loadRules();
  assert.deepEqual(
    counted.map(({ id }) => id).sort(),
    [...Object.keys(CALL_FINDINGS), 'garbage-collection'].sort(),
  );
});
