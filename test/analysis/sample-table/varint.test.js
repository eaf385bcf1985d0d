import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fromZigzag,
  toZigzag,
  VarintReader,
  VarintWriter,
} from '../../../lib/analysis/sample-table/varint.js';

test('whole numbers up to 2^53 - 1 come back as they were written', () => {
  const numbers = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER];
  const writer = new VarintWriter();
  for (const value of numbers) writer.add(value);
  const reader = new VarintReader(writer.build());
  assert.deepEqual(
    numbers.map(() => reader.next()),
    numbers,
  );
  assert.equal(reader.done, true);
});

test('many numbers outgrow the first buffer', () => {
  const writer = new VarintWriter();
  for (let value = 0; value < 20_000; value++) writer.add(value * 1000);
  const reader = new VarintReader(writer.build());
  for (let value = 0; value < 20_000; value++) assert.equal(reader.next(), value * 1000);
});

test('refuses values that are not whole numbers from 0 on', () => {
  for (const value of [-1, 0.5, NaN, Infinity, 2 ** 53])
    assert.throws(() => new VarintWriter().add(value), RangeError);
});

test('signed numbers become unsigned ones and back', () => {
  for (const value of [0, -1, 1, -2, 2, -1000, 123456, -(2 ** 40)])
    assert.equal(fromZigzag(toZigzag(value)), value);
  assert.deepEqual([0, -1, 1, -2, 2].map(toZigzag), [0, 1, 2, 3, 4]);
});
