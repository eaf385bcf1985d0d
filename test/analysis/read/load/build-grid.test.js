import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSecondsGrid, findWindow } from '../../../../lib/analysis/read/load/build-grid.js';

const MAX_WINDOWS = 240;

/** @param {number[]} edges */
const lengths = edges => edges.slice(1).map((edge, index) => edge - (edges[index] ?? 0));

test('a minute has windows of a second, an hour of 15 s, a day of ten minutes, and all cover the range', () => {
  for (const [seconds, expected] of [
    [60, 1000],
    [240, 1000],
    [241, 2000],
    [3600, 15_000],
    [86_400, 600_000],
    [864_000, 3_600_000],
  ]) {
    const range = { startMs: 1_800_000_000_000, endMs: 1_800_000_000_000 + (seconds ?? 0) * 1000 };
    const edges = buildSecondsGrid(range);
    assert.ok(edges.length - 1 <= MAX_WINDOWS, `${seconds} s: ${edges.length - 1} windows`);
    assert.equal(edges[0], range.startMs);
    assert.equal(edges.at(-1), range.endMs);
    assert.equal(lengths(edges)[1], expected, `${seconds} s`);
  }
});

test('a range that is not of whole seconds is covered', () => {
  assert.deepEqual(buildSecondsGrid({ startMs: 1500, endMs: 3200 }), [1000, 2000, 3000, 4000]);
  assert.deepEqual(buildSecondsGrid({ startMs: 1500, endMs: 1501 }), [1000, 2000]);
});

test('months have no more windows than an hour', () => {
  const edges = buildSecondsGrid({ startMs: 0, endMs: 90 * 86_400_000 });
  assert.ok(edges.length - 1 <= MAX_WINDOWS);
  assert.equal(edges.at(-1), 90 * 86_400_000);
});

test('a moment is found in its window, the last edge in the last one', () => {
  const edges = [0, 10, 20, 40];
  assert.deepEqual(
    [-1, 0, 9, 10, 39, 40, 41].map(moment => findWindow(edges, moment)),
    [-1, 0, 0, 1, 2, 2, -1],
  );
  assert.equal(findWindow([], 5), -1);
});
