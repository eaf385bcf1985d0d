import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStall } from '../../../lib/analysis/load/stalls.js';
import { LoadTotals } from '../../../lib/analysis/read/load/load-totals.js';
import { Sketch } from '../../../lib/base/math/sketch.js';
import { recordsOf } from '../../helpers/records.js';

const START = 1_795_211_100_000;

/**
 * A minute of four answers a second, and none from 20 s to 30 s: two have waited for it.
 * @param {{pauseMs?: number}} [generator] how long its event loop stood still in these ten seconds
 */
function makeLoad({ pauseMs = 3 } = {}) {
  const seconds = Array.from({ length: 60 }, (_, n) => {
    const answers = n >= 20 && n < 30 ? [] : n === 30 ? [9000, 9500, 5, 5] : [5, 5, 5, 5];
    const sketch = new Sketch();
    for (const ms of answers) sketch.accept(ms);
    return {
      t: START + n * 1000,
      kind: 'second',
      fromMs: START + n * 1000,
      counters: { 'http.requests': 4, 'http.codes.200': answers.length },
      sketches: { 'http.response_time': sketch.toJson() },
    };
  });
  return LoadTotals.of(
    recordsOf('metrics', [
      { t: START, kind: 'load-start', engine: 'loadflame' },
      ...seconds,
      {
        ...{ t: START + 30_000, kind: 'generator', fromMs: START + 20_000, lengthMs: 10_000 },
        delayMs: { p99: pauseMs, max: pauseMs },
      },
    ]),
  );
}

test('seconds without a response are a stall where requests waited for their end', () => {
  const stall = findStall(makeLoad());
  assert.deepEqual(
    stall && [stall.startMs - START, stall.endMs - START, stall.waited],
    [20_000, 30_000, 2],
  );
});

test('reports no stall of the target while the generator paused', () => {
  assert.equal(findStall(makeLoad({ pauseMs: 9900 })), null);
  assert.ok(findStall(makeLoad({ pauseMs: 900 })));
});
