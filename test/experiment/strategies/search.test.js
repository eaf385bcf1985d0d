import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../lib/base/math/random.js';
import { judgeMargins } from '../../../lib/experiment/strategies/search.js';
import { simulateStep } from '../../../research/find/simulated-queue.js';
import { search } from '../find/search.js';

/** @param {number} value @param {number} [half] */
const margin = (value, half = 0.01) => ({ value, low: value - half, high: value + half });
/** Sharp: the limit is reached at this load. @param {number} limit */
const sharp = limit => (/** @type {number} */ level) => ({
  level,
  margin: margin(level / limit - 1),
});

test('raises the load until it fails, halves the distance, and confirms the result with three runs', () => {
  const { end, levels, below, above } = search(sharp(33));
  assert.equal(end, 'found');
  assert.deepEqual(levels.slice(0, 5), [10, 20, 40, 28.3, 33.6]);
  assert.ok(below && above && below.level <= 33 && above.level > 33);
  assert.ok(above.level / below.level <= 1.07);
  assert.equal(below.runs, 3);
});

test('lowers the load if the first one fails, and reports if the lowest fails', () => {
  assert.equal(search(sharp(1.9)).end, 'found');
  const { end, below, levels } = search(sharp(0.05));
  assert.deepEqual([end, below], ['fails', null]);
  assert.ok(Math.min(...levels) >= 0.2);
});

test('finds a whole number of users', () => {
  for (const most of [1, 2, 3, 7, 100]) {
    const found = search(sharp(most + 0.5), { start: 4, lowest: 1, isWhole: true });
    assert.equal(found.end, 'found');
    assert.equal(found.below?.level, most > 30 ? found.below?.level : most);
    assert.ok(found.levels.every(Number.isInteger));
  }
  assert.equal(search(sharp(0.5), { start: 4, lowest: 1, isWhole: true }).end, 'fails');
});

test('repeats a load that is not clear, and lets most runs decide', () => {
  const { levels, end } = search(level => ({ level, margin: margin(level / 33 - 1, 0.2) }));
  assert.equal(end, 'found');
  assert.equal(levels.filter(level => level === 33.6).length, 2);
  let runs = 0;
  const stalled = search(level => {
    const isStalled = runs++ === 3;
    return { level, margin: margin(level / 33 - (isStalled ? 0 : 1), isStalled ? 1 : 0.2) };
  });
  assert.deepEqual(stalled.levels.slice(3, 7), [28.3, 28.3, 28.3, 28.3]);
  assert.ok(stalled.below && stalled.below.level >= 28.3);
  assert.equal(judgeMargins([margin(-0.1, 0.2)]), 'unknown');
  assert.equal(judgeMargins([margin(-0.1, 0.2), margin(-0.2, 0.2), margin(-0.2, 0.2)]), 'keeps');
  // Runs that differ by more than their intervals
  assert.equal(judgeMargins([margin(-0.3), margin(0.5)]), 'unknown');
});

test('names no load where the generator was the limit, also after a second try', () => {
  const { end, below, levels } = search(level => ({
    level,
    margin: level > 50 ? null : margin(-0.5),
  }));
  assert.equal(end, 'generator');
  assert.ok(below && below.level <= 50);
  assert.equal(levels.filter(level => level === 80).length, 2);
  let disturbed = 0;
  const once = search(level => ({
    level,
    margin: disturbed++ === 1 ? null : margin(level / 33 - 1),
  }));
  assert.equal(once.end, 'found');
});

test('finds the rate at which the p95 of a simulated queue reaches its limit within 10 % in 9 of 10 searches', () => {
  const queue = { servers: 4, serviceMs: 100 };
  const random = createRandom(5);
  const good = Array.from({ length: 10 }, () => {
    const { end, below } = search((level, isCoarse) =>
      simulateStep(queue, level, { limitMs: 250, seconds: isCoarse ? 12 : 20, random }),
    );
    assert.equal(end, 'found');
    // In simulations of a million requests, p95 is 250 ms at 31.9/s.
    return Math.abs((below?.level ?? 0) / 31.9 - 1) <= 0.1;
  }).filter(Boolean).length;
  assert.ok(good >= 9, `${good} of 10`);
});
