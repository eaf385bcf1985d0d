import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packSketches } from '../../../lib/analysis/sample-table/pack.js';
import { mergeLatency, unpackLatency } from '../../../lib/analysis/sample-table/sketches.js';
import { Sketch } from '../../../lib/base/math/sketch.js';
import { makeRandom } from '../../helpers/make-table.js';

const QUANTILES = [0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1];

/** A sketch of latencies from 0.05 ms to some seconds. @param {number} seed @param {number} count */
function makeSketch(seed, count) {
  const random = makeRandom(seed);
  const sketch = new Sketch();
  for (let value = 0; value < count; value++) sketch.accept(Math.exp(random() * 11 - 3));
  return sketch;
}

test('packed sketches merge to the quantiles of those that went in', async () => {
  const endpoints = 3;
  const windows = 4;
  const cells = Array.from({ length: endpoints * windows }, (_, cell) =>
    // some windows of some endpoints have nothing
    cell % 5 === 3 ? null : [makeSketch(cell + 1, 200), makeSketch(100 + cell, 300)],
  );
  const packed = packSketches(
    cells.flatMap(cell => cell?.map(sketch => sketch.toJson()) ?? [null, null]),
  );
  const latency = await unpackLatency(packed, endpoints, windows);
  const expected = new Sketch();
  for (const cell of cells) if (cell?.[1]) expected.addJson(cell[1].toJson());
  const merged = mergeLatency(latency.flat().map(({ total }) => total));
  assert.equal(merged.count, expected.count);
  assert.ok(Math.abs(merged.sum - expected.sum) < 0.01);
  assert.ok(Math.abs(merged.max - expected.max) < 0.001);
  for (const quantile of QUANTILES) {
    const own = merged.quantile(quantile) ?? 0;
    const theirs = expected.quantile(quantile) ?? 0;
    assert.ok(Math.abs(own / theirs - 1) < 1e-3 || quantile === 0, `${quantile}: ${own} ${theirs}`);
  }
  assert.equal(latency[0]?.[3]?.total, null);
  assert.equal(latency[2]?.[1]?.timeToFirstByte?.count, 200);
});

test('quantiles of packed sketches are those of the sketch, and within 1 % of the truth', async () => {
  const random = makeRandom(5);
  const values = Array.from({ length: 5000 }, () => 1 + random() * 900).sort((a, b) => a - b);
  const theirs = new Sketch();
  for (const value of values) theirs.accept(value);
  const latency = await unpackLatency(packSketches([theirs.toJson(), null]), 1, 1);
  const own = latency[0]?.[0]?.timeToFirstByte;
  assert.ok(own);
  for (const quantile of [0.01, 0.25, 0.5, 0.95, 0.99]) {
    const value = mergeLatency([own]).quantile(quantile) ?? 0;
    const expected = theirs.quantile(quantile) ?? 0;
    assert.ok(Math.abs(value - expected) < 1e-9 * expected, `${quantile}: ${value} ${expected}`);
    const truth = values[Math.floor(quantile * (values.length - 1))] ?? 0;
    assert.ok(Math.abs(value / truth - 1) < 0.0101, `${quantile}: ${value} ${truth}`);
  }
});

test('zeros are kept, and nothing has no quantile', async () => {
  const zeros = new Sketch();
  for (let value = 0; value < 3; value++) zeros.accept(0);
  const latency = await unpackLatency(packSketches([zeros.toJson(), null]), 1, 1);
  const sketch = latency[0]?.[0]?.timeToFirstByte;
  assert.equal(sketch?.count, 3);
  assert.equal(mergeLatency([sketch ?? null]).quantile(0.5), 0);
  assert.equal(mergeLatency([null]).quantile(0.5), null);
});
