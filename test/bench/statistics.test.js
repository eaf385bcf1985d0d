import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCpuList } from '../../research/bench/cores.js';
import { medianPerMinute } from '../../research/bench/median-per-minute.js';
import { rotate, summarize } from '../../research/bench/statistics.js';

test('rounds that failed are left out of a summary', () => {
  const spread = { median: 2, min: 1, max: 9, count: 3 };
  assert.deepEqual(summarize([9, Number.NaN, 1, 2]), spread);
  assert.equal(summarize([Number.NaN]), null);
});

test('each tool is first in one of the rounds', () => {
  const rounds = [0, 1, 2, 3].map(round => rotate(['a', 'b', 'c'], round).join(''));
  assert.deepEqual(rounds, ['abc', 'bca', 'cab', 'abc']);
  assert.deepEqual(rotate([], 3), []);
});

test('lists of processors are read as the kernel writes them', () => {
  assert.deepEqual(parseCpuList('0-2,5,8-9'), [0, 1, 2, 5, 8, 9]);
  assert.deepEqual(parseCpuList('3'), [3]);
  assert.deepEqual(parseCpuList(''), []);
});

test('sums memory up by the minute, without an incomplete one', () => {
  const samples = Array.from({ length: 150 }, (_, second) => ({
    atMs: 5000 + second * 1000,
    usage: { memoryBytes: second < 60 ? 100 + second : 500 },
  }));
  assert.deepEqual(medianPerMinute(samples), [129.5, 500]);
  assert.deepEqual(medianPerMinute(samples.slice(0, 10)), [104.5]);
});
