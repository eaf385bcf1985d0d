import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createDealer,
  createPieces,
  splitParts,
} from '../../../../lib/analysis/profile/table/deal-out.js';
import { ProfileBuilder } from '../../../../lib/analysis/stacks/profile-builder.js';

test('whole samples are dealt out, and in the end each has its part', () => {
  const deal = createDealer(3);
  const got = [0, 0, 0];
  let calls = 0;
  for (let n = 0; n < 1000; n++)
    deal(1 + (n % 3), splitParts([5, 3, 2]), (owner, weight) => {
      assert.equal(weight, Math.floor(weight));
      got[owner] = (got[owner] ?? 0) + weight;
      calls++;
    });
  assert.equal(got[0] && got[0] + (got[1] ?? 0) + (got[2] ?? 0), 1999);
  assert.ok(calls >= 1000);
  for (const [owner, part] of [0.5, 0.3, 0.2].entries())
    assert.ok(Math.abs((got[owner] ?? 0) - part * 1999) <= 2, `${got}`);
});

test('nobody gets anything where nobody has a part, and who has none now gets nothing', () => {
  const deal = createDealer(2);
  deal(5, splitParts([0, 0]), () => assert.fail('nobody has a part'));
  deal(1, splitParts([1, 1]), () => {});
  deal(3, splitParts([0, 1]), owner => assert.equal(owner, 1));
});

/** Two segments of 5 s; rows: segment, half-second, samples. @param {[number, number, number][]} rows */
function profileOf(rows) {
  const builder = new ProfileBuilder();
  builder.addSegment(10_000, 15_000);
  builder.addSegment(15_000, 20_000);
  const node = builder.internNode(-1, builder.internFrame({ name: 'f', file: 'a.py', line: 1 }));
  const route = builder.internRoute('GET /a');
  for (const [segment, halfSecond, samples] of rows)
    builder.addRow(node, samples, { segment, halfSecond, route });
  return builder.build({ source: 'raw' });
}

/** @param {ReturnType<typeof profileOf>} profile @param {Parameters<typeof createPieces>[2]} grid */
function place(profile, grid) {
  const base = /** @type {any} */ ({
    rows: Int32Array.from(profile.rows.node, (_, row) => row),
    rowWeights: profile.rows.weight,
  });
  const pieces = createPieces(profile, base, grid);
  /** @type {Record<number, number>} */
  const windows = {};
  pieces((_, window, weight) => {
    windows[window] = (windows[window] ?? 0) + weight;
  });
  /** @type {Record<number, number>} */
  const again = {};
  pieces((_, window, weight) => {
    again[window] = (again[window] ?? 0) + weight;
  });
  assert.deepEqual(again, windows, 'the same each time');
  return windows;
}

const SECONDS = {
  edgesMs: Array.from({ length: 11 }, (_, n) => 10_000 + n * 1000),
  basis: /** @type {const} */ ('seconds'),
};

test('a row with a half-second is in that second, others are spread over their segment', () => {
  assert.deepEqual(
    place(
      profileOf([
        [0, 20, 3],
        [0, 23, 4],
        [1, 39, 5],
      ]),
      SECONDS,
    ),
    { 0: 3, 1: 4, 9: 5 },
  );
  const spread = place(
    profileOf([
      [1, -1, 1],
      [1, -1, 9],
    ]),
    SECONDS,
  );
  assert.deepEqual(spread, { 5: 2, 6: 2, 7: 2, 8: 2, 9: 2 });
});
