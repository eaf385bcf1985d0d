import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sketch } from '../../../lib/math/sketch.js';
import { addRecord, createSum, formatStats } from '../../../lib/record/load/generator/stats.js';

const START = 1_800_000_000_000;

/**
 * What records of seconds come to: each with some requests.
 * @param {[atSec: number, requests: number, more?: Record<string, any>][]} seconds
 */
function sumUp(seconds) {
  const sum = createSum();
  for (const [atSec, requests, more] of seconds) {
    const fromMs = START + atSec * 1000;
    const sketch = new Sketch();
    for (let i = 0; i < requests; i++) sketch.accept(5);
    addRecord(sum, {
      ...{ fromMs, firstMs: fromMs, lastMs: fromMs + 999 },
      counters: requests > 0 ? { 'http.requests': requests } : {},
      sketches: requests > 0 ? { 'http.response_time': sketch.toJson() } : {},
      ...more,
    });
  }
  return formatStats(sum);
}

test('seconds of all workers are summed up under the names that Artillery has', () => {
  const failure = { 'vusers.first_failure.failed\tE\tGET /': 1, 'vusers.failed_by_name.a': 1 };
  const { counters, summaries } = sumUp([
    [1, 3],
    [1, 2],
    [2, 0, { counters: { 'http.requests': 4, ...failure } }],
  ]);
  assert.deepEqual(counters, { 'http.requests': 9 });
  const { count, min, p99 } = summaries['http.response_time'] ?? {};
  assert.deepEqual([count, min, Math.round(Number(p99))], [5, 5, 5]);
});

test('rates are those of the time in which something happened', () => {
  const { rates, firstMetricAt, lastMetricAt } = sumUp([
    [1, 100],
    [2, 0, { counters: { 'vusers.created': 1 } }],
    [12, 100, { rates: { own: 70, 'http.request_rate': 100 } }],
  ]);
  // From 1 s to just before 13 s.
  assert.deepEqual(rates, { own: 6, 'http.request_rate': 17 });
  assert.deepEqual([Number(firstMetricAt) - START, Number(lastMetricAt) - START], [1000, 12_999]);
});

test('a second in which users only wait says nothing about when a run began', () => {
  const { lastMetricAt } = sumUp([
    [5, 1],
    [6, 0],
  ]);
  assert.equal(lastMetricAt, START + 5999);
});

test('a load that was stopped before its first user has no times and no rates', () => {
  const { firstMetricAt, rates, period } = sumUp([]);
  assert.deepEqual([firstMetricAt, rates, period], [undefined, {}, undefined]);
});
