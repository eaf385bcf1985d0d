import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFairness, jainIndex } from '../../../lib/study/model/describe-fairness.js';

test('the index is that of the paper: shares of k of n are fair to k/n', () => {
  assert.equal(jainIndex([5, 5, 5, 5]), 1);
  assert.equal(jainIndex([20, 20, 0, 0, 0, 0, 0, 0, 0, 0]), 0.2);
  assert.equal(jainIndex([7, 0, 0, 0]), 0.25);
  // (1 + 2 + 3)² ÷ (3 · (1 + 4 + 9))
  assert.equal(jainIndex([1, 2, 3]), 36 / 42);
  assert.equal(jainIndex([0, 0]), null);
  assert.equal(jainIndex([]), null);
});

test('a summary shows what the index hides', () => {
  const fairness = describeFairness({
    of: 'backends',
    step: 16,
    counts: [2000, 0, 1000, 1000],
    unit: 'answers',
  });
  assert.equal(fairness?.min, 0);
  assert.equal(fairness?.mean, 1000);
  assert.equal(fairness?.median, 1000);
  assert.equal(fairness?.max, 2000);
  assert.equal(
    fairness?.text,
    '4 backends got 0 to 2,000 answers each (Jain 0.67), 1 of them nothing',
  );
});

test('one worker shares with nobody', () => {
  assert.equal(describeFairness({ of: 'workers', step: 1, counts: [9], unit: 'answers' }), null);
  assert.equal(describeFairness({ of: 'users', step: 1, counts: [0, 0], unit: 'answers' }), null);
});
