import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addToSketch, createSketch, sketchToJson } from '../../lib/run/sketch.js';
import { packSketches } from '../../lib/sample-table/pack-sketches.js';
import { latencyAt, mergeLatency, unpackLatency } from '../../lib/sample-table/sketches.js';
import { makeRandom } from '../helpers/make-table.js';

const QUANTILES = [0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1];

/** A sketch of latencies from 0.05 ms to some seconds. @param {number} seed @param {number} count */
function makeSketch(seed, count) {
  const random = makeRandom(seed);
  const sketch = createSketch();
  for (let value = 0; value < count; value++) sketch.accept(Math.exp(random() * 11 - 3));
  return sketch;
}

test('packed sketches merge to the quantiles of the library’s', async () => {
  const endpoints = 3;
  const windows = 4;
  const cells = Array.from({ length: endpoints * windows }, (_, cell) =>
    // some windows of some endpoints have nothing
    cell % 5 === 3 ? null : [makeSketch(cell + 1, 200), makeSketch(100 + cell, 300)],
  );
  const packed = packSketches(
    cells.flatMap(cell => cell?.map(sketch => sketchToJson(sketch)) ?? [null, null]),
  );
  const latency = await unpackLatency(packed, endpoints, windows);
  const expected = createSketch();
  for (const cell of cells) if (cell?.[1]) addToSketch(expected, sketchToJson(cell[1]));
  const merged = mergeLatency(latency.flat().map(({ total }) => total));
  assert.equal(merged.count, expected.count);
  assert.ok(Math.abs(merged.sumMs - expected.sum) < 0.01);
  assert.ok(Math.abs(merged.maxMs - expected.max) < 0.001);
  for (const quantile of QUANTILES) {
    const own = latencyAt(merged, quantile) ?? 0;
    const theirs = Math.min(expected.max, expected.getValueAtQuantile(quantile));
    assert.ok(Math.abs(own / theirs - 1) < 1e-3 || quantile === 0, `${quantile}: ${own} ${theirs}`);
  }
  assert.equal(latency[0]?.[3]?.total, null);
  assert.equal(latency[2]?.[1]?.timeToFirstByte?.count, 200);
});

test('quantiles are the library’s to the last digits, and within 1 % of the truth', async () => {
  const random = makeRandom(5);
  const values = Array.from({ length: 5000 }, () => 1 + random() * 900).sort((a, b) => a - b);
  const theirs = createSketch();
  for (const value of values) theirs.accept(value);
  const latency = await unpackLatency(packSketches([sketchToJson(theirs), null]), 1, 1);
  const own = latency[0]?.[0]?.timeToFirstByte;
  assert.ok(own);
  for (const quantile of [0.01, 0.25, 0.5, 0.95, 0.99]) {
    const value = latencyAt(own, quantile) ?? 0;
    const library = theirs.getValueAtQuantile(quantile);
    assert.ok(Math.abs(value - library) < 1e-9 * library, `${quantile}: ${value} ${library}`);
    const truth = values[Math.floor(quantile * (values.length - 1))] ?? 0;
    assert.ok(Math.abs(value / truth - 1) < 0.0101, `${quantile}: ${value} ${truth}`);
  }
});

test('zeros are kept, and nothing has no quantile', async () => {
  const zeros = createSketch();
  for (let value = 0; value < 3; value++) zeros.accept(0);
  const latency = await unpackLatency(packSketches([sketchToJson(zeros), null]), 1, 1);
  const sketch = latency[0]?.[0]?.timeToFirstByte;
  assert.equal(sketch?.count, 3);
  assert.equal(sketch && latencyAt(sketch, 0.5), 0);
  assert.equal(latencyAt(mergeLatency([null]), 0.5), null);
});
