import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPoints } from '../../../../lib/report/page/timeline/tracks.js';

const EDGES_MS = [0, 1000, 2000, 3000, 5000];

/** @param {(number | null)[]} values */
const seriesOf = values => ({ name: 'x', color: '--x', values });

test('draws each window from its start to its end, also before a gap', () => {
  assert.deepEqual(toPoints({ form: 'line', series: [seriesOf([4, null, 2, null])] }, EDGES_MS), [
    [0, 1000, 1000, 2000, 2000, 3000, 3000, 5000],
    [4, 4, null, null, 2, 2, null, null],
  ]);
});

test('stacks layers on each other, the total first, with common gaps', () => {
  const series = [seriesOf([1, 2, null, 3]), seriesOf([10, 20, null, 30])];
  const [, ...layers] = toPoints({ form: 'stack', series }, EDGES_MS);
  assert.deepEqual(layers, [
    [11, 11, 22, 22, null, null, 33, 33],
    [1, 1, 2, 2, null, null, 3, 3],
  ]);
});

test('a track without values yet has a point at each edge, and nothing at them', () => {
  const [times, values] = toPoints({ form: 'area', series: [seriesOf([])] }, EDGES_MS);
  assert.deepEqual(values, Array(8).fill(null));
  assert.equal(times?.length, 8);
});
