import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeScaling } from '../../../../lib/experiment/study/analysis/scaling.js';

/** @param {number} value @param {...number} values */
const point = (value, ...values) => ({
  value,
  variant: `workers=${value}`,
  throughputPerSec: {
    value: values.reduce((sum, one) => sum + one, 0) / values.length,
    low: null,
    high: null,
  },
  values,
  bottleneck: { id: /** @type {const} */ ('workers'), component: 'workers' },
});

test('two busy workers on two cores are worth having, four are not', () => {
  const { points, worthUpTo } = judgeScaling([
    point(4, 198, 202),
    point(1, 100, 102),
    point(2, 190, 194),
  ]);
  assert.deepEqual(
    points.map(({ value }) => value),
    [1, 2, 4],
  );
  assert.equal(points[0]?.gain, null);
  assert.ok(Math.abs((points[1]?.gain?.value ?? 0) - 0.9) < 0.01);
  assert.ok(Math.abs((points[1]?.efficiency.value ?? 0) - 0.95) < 0.01);
  assert.ok((points[2]?.efficiency.low ?? 0) < 0.495 && (points[2]?.efficiency.high ?? 0) > 0.495);
  assert.equal(worthUpTo, 2);
});

test('as long as more bring more, no end is seen', () => {
  const { worthUpTo } = judgeScaling([point(1, 100), point(2, 190), point(4, 350)]);
  assert.equal(worthUpTo, null);
});

test('one low point among rising ones does not end it', () => {
  const { worthUpTo } = judgeScaling([point(1, 100), point(2, 99), point(4, 300), point(8, 310)]);
  assert.equal(worthUpTo, 4);
});

test('repeats that spread give wide intervals, and one repeat none', () => {
  const [, spread] = judgeScaling([point(1, 90, 110), point(2, 150, 210)]).points;
  assert.ok((spread?.gain?.low ?? 1) < 0 && (spread?.gain?.high ?? 0) > 1);
  const [, single] = judgeScaling([point(1, 100), point(2, 180)]).points;
  assert.deepEqual(single?.gain, { value: 0.8, low: null, high: null });
});

test('one number of workers, or none, says nothing', () => {
  const one = judgeScaling([point(2, 100)]);
  assert.equal(one.points.length, 1);
  assert.equal(one.worthUpTo, null);
  assert.deepEqual(judgeScaling([]).points, []);
});
