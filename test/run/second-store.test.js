import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondStore } from '../../lib/run/second-store.js';
import { addToSketch, createSketch, sketchToJson } from '../../lib/run/sketch.js';
import { makeRun } from '../helpers/synthetic-run/index.js';

/** @param {number[]} values */
function sketchOf(values) {
  const sketch = createSketch();
  for (const value of values) sketch.accept(value);
  return sketchToJson(sketch);
}

/** What JSON would say of a record. @param {any} value @returns {any} */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  if ('zero' in value) {
    const { count, sum, min, max, zero, bins } = value;
    return { count, sum, min, max, zero, bins };
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

test('records of seconds read as they were written, with and without the companion', () => {
  for (const companion of [false, true]) {
    const { metrics } = makeRun({
      durationSec: 20,
      companion,
      errorBursts: [{ fromSec: 3, lengthSec: 9, share: 0.5, status: 503 }],
    });
    const store = new SecondStore();
    let seconds = 0;
    for (const record of metrics) {
      const copy = structuredClone(record);
      store.shrink(copy);
      assert.deepEqual(plain(copy), record);
      if (record.kind !== 'second') continue;
      seconds++;
      assert.ok(Object.getOwnPropertyDescriptor(copy, 'endpoints')?.get, 'it is stored');
    }
    assert.equal(seconds, 20);
  }
});

test('sketches keep everything: below and above 1 ms, zeros, none at all, many bins', () => {
  const many = Array.from({ length: 5000 }, (_, i) => 0.01 * 1.003 ** i);
  const written = [[], [0], [0, 0, 12.5], [0.004, 3, 3, 900], many].map(sketchOf);
  const record = { kind: 'second', sketches: Object.fromEntries(written.entries()) };
  new SecondStore().shrink(record);
  for (const [i, sketch] of written.entries()) {
    assert.notEqual(record.sketches[i], sketch);
    assert.deepEqual(plain(record.sketches[i]), sketch);
  }
});

test('more records than fit into a chunk merge to what their values make', () => {
  const store = new SecondStore();
  const [into, truth] = [createSketch(), createSketch()];
  const records = Array.from({ length: 20_000 }, (_, i) => {
    const values = [(i + 1) / 100, i + 1, (i % 7) * 30];
    for (const value of values) truth.accept(value);
    const total = sketchOf(values);
    /** @type {Record<string, any>} */
    const record = {
      kind: 'second',
      endpoints: {
        [`GET /${i % 50}`]: { requests: 3, errors: 0, statuses: { 200: { count: 3, total } } },
      },
    };
    store.shrink(record);
    return record;
  });
  for (const { endpoints } of records)
    for (const { statuses } of Object.values(endpoints)) addToSketch(into, statuses[200].total);
  const [found, meant] = [sketchToJson(into), sketchToJson(truth)];
  assert.deepEqual(found.bins, meant.bins);
  assert.equal(found.count, 60_000);
});

test('what is not as the contract says stays what it was', () => {
  const good = sketchOf([1]);
  const endpoint = { requests: 1, errors: 0, statuses: { 200: { count: 1, total: good } } };
  for (const wrong of [
    { ...good, count: 1.5 },
    { ...good, count: 2 ** 40 },
    { ...good, sum: null },
    { ...good, bins: [[1, -1]] },
    { ...good, bins: [null] },
    { ...good, bins: 'x' },
  ]) {
    const statuses = { 200: { count: 1, total: wrong } };
    const record = {
      kind: 'second',
      sketches: { a: wrong },
      endpoints: { a: { ...endpoint, statuses } },
    };
    const copy = structuredClone(record);
    new SecondStore().shrink(copy);
    assert.deepEqual(copy, record);
  }
  for (const wrong of [
    { ...endpoint, errors: -1 },
    { ...endpoint, later: 7 },
    { ...endpoint, statuses: null },
    5,
  ]) {
    const record = { kind: 'second', endpoints: { a: endpoint, b: wrong } };
    const copy = structuredClone(record);
    new SecondStore().shrink(copy);
    assert.deepEqual(copy, record);
  }
});
