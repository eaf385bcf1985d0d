import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../../lib/base/process/attempt.js';

test('says what failed, at once or later, and goes on without it', async () => {
  /** @type {string[]} */
  const said = [];
  const say = (/** @type {string} */ line) => void said.push(line);
  const fail = () => {
    throw new Error('no');
  };
  assert.equal(await attempt('one', fail, say), null);
  assert.equal(await attempt('two', async () => fail(), say), null);
  assert.equal(await attempt('three', () => 3, say), 3);
  assert.deepEqual(said, ['one failed: no', 'two failed: no']);
});
