import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTrend } from '../../../lib/base/math/trend.js';
import { makeNoise } from '../../analysis/facts.js';

/** @param {number} n @param {(x: number) => number} of */
const points = (n, of) => Array.from({ length: n }, (_, x) => ({ x, y: of(x) }));

test('finds a straight line exactly, despite outliers', () => {
  const trend = findTrend(points(40, x => (x % 13 === 5 ? 900 : 10 + 2 * x)));
  assert.ok(Math.abs((trend?.slope ?? 0) - 2) < 0.1);
  assert.ok(Math.abs((trend?.start ?? 0) - 10) < 3);
  assert.ok((trend?.p ?? 1) < 1e-6);
});

test('noise alone is called a rise about as often as its p says', () => {
  const noise = makeNoise(3);
  let rises = 0;
  for (let n = 0; n < 400; n++) if ((findTrend(points(20, noise))?.p ?? 1) < 0.05) rises++;
  assert.ok(rises >= 8 && rises <= 36, `${rises} of 400 at 5 %`);
});

test('p is that of the textbook for a short series', () => {
  // S = 8 of 10 pairs, variance 16.67: z = 7 / 4.082 = 1.715
  const trend = findTrend([1, 2, 3, 5, 4].map((y, x) => ({ x, y })));
  assert.ok(Math.abs((trend?.p ?? 0) - 0.0432) < 0.0005, `${trend?.p}`);
});

test('falling or constant values are not a rise', () => {
  assert.ok((findTrend(points(30, x => -x))?.p ?? 0) > 0.999);
  assert.equal(findTrend(points(30, () => 5))?.p, 1);
});

test('too few points, or all at one moment, have no trend', () => {
  assert.equal(findTrend(points(3, x => x)), null);
  assert.equal(findTrend([1, 2, 3, 4].map(y => ({ x: 0, y }))), null);
});

test('a long series is thinned and keeps its slope', () => {
  const trend = findTrend(points(5000, x => 3 * x));
  assert.equal(trend?.slope, 3);
});
