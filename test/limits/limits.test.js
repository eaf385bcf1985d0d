/** Two of the set-ups of `npm run test:limits`, for every test run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSetUp, SET_UPS } from './set-ups.js';

for (const id of ['threads', 'imbalance']) {
  const setUp = SET_UPS.get(id);
  assert.ok(setUp);
  test(`${setUp.title}: ${setUp.limit}`, { skip: (await setUp.skip?.()) ?? false }, t =>
    checkSetUp(t, setUp),
  );
}
