import assert from 'node:assert/strict';
import test from 'node:test';
import { startAlignedInterval } from '../../../lib/base/process/aligned-interval.js';

test('recorders sample at the start of each clock second, also after a late timer', t => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_700_000_000_370 });
  /** @type {number[]} */
  const seen = [];
  const stop = startAlignedInterval(() => {
    seen.push(Date.now() - 1_700_000_000_000);
    // The process had no core for 300 ms.
    if (seen.length === 2) t.mock.timers.setTime(Date.now() + 300);
  }, 1000);
  for (let n = 0; n < 400; n++) t.mock.timers.tick(10);
  stop();
  for (let n = 0; n < 200; n++) t.mock.timers.tick(10);
  assert.deepEqual(seen, [1000, 2000, 3000, 4000]);
});
