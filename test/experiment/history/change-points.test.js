import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findChangePoints } from '../../../lib/experiment/history/change-points.js';
import { makeEntries, toMeasures } from './synthetic-history.js';

test('finds two shifts at their places, and no other', () => {
  const shifts = /** @type {[number, number][]} */ ([
    [20, 1.15],
    [42, 0.8],
  ]);
  const found = findChangePoints(toMeasures(makeEntries({ count: 60, seed: 1, shifts })));
  assert.deepEqual(
    found.map(({ at }) => at),
    [20, 42],
  );
});

test('finds a shift between five runs and five runs', () => {
  const measures = toMeasures(makeEntries({ count: 10, seed: 2, shifts: [[5, 1.3]] }));
  assert.deepEqual(
    findChangePoints(measures).map(({ at }) => at),
    [5],
  );
});

test('finds errors that begin in a figure that is otherwise 0', () => {
  const measures = toMeasures(makeEntries({ count: 40, seed: 3 }));
  const errors = Array.from({ length: 40 }, (_, at) => (at < 32 ? 0 : 0.02));
  const [only, ...more] = findChangePoints([...measures.slice(1), errors]);
  assert.deepEqual(more, []);
  assert.equal(only?.at, 32);
});

test('gives the same result for the same runs', () => {
  const measures = toMeasures(makeEntries({ count: 30, seed: 4, shifts: [[12, 1.06]] }));
  assert.deepEqual(findChangePoints(measures), findChangePoints(measures));
});

test('finds a shift in a figure that some runs lack', () => {
  const measures = toMeasures(makeEntries({ count: 30, seed: 5, shifts: [[15, 1.2]] })).map(
    values => values.map((value, at) => (at % 5 === 2 ? null : value)),
  );
  assert.deepEqual(
    findChangePoints(measures).map(({ at }) => at),
    [15],
  );
});

test('finds nothing in equal runs, and in none', () => {
  assert.deepEqual(findChangePoints([Array.from({ length: 20 }, () => 7)]), []);
  assert.deepEqual(findChangePoints([[]]), []);
  assert.deepEqual(findChangePoints([]), []);
});
