import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BETWEEN_RUNS, meanOverTime, Z95 } from '../../../lib/base/math/intervals.js';
import { createRandom } from '../../../lib/base/math/random.js';

test('a mean that does not vary within the run has the interval of how runs differ', () => {
  const mean = meanOverTime([20, 40, 20, 40, 20], [2, 4, 2, 4, 2]);
  assert.equal(mean?.value, 10);
  assert.ok(Math.abs(Number(mean?.high) - 10 * (1 + Z95 * BETWEEN_RUNS)) < 1e-9);
});

test('the interval of a mean holds the mean over many runs in about 95 of 100 runs', () => {
  const random = createRandom(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const RUNS = 2000;
  let holds = 0;
  for (let run = 0; run < RUNS; run++) {
    const ofRun = 10 * (1 + BETWEEN_RUNS * normal());
    const counts = Array.from({ length: 30 }, () => 1 + Math.floor(random() * 9));
    const sums = counts.map(count => count * ofRun + 8 * Math.sqrt(count) * normal());
    const mean = meanOverTime(sums, counts);
    if (Number(mean?.low) <= 10 && Number(mean?.high) >= 10) holds++;
  }
  assert.ok(holds > 0.93 * RUNS && holds < 0.97 * RUNS, `${holds} of ${RUNS}`);
});

test('fewer than five windows give no interval', () => {
  assert.deepEqual(meanOverTime([2, 4, 0, 6], [1, 2, 0, 3]), { value: 2, low: null, high: null });
});
