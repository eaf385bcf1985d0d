import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../../../lib/base/math/random.js';
import { backlogSlope } from '../../../../../lib/experiment/study/analysis/bottleneck/gather-stages.js';
import { drawNormal, holds, shareOf, simulateQueue } from '../simulated-target.js';

const SEEDS = 300;
const looks = { seconds: 20, everySec: 0.5 };

test('a straight line has its slope despite an outlier', () => {
  const series = Array.from({ length: 40 }, (_, index) => ({
    t: 1e12 + index * 500,
    value: 7 + 2 * index,
  }));
  const outlier = series.with(17, { t: 1e12 + 17 * 500, value: 9000 });
  assert.deepEqual(backlogSlope(series), { value: 4, low: 4, high: 4 });
  assert.ok(Math.abs((backlogSlope(outlier)?.value ?? 0) - 4) < 0.1);
});

test('a queue that gets 60 a second and completes 50 grows by 10, inside the interval', () => {
  const queue = { arrivals: 60, completions: 50, start: 30, ...looks };
  const slopeOf = (/** @type {number} */ seed) =>
    backlogSlope(simulateQueue(queue, createRandom(seed)));
  assert.ok(shareOf(SEEDS, seed => holds(slopeOf(seed), 10)) > 0.9);
  assert.ok(shareOf(SEEDS, seed => (slopeOf(seed)?.low ?? 0) > 0) > 0.8);
});

test('a queue that wanders, or is stable, is not called growing', () => {
  for (const [arrivals, start] of /** @type {const} */ ([
    [50, 300],
    [35, 1],
  ])) {
    const queue = { arrivals, completions: 50, start, ...looks };
    const growing = shareOf(
      SEEDS,
      seed => (backlogSlope(simulateQueue(queue, createRandom(seed)))?.low ?? 0) > 0,
    );
    assert.ok(growing < 0.07, `${growing}`);
  }
});

test('noise of the samples alone is not growth', () => {
  const growing = shareOf(SEEDS, seed => {
    const random = createRandom(seed);
    const series = Array.from({ length: 40 }, (_, index) => ({
      t: index * 500,
      value: 10 + 5 * drawNormal(random),
    }));
    return (backlogSlope(series)?.low ?? 0) > 0;
  });
  assert.ok(growing < 0.03, `${growing}`);
});

test('fewer than sixteen samples, or all at one moment, show nothing', () => {
  assert.equal(
    backlogSlope(Array.from({ length: 15 }, (_, t) => ({ t: t * 500, value: t }))),
    null,
  );
  assert.equal(backlogSlope(Array.from({ length: 20 }, () => ({ t: 5, value: 1 }))), null);
});
