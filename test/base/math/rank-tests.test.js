import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../lib/base/math/random.js';
import {
  findLeastRuns,
  hodgesLehmannShift,
  mannWhitneyP,
  smallestP,
} from '../../../lib/base/math/rank-tests.js';

// Hollander and Wolfe (1973), table 4.1, permeability of membranes: the example of R's wilcox.test,
// which prints W = 35, p-value = 0.2544, a difference of 0.305 and the interval −0.15 … 0.76
const AT_TERM = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
const EARLIER = [1.15, 0.88, 0.9, 0.74, 1.21];

/** @param {number} actual @param {number} expected @param {number} [tolerance] */
const assertClose = (actual, expected, tolerance = 1e-6) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

test("the p-value is R's on the example of its page", () => {
  assertClose(mannWhitneyP(AT_TERM, EARLIER), 0.2544122544);
  assertClose(mannWhitneyP(EARLIER, AT_TERM), 0.2544122544);
});

test('with ties too, the p-value is what dealing the values in every way gives', () => {
  const random = createRandom(7);
  for (let round = 0; round < 30; round++) {
    const values = Array.from({ length: 4 + Math.floor(random() * 6) }, () =>
      Math.floor(random() * 4),
    );
    const size = 1 + Math.floor(random() * (values.length - 1));
    const expected = pByDealing(values, size);
    assertClose(mannWhitneyP(values.slice(0, size), values.slice(size)), expected);
  }
});

/** All choices, each with how far its sum of middle ranks lies from the middle. @param {number[]} values @param {number} size */
function pByDealing(values, size) {
  const ranks = values.map(
    value =>
      values.filter(other => other < value).length +
      (values.filter(other => other === value).length + 1) / 2,
  );
  const middle = (size * (values.length + 1)) / 2;
  const distanceOf = (/** @type {number} */ mask) =>
    Math.abs(
      ranks.reduce((sum, rank, index) => sum + (mask & (1 << index) ? rank : 0), 0) - middle,
    );
  const observed = distanceOf(2 ** size - 1);
  let [extreme, all] = [0, 0];
  for (let mask = 0; mask < 1 << values.length; mask++) {
    const chosen = mask.toString(2).replaceAll('0', '').length;
    if (chosen !== size) continue;
    all++;
    if (distanceOf(mask) >= observed - 1e-9) extreme++;
  }
  return extreme / all;
}

test('four runs a side are the least that can be significant at 5 %', () => {
  assertClose(smallestP(2, 2), 1 / 3);
  assertClose(smallestP(3, 3), 0.1);
  assertClose(smallestP(4, 4), 2 / 70);
  assertClose(mannWhitneyP([1, 2, 3, 4], [5, 6, 7, 8]), smallestP(4, 4));
  assert.equal(smallestP(1, 1), 1);
});

test('equal values on both sides show no difference', () => {
  assert.equal(mannWhitneyP([0, 0, 0, 0], [0, 0, 0, 0]), 1);
});

test("the shift and its interval are R's on the example of its page", () => {
  const { value, low, high } = hodgesLehmannShift(EARLIER, AT_TERM, 0.05);
  assertClose(value, 0.305);
  assertClose(low ?? Number.NaN, -0.15);
  assertClose(high ?? Number.NaN, 0.76);
});

test('an interval is given only where the runs are enough for one', () => {
  assert.deepEqual(hodgesLehmannShift([1, 2, 3], [4, 5, 6], 0.05), {
    value: 3,
    low: null,
    high: null,
  });
  // four runs a side: all sixteen differences
  assert.deepEqual(hodgesLehmannShift([1, 2, 3, 4], [5, 6, 7, 8], 0.05), {
    value: 4,
    low: 1,
    high: 7,
  });
});

test('intervals hold the true shift in at least 95 of 100 cases', () => {
  const random = createRandom(3);
  const draw = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let held = 0;
  const tries = 2000;
  for (let index = 0; index < tries; index++) {
    const before = Array.from({ length: 5 }, draw);
    const after = Array.from({ length: 5 }, () => draw() + 2);
    const { low, high } = hodgesLehmannShift(before, after, 0.05);
    if ((low ?? Infinity) <= 2 && (high ?? -Infinity) >= 2) held++;
  }
  assert.ok(held / tries > 0.945, String(held / tries));
});

test('the least runs a side are those with which the smallest p-value is significant', () => {
  assert.deepEqual([0.05, 0.05 / 6, 0.001].map(findLeastRuns), [4, 5, 7]);
});
