import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { buildHistory } from '../../../lib/many/history/build-history.js';
import { readHistory } from '../../../lib/many/history/history-file.js';
import { makeEntries } from './synthetic-history.js';

const REAL = path.resolve(import.meta.dirname, '../../fixtures/history/real.ndjson');
/** Of the synthetic entries. */
const SHIFT = { at: 35, factor: 1.1 };

/** Both kinds in one history. @param {number} seed */
async function search(seed) {
  const { entries } = await readHistory(REAL);
  const shifts = /** @type {[number, number][]} */ ([[SHIFT.at, SHIFT.factor]]);
  const synthetic = makeEntries({ count: 60, seed, shifts });
  const all = [...synthetic, ...entries].sort((a, b) => a.t - b.t);
  const { series } = buildHistory({ entries: all, torn: 0 }, { file: 'history.ndjson' });
  return {
    of: series.find(own => own.entries.length === 60),
    real: series.find(own => own.entries.length === 10),
  };
}

test('finds one shift in 60 synthetic entries and one in 10 real ones, and no other', async () => {
  const { of, real } = await search(1);
  assert.equal(of?.changes.length, 1);
  const [change] = of?.changes ?? [];
  assert.ok((change?.before ?? 60) < SHIFT.at && (change?.after ?? 0) >= SHIFT.at);
  assert.equal(real?.changes.length, 1);
  assert.equal(real?.changes[0]?.at, 5);
  const sizes = real?.changes[0]?.sizes ?? [];
  assert.deepEqual([...new Set(sizes.map(({ call }) => call))], ['better']);
});

test('over ten seeds, both are found in all histories, and at most one has another', async t => {
  let others = 0;
  for (let seed = 1; seed <= 10; seed++) {
    const { of, real } = await search(seed);
    const found = of?.changes.filter(({ before, after }) => before < SHIFT.at && after >= SHIFT.at);
    assert.ok((found?.length ?? 0) >= 1, `seed ${seed}`);
    assert.ok((real?.changes.length ?? 0) >= 1, `seed ${seed}`);
    if ((of?.changes.length ?? 0) + (real?.changes.length ?? 0) > 2) others++;
  }
  t.diagnostic(`${others} of 10 have another`);
  assert.ok(others <= 1);
});
