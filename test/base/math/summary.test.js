import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  jainIndex,
  least,
  mean,
  median,
  most,
  quantile,
  standardDeviation,
  standardError,
} from '../../../lib/base/math/summary.js';

const VALUES = [7, 1, 4, 10];

test('quantiles are those of type 7, as R and NumPy give them', () => {
  assert.equal(quantile(VALUES, 0), 1);
  assert.equal(quantile(VALUES, 0.25), 3.25);
  assert.equal(median(VALUES), 5.5);
  assert.equal(quantile(VALUES, 0.9).toFixed(6), '9.100000');
  assert.equal(quantile(VALUES, 1), 10);
  assert.equal(quantile([1, Infinity, Infinity], 0.5), Infinity);
  assert.equal(quantile([], 0.5), Number.NaN);
});

test('the least and the most of more values than a call takes arguments', () => {
  const values = Array.from({ length: 1_000_000 }, (_, index) => index - 5);
  assert.deepEqual([least(values), most(values)], [-5, 999_994]);
  assert.deepEqual([least([]), most([])], [Infinity, -Infinity]);
});

test('mean, standard deviation and the error of a mean', () => {
  assert.equal(mean(VALUES), 5.5);
  assert.equal(standardDeviation(VALUES), Math.sqrt(15));
  assert.equal(standardError(VALUES), Math.sqrt(15) / 2);
});

test('the index is that of the paper: shares of k of n are fair to k/n', () => {
  assert.equal(jainIndex([5, 5, 5, 5]), 1);
  assert.equal(jainIndex([20, 20, 0, 0, 0, 0, 0, 0, 0, 0]), 0.2);
  assert.equal(jainIndex([7, 0, 0, 0]), 0.25);
  // (1 + 2 + 3)² ÷ (3 · (1 + 4 + 9))
  assert.equal(jainIndex([1, 2, 3]), 36 / 42);
  assert.equal(jainIndex([0, 0]), null);
  assert.equal(jainIndex([]), null);
});
