import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullestShare } from '../../lib/math/occupancy.js';

test('the fullest of two places gets what the binomial distribution says', () => {
  // max(k, n − k) ÷ n of n fair coins, by hand: 2 → (2·½ + 1·½) ÷ 2; 4 → (4·⅛ + 3·½ + 2·⅜) ÷ 4
  assert.ok(Math.abs(fullestShare(2, 2).mean - 0.75) < 0.02);
  assert.ok(Math.abs(fullestShare(4, 2).mean - 0.6875) < 0.02);
  assert.deepEqual(fullestShare(1, 5), { mean: 1, high: 1 });
  // P(one of two gets 10 of 10) = 2⁻⁹: less than one in a hundred; 9 and more: 2·11 ÷ 2¹⁰
  assert.equal(fullestShare(10, 2).high, 0.9);
  const { mean, high } = fullestShare(10_000, 4);
  assert.ok(mean > 0.25 && high < 0.27, `${mean}, ${high}`);
});
