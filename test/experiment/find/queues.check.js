import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../lib/base/math/random.js';
import { findTruth, simulateStep } from '../../../research/find/simulated-queue.js';
import { search } from './search.js';

const SEARCHES = 30;

/** @type {[name: string, queue: import('../../../research/find/simulated-queue.js').Queue, limitMs: number, start: number][]} */
const QUEUES = [
  ['M/D/4 near half of its capacity', { servers: 4, serviceMs: 100 }, 150, 10],
  ['M/D/4 near its capacity', { servers: 4, serviceMs: 100 }, 250, 3],
  ['M/D/4, limited by its capacity', { servers: 4, serviceMs: 100 }, 1500, 60],
  ['M/D/1', { servers: 1, serviceMs: 20 }, 60, 10],
  ['M/D/16', { servers: 16, serviceMs: 200 }, 300, 200],
  ['D/D/4', { servers: 4, serviceMs: 100, isEven: true }, 150, 7],
];

for (const [name, queue, limitMs, start] of QUEUES)
  test(`finds the rate of ${name} within 10 % in 9 of 10 searches`, () => {
    const random = createRandom(5);
    const truth = findTruth(queue, limitMs, random);
    const ratios = Array.from({ length: SEARCHES }, () => {
      const { end, below } = search(
        (level, isCoarse) =>
          simulateStep(queue, level, { limitMs, seconds: isCoarse ? 12 : 20, random }),
        { start, lowest: start / 50 },
      );
      assert.equal(end, 'found');
      return (below?.level ?? 0) / truth;
    });
    const good = ratios.filter(ratio => Math.abs(ratio - 1) <= 0.1).length;
    assert.ok(good >= 0.9 * SEARCHES, ratios.map(ratio => ratio.toFixed(2)).join(' '));
  });
