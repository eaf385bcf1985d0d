import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DDSketch as ArtillerySketch } from '@artilleryio/sketches-js';
import { createSketch, mergeSketches, sketchToJson } from '../../lib/run/sketch.js';

test('sketches merge exactly: the parts together are the whole', () => {
  const whole = createSketch();
  const parts = [createSketch(), createSketch(), createSketch()];
  for (let i = 0; i < 3000; i++) {
    const value = i % 50 === 0 ? 0 : 1 + ((i * 7919) % 5000);
    whole.accept(value);
    parts[i % 3]?.accept(value);
  }
  const merged = mergeSketches(parts.map(part => JSON.parse(JSON.stringify(sketchToJson(part)))));
  assert.equal(merged.count, whole.count);
  assert.equal(merged.sum, whole.sum);
  for (const q of [0, 0.01, 0.5, 0.95, 0.99, 1]) {
    assert.equal(merged.getValueAtQuantile(q), whole.getValueAtQuantile(q), `q=${q}`);
  }
});

test("Artillery's own sketches are read to the same quantiles", () => {
  const theirs = new ArtillerySketch({ relativeAccuracy: 0.01 });
  const values = Array.from({ length: 1000 }, (_, i) => (i + 1) ** 1.5);
  for (const value of values) theirs.accept(value);
  const ours = mergeSketches([sketchToJson(/** @type {any} */ (theirs))]);
  assert.equal(ours.getValueAtQuantile(0.95), theirs.getValueAtQuantile(0.95));
});

test('every quantile is within 1 % of the true one', () => {
  const sketch = createSketch();
  const values = Array.from({ length: 5000 }, (_, i) => 3 + ((i * 104729) % 9973) / 10);
  for (const value of values) sketch.accept(value);
  const sorted = values.toSorted((a, b) => a - b);
  for (const q of [0.01, 0.25, 0.5, 0.9, 0.99]) {
    const truth = sorted[Math.floor(q * (sorted.length - 1))] ?? 0;
    const error = Math.abs(sketch.getValueAtQuantile(q) - truth) / truth;
    assert.ok(error <= 0.0101, `q=${q}: ${error}`);
  }
});

test('an empty sketch is written and read', () => {
  const json = sketchToJson(createSketch());
  assert.deepEqual(json, { count: 0, sum: 0, min: null, max: null, zero: 0, bins: [] });
  assert.equal(mergeSketches([json]).count, 0);
});
