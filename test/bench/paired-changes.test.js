import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../lib/base/math/random.js';
import { estimateChange } from '../../research/overhead/paired-changes.js';

/** Sum of twelve: near enough to a bell curve. @param {() => number} random */
const normal = random => Array.from({ length: 12 }, random).reduce((a, b) => a + b, -6);

test('an interval of eight pairs holds the true change in at least 92 of 100 experiments', () => {
  const random = createRandom(3);
  let held = 0;
  for (let run = 0; run < 300; run++) {
    const ratios = Array.from({ length: 8 }, () => Math.exp(-0.05 + 0.04 * normal(random)));
    const change = estimateChange(ratios);
    const truth = Math.expm1(-0.05);
    if (change?.low !== null && change && change.low <= truth && truth <= (change.high ?? 0))
      held++;
  }
  assert.ok(held >= 276, `${held} of 300`);
});

test('with five pairs there is a value and no interval, with none nothing', () => {
  assert.deepEqual(estimateChange([1.1, 1.1, 1.1, 1.1, 1.1]), {
    value: Math.expm1(Math.log(1.1)),
    low: null,
    high: null,
  });
  assert.equal(estimateChange([]), null);
  const many = estimateChange(Array.from({ length: 40 }, (_, n) => (n % 2 ? 1.1 : 1.12)));
  assert.ok(many && (many.low ?? 0) > 0.1 && (many.high ?? 1) < 0.12);
});
