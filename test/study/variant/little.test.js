import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLittle } from '../../../lib/study/variant/little.js';

test('users who only wait are responses per second times their time', () => {
  const { state, steps, worstShare } = checkLittle([
    { step: 1, n: 1, throughputPerSec: 100, meanMs: 9.9 },
    { step: 4, n: 4, throughputPerSec: 200, meanMs: 19.4 },
  ]);
  assert.equal(state, 'holds');
  assert.equal(steps, 2);
  assert.ok(Math.abs((worstShare ?? 0) + 0.03) < 1e-9);
});

test('time that nobody counted is named with its step', () => {
  const little = checkLittle([
    { step: 1, n: 1, throughputPerSec: 100, meanMs: 10 },
    { step: 8, n: 8, throughputPerSec: 200, meanMs: 20 },
  ]);
  assert.deepEqual(little, { state: 'broken', steps: 2, worstStep: 8, worstShare: -0.5 });
});

test('without a count or a latency there is nothing to check', () => {
  const none = [{ step: 1, n: null, throughputPerSec: 1, meanMs: 1 }];
  assert.equal(checkLittle(none).state, 'unchecked');
});
