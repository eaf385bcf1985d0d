import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../lib/analysis/hotpath/load-rules.js';
import { describeFinding } from '../../lib/text/findings.js';
import { CALL_FINDINGS } from '../../lib/text/findings-calls.js';

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

test('lists as counted by the companion alone exactly the findings that its counts give', async () => {
  const { counted } = await loadRules();
  assert.deepEqual(
    counted.map(({ id }) => id).sort(),
    [...Object.keys(CALL_FINDINGS), 'garbage-collection'].sort(),
  );
});
