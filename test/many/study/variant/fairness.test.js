import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureFairness } from '../../../../lib/many/study/variant/fairness.js';

test('a summary shows what the index hides', () => {
  const fairness = measureFairness(16, {
    of: 'backends',
    counts: [2000, 0, 1000, 1000],
    unit: 'answers',
  });
  assert.equal(fairness?.min, 0);
  assert.equal(fairness?.mean, 1000);
  assert.equal(fairness?.median, 1000);
  assert.equal(fairness?.max, 2000);
  assert.equal(fairness?.idle, 1);
  assert.equal(fairness?.jain?.toFixed(2), '0.67');
});

test('one worker shares with nobody', () => {
  assert.equal(measureFairness(1, { of: 'workers', counts: [9], unit: 'answers' }), null);
  assert.equal(measureFairness(1, { of: 'users', counts: [0, 0], unit: 'answers' }), null);
});
