import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  measureRise,
  readProbeSeries,
} from '../../../../lib/experiment/study/measure/measure-probes.js';

const WINDOW = { startMs: 1000, endMs: 5000 };

test('a rise is between the first and the last reading inside the window', () => {
  const points = [
    { t: 0, value: 0 },
    { t: 1500, value: 10 },
    { t: 4500, value: 70 },
    { t: 9000, value: 1e6 },
  ];
  assert.equal(measureRise(points, WINDOW), 20);
  assert.equal(measureRise(points.slice(0, 2), WINDOW), null);
  assert.equal(measureRise([], WINDOW), null);
});

test('continues a counter that restarted at 0', () => {
  const points = [
    { t: 1000, value: 100 },
    { t: 2000, value: 120 },
    { t: 3000, value: 20 },
    { t: 4000, value: 40 },
  ];
  assert.equal(measureRise(points, WINDOW), 20);
});

test('fields have whatever names they have, and other records are left alone', () => {
  const series = readProbeSeries([
    { t: 2, kind: 'probe', name: '__proto__', values: { constructor: 2 } },
    { t: 1, kind: 'probe', name: '__proto__', values: { constructor: 1 } },
    { t: 3, kind: 'probe-failed', name: 'a', message: 'no' },
  ]);
  const [probe, ...others] = Object.entries(series);
  assert.equal(probe?.[0], '__proto__');
  assert.deepEqual(others, []);
  const values = [1, 2].map(n => ({ t: n, value: n }));
  assert.deepEqual(Object.entries(probe?.[1] ?? {}), [['constructor', values]]);
});
