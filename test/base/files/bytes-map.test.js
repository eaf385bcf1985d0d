import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BytesMap } from '../../../lib/base/files/bytes-map.js';

/** So many that several have one hash of 32 bits. */
const KEYS = 200_000;

test('each text has its own value, also where hashes are equal', () => {
  const map = new BytesMap();
  const bytes = Buffer.from(
    Array.from({ length: KEYS }, (_, i) => `${i};é;${i * 7919}`).join('\n'),
  );
  for (const round of ['first', 'second']) {
    let from = 0;
    for (let i = 0; i < KEYS; i++) {
      const end = bytes.indexOf(10, from);
      const to = end < 0 ? bytes.length : end;
      const value = map.entryOf(bytes, from, to, text => `${round} ${text}`);
      if (value !== `first ${i};é;${i * 7919}`) assert.fail(`${round} round: ${value}`);
      from = to + 1;
    }
  }
});

test('a key outlives the bytes that it was read from', () => {
  const map = new BytesMap();
  const bytes = Buffer.from('abcde');
  assert.equal(
    map.entryOf(bytes, 1, 4, text => text),
    'bcd',
  );
  bytes.fill('x');
  assert.equal(
    map.entryOf(Buffer.from('bcd'), 0, 3, () => 'new'),
    'bcd',
  );
  assert.equal(
    map.entryOf(bytes, 0, 0, text => `empty${text}`),
    'empty',
  );
});

test('texts that differ in one or two bits, or in their length, are never one', () => {
  /** @type {BytesMap<number>} */
  const map = new BytesMap();
  const bits = 8 * 40;
  const bytes = Buffer.alloc(41, 'frame (file.py:1);');
  const flip = (/** @type {number} */ bit) => {
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  };
  let count = 0;
  const check = (/** @type {number} */ to) =>
    assert.equal(
      map.entryOf(bytes, 0, to, () => count),
      count++,
    );
  for (let one = 0; one < bits; one++) {
    flip(one);
    check(40);
    for (let other = one + 1; other < bits; other++) {
      flip(other);
      check(40);
      flip(other);
    }
    flip(one);
  }
  bytes.fill(0);
  for (let to = 0; to <= 41; to++) check(to);
  assert.equal(map.get(bytes, 0, 41), count - 1);
  bytes[0] = 1;
  assert.equal(map.get(bytes, 0, 41), undefined);
});
