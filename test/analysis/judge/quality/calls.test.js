import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTHING_BESIDES } from '../../../../lib/analysis/judge/quality/index.js';
import { judgeTarget } from '../../../../lib/analysis/judge/quality/target.js';

const share = { value: 0.1, low: 0.05, high: 0.2 };

/** @param {any} facts */
function judge({ basis = 'companion', calls = null, categories = [], kinds = [] }) {
  const facts = /** @type {any} */ ({
    run: {},
    load: null,
    logs: null,
    calls,
    costs: { endpoints: [{ basis, requests: 40 }] },
    profile: { categories, waits: { kinds } },
  });
  return judgeTarget(facts, NOTHING_BESIDES).flatMap(({ id, level, facts: own }) =>
    id === 'no-calls' ? [[level, own.seen, own.responses]] : [],
  );
}

test('warns of a companion that counts no call in a run whose stacks show some', () => {
  assert.deepEqual(judge({ categories: [{ id: 'database', share }] }), [['warn', 'database', 40]]);
  assert.deepEqual(judge({ kinds: [{ id: 'external-call', share }] }), [['warn', 'service', 40]]);
  const connects = { statements: [], more: { count: 0 }, unreadable: 0 };
  const categories = [{ id: 'http-client', share }];
  assert.deepEqual(judge({ calls: connects, categories }), [['warn', 'service', 40]]);
});

test('states that no call was counted without a warning, where nothing shows one', () => {
  assert.deepEqual(judge({ categories: [{ id: 'business', share }] }), [['ok', null, 40]]);
});

test('says nothing of calls that were counted, or without the companion', () => {
  const counted = { statements: [{}], more: { count: 0 }, unreadable: 0 };
  assert.deepEqual(judge({ calls: counted, categories: [{ id: 'database', share }] }), []);
  assert.deepEqual(judge({ basis: 'routes', categories: [{ id: 'database', share }] }), []);
});
