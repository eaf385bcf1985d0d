import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isStarved, test } from '../helpers/quiet.js';

const START = { idle: 0, all: 0, ours: 0 };

test('a test is starved by the CPU time of others only', () => {
  const after = (/** @type {number} */ idle, /** @type {number} */ ours) =>
    isStarved(START, { idle, all: 100, ours });
  assert.equal(after(0, 100), false);
  assert.equal(after(0, 85), false);
  assert.equal(after(0, 50), true);
  assert.equal(after(20, 5), true);
  assert.equal(after(40, 5), false);
});

/** @type {string[]} */
const steps = [];

test('what a test leaves for its end is done before another try', async t => {
  t.after(async () => {
    await sleep(1);
    steps.push('first');
  });
  t.after(() => steps.push('second'));
  assert.equal(t.name, 'what a test leaves for its end is done before another try');
});

test('and in the order in which it was left', () => {
  assert.deepEqual(steps.slice(-2), ['first', 'second']);
});
