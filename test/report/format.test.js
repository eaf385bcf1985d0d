import assert from 'node:assert/strict';
import test from 'node:test';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatEstimate,
  formatInUnit,
  formatMoment,
  formatMs,
  formatMsInterval,
  formatNumberOf,
  formatPercent,
  formatRate,
  formatRoughShare,
  formatShare,
  roundShares,
} from '../../lib/base/format.js';

/** @param {(value: number) => string} format @param {[number, string][]} table */
function checkTable(format, table) {
  for (const [value, text] of table) assert.equal(format(value), text, `${format.name}(${value})`);
}

test('writes numbers with their unit and only significant digits', () => {
  checkTable(formatCount, [
    [0, '0'],
    [999, '999'],
    [1240, '1,240'],
    [1234567.4, '1,234,567'],
    [-1240, '-1,240'],
  ]);
  checkTable(formatMs, [
    [0, '0 ms'],
    [0.0421, '0.042 ms'],
    [0.7, '0.70 ms'],
    [0.96, '1.0 ms'],
    [3.94, '3.9 ms'],
    [9.96, '10 ms'],
    [53.76, '53.8 ms'],
    [99.96, '100 ms'],
    [1240.2, '1,240 ms'],
    [9999.6, '10 s'],
    [12400, '12 s'],
  ]);
  checkTable(formatDuration, [
    [800, '0.8 s'],
    [60_000, '60 s'],
    [119_400, '119 s'],
    [750_000, '12 min 30 s'],
    [720_000, '12 min'],
    [11_100_000, '3 h 05 min'],
  ]);
  checkTable(formatRate, [
    [0, '0/s'],
    [20.67, '20.7/s'],
    [20, '20/s'],
    [99.96, '100/s'],
    [1240, '1,240/s'],
  ]);
  checkTable(formatBytes, [
    [0, '0 B'],
    [999, '999 B'],
    [1200, '1.2 kB'],
    [118_400_000, '118 MB'],
    [999_600, '1.0 MB'],
  ]);
  checkTable(formatPercent, [
    [0, '0 %'],
    [0.41, '41.0 %'],
    [0.00042, '0.04 %'],
    [0.000001, '< 0.01 %'],
    [1, '100.0 %'],
  ]);
});

test('an unknown value is a dash and never a zero', () => {
  for (const format of [
    formatCount,
    formatMs,
    formatDuration,
    formatRate,
    formatBytes,
    formatPercent,
    formatMoment,
  ]) {
    assert.equal(format(null), '–', format.name);
    assert.equal(format(Number.NaN), '–', format.name);
  }
});

test('a mean that is not 0 is not shown as 0', () => {
  assert.deepEqual(
    [0, 0.007, 0.05, 1].map(value => formatInUnit(value, 'count')),
    ['0', '< 0.1', '0.1', '1'],
  );
});

test('a share shows the larger half of its interval, and none where it has none', () => {
  assert.equal(formatShare({ value: 0.41, low: 0.39, high: 0.431 }), '41.0 % ± 2.1');
  assert.equal(formatShare({ value: 0.41, low: null, high: null }), '41.0 %');
  // "± 68" would be from below 0 to 100 %
  assert.equal(formatShare({ value: 0.32, low: 0.02, high: 1 }), '32.0 % (2 to 100)');
  assert.equal(formatRoughShare({ value: 0.9, low: 0.6, high: 0.99 }), '90 % (60 to 99)');
  assert.equal(formatRoughShare({ value: 0.03, low: 0.01, high: 0.07 }), '3 % (1 to 7)');
  assert.equal(formatMsInterval({ value: 3.9, low: 3.5, high: 4.3 }), '3.5–4.3 ms');
  assert.equal(formatMsInterval({ value: 9900, low: 9800, high: 12_000 }), '9,800 ms–12 s');
});

test('a rate shows the larger half of its interval, and both ends where that is over half of it', () => {
  assert.equal(formatEstimate({ value: 375, low: 371, high: 380 }, formatRate), '375/s ± 5');
  // of three repeats that differ by twice, on logarithms: "± 649" would reach below 0
  assert.equal(
    formatEstimate({ value: 356, low: 126, high: 1005 }, formatRate),
    '356/s (126 to 1,005)',
  );
  assert.equal(
    formatEstimate({ value: 8000, low: 900, high: 12_000 }, formatMs),
    '8,000 ms (900 ms to 12 s)',
  );
  assert.equal(formatEstimate({ value: 375, low: null, high: null }, formatRate), '375/s');
  assert.equal(formatEstimate(null, formatRate), '–');
});

test('percentages of parts sum to exactly 100.0', () => {
  assert.deepEqual(roundShares([1 / 3, 1 / 3, 1 / 3]), [33.4, 33.3, 33.3]);
  assert.deepEqual(roundShares([]), []);
  for (let parts = 1; parts < 60; parts++) {
    const weights = Array.from({ length: parts }, (_, index) => 1 / (index + Math.SQRT2));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const tenths = roundShares(weights.map(weight => weight / sum)).map(percent =>
      Math.round(percent * 10),
    );
    assert.equal(
      tenths.reduce((total, tenth) => total + tenth, 0),
      1000,
      `${parts} parts`,
    );
  }
});

test('one request is not "1 requests"', () => {
  assert.equal(formatNumberOf(1, 'request'), '1 request');
  assert.equal(formatNumberOf(1240, 'request'), '1,240 requests');
  assert.equal(formatNumberOf(2, 'box', 'boxes'), '2 boxes');
});
