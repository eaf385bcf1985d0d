import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DDSketch as ArtillerySketch } from '@artilleryio/sketches-js';
import { mergeSketches, Sketch } from '../../../lib/base/math/sketch.js';

test('sketches merge exactly: the parts together are the whole', () => {
  const whole = new Sketch();
  const parts = [new Sketch(), new Sketch(), new Sketch()];
  for (let i = 0; i < 3000; i++) {
    const value = i % 50 === 0 ? 0 : 1 + ((i * 7919) % 5000);
    whole.accept(value);
    parts[i % 3]?.accept(value);
  }
  const merged = mergeSketches(parts.map(part => JSON.parse(JSON.stringify(part.toJson()))));
  assert.equal(merged.count, whole.count);
  assert.equal(merged.sum, whole.sum);
  for (const q of [0, 0.01, 0.5, 0.95, 0.99, 1]) {
    assert.equal(merged.quantile(q), whole.quantile(q), `q=${q}`);
  }
});

test("bins and quantiles are those of Artillery's own sketches", () => {
  const theirs = new ArtillerySketch({ relativeAccuracy: 0.01 });
  const values = Array.from({ length: 1000 }, (_, i) => (i + 1) ** 1.5);
  for (const value of values) theirs.accept(value);
  const ours = new Sketch();
  for (const value of values) ours.accept(value);
  assert.ok(Math.abs((ours.quantile(0.95) ?? 0) / theirs.getValueAtQuantile(0.95) - 1) < 1e-12);
  const { bins, offset } = /** @type {any} */ (theirs.store);
  assert.deepEqual(
    [...ours.bins()],
    bins.flatMap((/** @type {number} */ count, /** @type {number} */ index) =>
      count > 0 ? [[index + offset, count]] : [],
    ),
  );
});

test('every quantile is within 1 % of the true one', () => {
  const sketch = new Sketch();
  const values = Array.from({ length: 5000 }, (_, i) => 3 + ((i * 104729) % 9973) / 10);
  for (const value of values) sketch.accept(value);
  const sorted = values.toSorted((a, b) => a - b);
  for (const q of [0.01, 0.25, 0.5, 0.9, 0.99]) {
    const truth = sorted[Math.floor(q * (sorted.length - 1))] ?? 0;
    const error = Math.abs((sketch.quantile(q) ?? 0) - truth) / truth;
    assert.ok(error <= 0.0101, `q=${q}: ${error}`);
  }
});

test('an empty sketch is written and read', () => {
  const json = new Sketch().toJson();
  assert.deepEqual(json, { count: 0, sum: 0, min: null, max: null, zero: 0, bins: [] });
  assert.equal(mergeSketches([json]).count, 0);
});

test('a tail quantile needs a value beyond it: 20 values have a p95, 100 a p99', () => {
  const sketch = new Sketch();
  for (let count = 1; count <= 100; count++) {
    sketch.accept(count % 4 === 0 ? 300 : 0.1);
    assert.equal(sketch.tailQuantile(0.95) !== null, count >= 20, `p95 of ${count}`);
    assert.equal(sketch.tailQuantile(0.99) !== null, count >= 100, `p99 of ${count}`);
  }
});
