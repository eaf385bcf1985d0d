import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findClosest } from '../../../lib/base/files/closest.js';

test('two letters in the wrong order are one mistake, in short words too', () => {
  assert.equal(findClosest('flwo', ['name', 'flow', 'weight']), 'flow');
  assert.equal(findClosest('ulr', ['uri', 'url', 'json']), 'url');
  assert.equal(findClosest('sustained', ['unsustained', 'sutsained']), 'sutsained');
  assert.equal(findClosest('abcd', ['wxyz']), null);
});
