import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createShareEstimator } from '../../../lib/base/math/bootstrap.js';
import { widenInterval, wilsonInterval } from '../../../lib/base/math/intervals.js';
import { createRandom } from '../../../lib/base/math/random.js';

// values of Wilson's interval for 95 %, as any statistics package gives them
for (const [successes, trials, low, high] of /** @type {[number, number, number, number][]} */ ([
  [252, 600, 0.3811, 0.4599],
  [2520, 6000, 0.4076, 0.4325],
  [0, 10, 0, 0.2775],
  [10, 10, 0.7225, 1],
  [1, 2, 0.0945, 0.9055],
])) {
  test(`${successes} of ${trials} lie between ${low} and ${high}`, () => {
    const interval = wilsonInterval(successes, trials);
    assert.ok(Math.abs(interval.low - low) < 5e-4, `${interval.low}`);
    assert.ok(Math.abs(interval.high - high) < 5e-4, `${interval.high}`);
  });
}

test('without trials nothing is known', () => {
  assert.deepEqual(wilsonInterval(0, 0), { low: 0, high: 1 });
});

test('the same seed gives the same numbers, evenly spread', () => {
  const [a, b, c] = [createRandom(7), createRandom(7), createRandom(8)];
  const numbers = Array.from({ length: 20_000 }, a);
  assert.deepEqual(numbers, Array.from({ length: 20_000 }, b));
  assert.notEqual(numbers[0], c());
  for (let decile = 0; decile < 10; decile++) {
    const count = numbers.filter(value => Math.floor(value * 10) === decile).length;
    assert.ok(Math.abs(count - 2000) < 200, `${count} in decile ${decile}`);
  }
});

test('samples that do not hang together keep the plain interval, nearly', () => {
  const random = createRandom(3);
  const totals = Array.from({ length: 40 }, () => 250);
  const counts = totals.map(total => countHits(total, 0.4, random));
  const { designEffect } = createShareEstimator(totals)(counts);
  assert.ok(designEffect < 2, `${designEffect}`);
});

test('samples of blocks that are all or nothing count as few as there are blocks', () => {
  const totals = Array.from({ length: 20 }, () => 100);
  const counts = totals.map((_, index) => (index % 2) * 100);
  const { value, low, high, designEffect } = createShareEstimator(totals)(counts);
  assert.equal(value, 0.5);
  assert.ok(designEffect > 80, `${designEffect}`);
  assert.ok(low < 0.32 && high > 0.68, `${low} … ${high}`);
});

test('one block gives the plain interval', () => {
  assert.deepEqual(createShareEstimator([600])([252]), {
    value: 0.42,
    ...wilsonInterval(252, 600),
    designEffect: 1,
  });
});

for (const [value, counts] of /** @type {[number, number[]][]} */ ([
  [0, [0, 0, 0]],
  [1, [10, 10, 10]],
])) {
  test(`a share of ${value} has an interval inside 0…1 that holds it`, () => {
    const estimate = createShareEstimator([10, 10, 10])(counts);
    assert.equal(estimate.value, value);
    assert.ok(
      estimate.low >= 0 && estimate.high <= 1 && estimate.low <= value && estimate.high >= value,
    );
  });
}

for (const { workers, segments, spread } of [
  { workers: 2, segments: 4, spread: 0.08 },
  { workers: 2, segments: 12, spread: 0.08 },
  { workers: 4, segments: 24, spread: 0.15 },
  { workers: 1, segments: 12, spread: 0 },
]) {
  test(`intervals hold the truth at least 93 times in 100: ${workers} workers, ${segments} segments, blocks that differ by ${spread}`, () => {
    const random = createRandom(workers * 1000 + segments);
    const truth = 0.4;
    const runs = 400;
    let held = 0;
    let plain = 0;
    for (let run = 0; run < runs; run++) {
      const totals = Array.from(
        { length: workers * segments },
        () => 150 + Math.floor(random() * 200),
      );
      const counts = totals.map(total => countHits(total, truth + spread * normal(random), random));
      const { value, low, high } = createShareEstimator(totals, { seed: run })(counts);
      if (low <= truth && truth <= high) held++;
      const total = totals.reduce((sum, count) => sum + count, 0);
      const naive = wilsonInterval(value * total, total);
      if (naive.low <= truth && truth <= naive.high) plain++;
    }
    assert.ok(held >= runs * 0.93, `${held} of ${runs}`);
    if (spread > 0)
      assert.ok(plain < runs * 0.9, `the plain interval would have held ${plain} of ${runs}`);
  });
}

/** @param {number} total @param {number} share @param {() => number} random */
function countHits(total, share, random) {
  let hits = 0;
  for (let index = 0; index < total; index++) if (random() < share) hits++;
  return hits;
}

/** Box and Muller. @param {() => number} random */
const normal = random => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

test('failed samples widen an interval to all that they could have shown', () => {
  const totals = new Array(20).fill(50);
  const counts = totals.map((_, block) => 4 + (block % 3));
  const whole = createShareEstimator(totals)(counts);
  const torn = createShareEstimator(totals, { blur: { unseenShare: 0.04, skew: 1 } })(counts);
  assert.equal(torn.value, whole.value);
  assert.ok(Math.abs(torn.low - whole.low * 0.96) < 1e-12);
  // as many as can be: ten times the mean, and at most all that failed
  const high = whole.high * 0.96;
  assert.ok(Math.abs(torn.high - Math.min(high + 0.04, high / 0.6)) < 1e-12);
  const highOf = (/** @type {number} */ high, /** @type {number} */ unseenShare) =>
    widenInterval({ low: 0, high }, { unseenShare, skew: 1 }).high;
  assert.ok(Math.abs(highOf(0.1, 0) - 0.1) < 1e-12);
  assert.ok(Math.abs(highOf(0.01, 0.01) - 0.011) < 1e-12);
  assert.ok(Math.abs(highOf(0.5, 0.2) - 0.6) < 1e-12);
});

test('samples that favour one function twofold widen an interval by these odds', () => {
  const widen = (/** @type {number} */ low, /** @type {number} */ high) =>
    widenInterval({ low, high }, { unseenShare: 0, skew: 2 });
  const { low, high } = widen(0.4, 0.6);
  // 2 : 3 becomes 1 : 3, and 3 : 2 becomes 3 : 1
  assert.ok(Math.abs(low - 0.25) < 1e-12 && Math.abs(high - 0.75) < 1e-12);
  assert.deepEqual(widen(0, 1), { low: 0, high: 1 });
});
