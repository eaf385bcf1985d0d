import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress } from '../../lib/load/metrics/progress.js';

test('counts the users of the newest second that all workers have sent', () => {
  const progress = createProgress(1);
  /** @param {number} fromMs @param {number} usersActive */
  const add = (fromMs, usersActive) => progress.addSecond({ fromMs, usersActive });
  for (const fromMs of [1000, 2000]) {
    add(fromMs, 40);
    assert.equal(progress.read().usersActive, fromMs === 1000 ? 40 : 80);
    add(fromMs, 40);
    assert.equal(progress.read().usersActive, 80);
  }
});

test('counts users that were due, and requests in flight', () => {
  const progress = createProgress(1);
  const counters = {
    ...{ 'vusers.created': 8, 'vusers.skipped': 2, 'http.requests': 8 },
    ...{ 'http.responses': 4, 'http.codes.200': 4, 'errors.ETIMEDOUT': 1 },
  };
  progress.addSecond({ fromMs: 1000, usersActive: 4, counters });
  const { started, inFlight, errors } = progress.read();
  assert.deepEqual([started, inFlight, errors], [10, 3, 1]);
});
