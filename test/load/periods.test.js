import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sketch } from '../../lib/base/math/sketch.js';
import { createPeriods, ratePerSec } from '../../lib/load/metrics/periods.js';

const START = 1_800_000_000_000;

/**
 * A second of a worker with some requests.
 * @param {number} atSec @param {number} requests @param {Record<string, any>} [more]
 * @returns {any}
 */
function second(atSec, requests, more = {}) {
  const fromMs = START + atSec * 1000;
  const sketch = new Sketch();
  for (let i = 0; i < requests; i++) sketch.accept(5);
  return {
    fromMs,
    firstMs: fromMs,
    lastMs: fromMs + 999,
    counters: requests > 0 ? { 'http.requests': requests } : {},
    sketches: requests > 0 ? { 'http.response_time': sketch.toJson() } : {},
    rates: {},
    ...more,
  };
}

test('a period is told once, when every worker has told all of it', () => {
  /** @type {any[]} */
  const told = [];
  const periods = createPeriods(2, period => told.push(period));
  periods.addSecond(second(8, 3));
  periods.addSecond(second(11, 4));
  periods.tick(0, START + 12_000);
  assert.equal(told.length, 0, 'the other worker may have more');
  periods.addSecond(second(9, 2));
  periods.tick(1, START + 10_000);
  assert.deepEqual(
    told.map(({ fromMs, counters }) => [fromMs - START, counters['http.requests']]),
    [[0, 5]],
  );
  // A clock that was set back: what is told too late is in the next period, and in the whole.
  periods.addSecond(second(7, 1));
  const total = periods.finish();
  assert.deepEqual(
    told.map(({ fromMs, counters }) => [fromMs - START, counters['http.requests']]),
    [
      [0, 5],
      [10_000, 5],
    ],
  );
  assert.equal(total.counters['http.requests'], 10);
  assert.equal(total.sketches['http.response_time']?.count, 10);
  assert.equal(total.fromMs, START);
});

test('rates are those of the time in which something happened', () => {
  const periods = createPeriods(1, () => {});
  periods.addSecond(second(1, 100));
  periods.addSecond(second(2, 0, { counters: { 'vusers.created': 1 } }));
  periods.addSecond(second(12, 100, { rates: { own: 7, 'http.request_rate': 100 } }));
  const { rates, firstMs, lastMs } = periods.finish();
  // From 1 s to just before 13 s.
  assert.equal(ratePerSec(/** @type {any} */ (rates['http.request_rate'])), 17);
  assert.equal(ratePerSec(/** @type {any} */ (rates.own)), 7);
  assert.deepEqual([firstMs - START, lastMs - START], [1000, 12_999]);
});

test('a second in which users only wait says nothing about when a run began', () => {
  const periods = createPeriods(1, () => {});
  periods.addSecond(second(5, 1));
  periods.addSecond(second(6, 0));
  assert.equal(periods.finish().lastMs, START + 5999);
});
