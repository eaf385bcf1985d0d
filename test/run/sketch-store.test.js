import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addToSketch, createSketch, sketchToJson } from '../../lib/run/sketch.js';
import { SketchStore } from '../../lib/run/sketch-store.js';

/** @param {number[]} values */
function sketchOf(values) {
  const sketch = createSketch();
  for (const value of values) sketch.accept(value);
  return sketchToJson(sketch);
}

/** @param {import('../../lib/run/sketch.js').SketchJson} sketch */
const plain = ({ count, sum, min, max, zero, bins }) => ({ count, sum, min, max, zero, bins });

test('a stored sketch reads as it was written: below and above 1 ms, zeros, none at all, many', () => {
  const store = new SketchStore();
  const many = Array.from({ length: 5000 }, (_, i) => 0.01 * 1.003 ** i);
  const written = [[], [0], [0, 0, 12.5], [0.004, 3, 3, 900], many].map(sketchOf);
  const stored = written.map(json => store.add(json));
  for (const [i, sketch] of stored.entries()) {
    assert.notEqual(sketch, written[i], 'it is not kept as it was');
    assert.deepEqual(plain(sketch), written[i]);
  }
});

test('thousands of stored sketches merge to what their values make', () => {
  const store = new SketchStore();
  const [into, truth] = [createSketch(), createSketch()];
  for (let i = 1; i <= 20_000; i++) {
    const values = [i / 100, i, (i % 7) * 30];
    addToSketch(into, store.add(sketchOf(values)));
    for (const value of values) truth.accept(value);
  }
  const [found, meant] = [sketchToJson(into), sketchToJson(truth)];
  assert.deepEqual(found.bins, meant.bins);
  assert.equal(found.count, meant.count);
  assert.equal(found.zero, meant.zero);
});

test('what is no sketch stays what it was', () => {
  const store = new SketchStore();
  const good = sketchOf([1]);
  for (const wrong of [
    { ...good, count: 1.5 },
    { ...good, count: 2 ** 40 },
    { ...good, sum: null },
    { ...good, bins: [[1, -1]] },
    { ...good, bins: [null] },
    { ...good, bins: 'x' },
  ])
    assert.equal(store.add(/** @type {any} */ (wrong)), wrong);
});
