import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeLittle } from '../../../lib/study/model/describe-little.js';

test('users who only wait are answers per second times their time', () => {
  const { text, worstShare } = describeLittle([
    { step: 1, n: 1, throughputPerSec: 100, meanMs: 9.9 },
    { step: 4, n: 4, throughputPerSec: 200, meanMs: 19.4 },
  ]);
  assert.equal(text, 'N = X·R holds within 3.0 % at all 2 steps');
  assert.ok(Math.abs((worstShare ?? 0) - 0.03) < 1e-9);
});

test('time that nobody counted is named with its step', () => {
  const { text } = describeLittle([
    { step: 1, n: 1, throughputPerSec: 100, meanMs: 10 },
    { step: 8, n: 8, throughputPerSec: 200, meanMs: 20 },
  ]);
  assert.equal(text, 'N = X·R does not hold at step 8: 50.0 % less was under way than was counted');
});

test('without a count or a latency there is nothing to check', () => {
  const none = [{ step: 1, n: null, throughputPerSec: 1, meanMs: 1 }];
  assert.deepEqual(describeLittle(none), {
    text: 'N = X·R can not be checked here',
    worstShare: null,
  });
});
