import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHIFT, searchTwoShifts } from './synthetic-history.js';

test('finds one shift in 60 synthetic entries and one in 10 real ones, and no other', async () => {
  const { of, real } = await searchTwoShifts(1);
  assert.equal(of?.changes.length, 1);
  const [change] = of?.changes ?? [];
  assert.ok((change?.before ?? 60) < SHIFT.at && (change?.after ?? 0) >= SHIFT.at);
  assert.equal(real?.changes.length, 1);
  assert.equal(real?.changes[0]?.at, 5);
  const sizes = real?.changes[0]?.sizes ?? [];
  assert.deepEqual([...new Set(sizes.map(({ call }) => call))], ['better']);
});
