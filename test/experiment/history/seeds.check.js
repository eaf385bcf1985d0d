/** Changes in histories with known shifts, over many seeds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHistory } from '../../../lib/experiment/history/build-history.js';
import { findChangePoints } from '../../../lib/experiment/history/change-points.js';
import { makeEntries, SHIFT, searchTwoShifts, toMeasures } from './synthetic-history.js';

test('over ten seeds, both are found in all histories, and at most one has another', async t => {
  let others = 0;
  for (let seed = 1; seed <= 10; seed++) {
    const { of, real } = await searchTwoShifts(seed);
    const found = of?.changes.filter(({ before, after }) => before < SHIFT.at && after >= SHIFT.at);
    assert.ok((found?.length ?? 0) >= 1, `seed ${seed}`);
    assert.ok((real?.changes.length ?? 0) >= 1, `seed ${seed}`);
    if ((of?.changes.length ?? 0) + (real?.changes.length ?? 0) > 2) others++;
  }
  t.diagnostic(`${others} of 10 have another`);
  assert.ok(others <= 1);
});

test('the named entries enclose the true place in at least nine of ten cases', t => {
  let held = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const entries = makeEntries({ count: 40, seed, shifts: [[20, 1.06]] });
    const [series] = buildHistory({ entries, torn: 0 }, { file: 'history.ndjson' }).series;
    const change = series?.changes.find(({ before, after }) => before < 20 && after >= 20);
    if (change) held++;
  }
  t.diagnostic(`${held} of 20`);
  assert.ok(held >= 18, `${held} of 20`);
});

test('calls a change in at most 3 of 100 histories without one', t => {
  const histories = 100;
  let called = 0;
  for (let seed = 1; seed <= histories; seed++)
    if (findChangePoints(toMeasures(makeEntries({ count: 14, seed }))).length > 0) called++;
  t.diagnostic(`${called} of ${histories}`);
  assert.ok(called <= 0.03 * histories, `${called} of ${histories}`);
});
