import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildPools } from '../../../lib/analysis/load/pools.js';

/** @param {Record<string, Record<string, number[]>>} workers instants, size, in use and waiting of each pool */
const count = workers =>
  Object.fromEntries(
    Object.entries(workers).flatMap(([worker, pools]) =>
      Object.entries(pools).flatMap(([pool, sums]) =>
        sums.map((amount, at) => {
          const key = ['n', 'size', 'inUse', 'waiting'][at];
          return [`loadflame.pools.0a1b2c3d.${worker}.${pool}.${key}`, amount];
        }),
      ),
    ),
  );

test('pools of workers add up, and those that were known for less than half of the time are left out', () => {
  const counters = count({
    41: { all: [100], gthread: [100, 400, 300, 50], executor: [80, 240, 240, 400] },
    42: { all: [90], gthread: [90, 360, 360, 0], executor2: [40, 80, 80, 999] },
    43: { all: [20], gthread: [20, 80, 80, 20] },
  });
  assert.deepEqual(buildPools({ ...counters, 'http.requests': 5 }), [
    { kind: 'executor', capacity: 3, inUse: 3, waiting: 5 },
    { kind: 'gthread', capacity: 8, inUse: 7, waiting: 0.5 },
  ]);
  assert.deepEqual(buildPools({ 'http.requests': 5 }), []);
});

test('a semaphore of unknown size has no number in use', () => {
  const counters = count({ 41: { all: [10], semaphore: [10, 0, 0, 50] } });
  const [semaphore] = buildPools(counters);
  assert.deepEqual(semaphore, { kind: 'semaphore', capacity: null, inUse: null, waiting: 5 });
});
