import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureIdle } from '../../../lib/analysis/profile/idle-cpu.js';
import { recordsOf } from '../../helpers/records.js';

const LOAD_MS = 10_000;
const WINDOWS = [{ startMs: LOAD_MS, endMs: 20_000 }];

/**
 * Records of one worker with one thread, every half second.
 * @param {(t: number) => number} coresAt
 * @param {number} [sinceMs]
 */
function record(coresAt, sinceMs = 7_000) {
  let runMs = 500;
  /** @type {Record<string, any>[]} */
  const records = [];
  for (let t = sinceMs; t <= 20_000; t += 500) {
    if (t > sinceMs) runMs += coresAt(t - 250) * 500;
    records.push({ kind: 'host', t });
    const threads = [[1, runMs, 0, t]];
    records.push({ kind: 'threads', t, pid: 1, startTicks: 1, threads });
  }
  return recordsOf('processes', records);
}

test('measures what the workers use before the load, and no request', () => {
  const idle = measureIdle(
    record(t => (t < LOAD_MS ? 0.04 : 0.05)),
    7_000,
    WINDOWS,
  );
  assert.ok(idle && Math.abs(idle.value - 0.04) < 1e-9, JSON.stringify(idle));
  assert.ok((idle.low ?? 1) <= idle.value && (idle.high ?? 0) >= idle.value);
});

test('leaves out the start of the recorders and the time long before the load', () => {
  const idle = measureIdle(
    record(t => (t < 8_000 ? 0.9 : t < LOAD_MS ? 0.02 : 0.5), 2_000),
    8_000,
    WINDOWS,
  );
  assert.ok(idle && Math.abs(idle.value - 0.02) < 1e-9, JSON.stringify(idle));
});

test('is never more than the workers used in the quietest stretch of the load', () => {
  const idle = measureIdle(
    record(t => (t < LOAD_MS ? 0.14 : 0.1)),
    7_000,
    WINDOWS,
  );
  assert.ok(idle && Math.abs(idle.value - 0.1) < 1e-9, JSON.stringify(idle));
  assert.ok((idle.high ?? 1) <= 0.1 + 1e-9);
});

test('is not known where the server was still starting before the load', () => {
  const starting = record(t => (t < LOAD_MS ? 0.9 : 0.2));
  assert.equal(measureIdle(starting, 7_000, WINDOWS), null);
});

test('is at most what the companion did not measure in requests', () => {
  const starting = record(t => (t < LOAD_MS ? 0.9 : 0.2));
  const idle = measureIdle(starting, 7_000, WINDOWS, { requestsMs: 1_900 });
  assert.ok(idle && Math.abs(idle.value - 0.01) < 1e-9, JSON.stringify(idle));
  assert.equal(idle.low, 0);
  assert.ok((idle.high ?? 1) <= 0.01 + 1e-9);
});

test('before a part of a load there is more load, and the idle server before that', () => {
  const records = record(t => (t < LOAD_MS ? 0.04 : 0.5));
  const part = [{ startMs: 14_000, endMs: 20_000 }];
  const idle = measureIdle(records, 7_000, part, { loadMs: LOAD_MS });
  assert.ok(idle && Math.abs(idle.value - 0.04) < 1e-9, JSON.stringify(idle));
});

test('leaves out what is read after the first requests, and before them by no more than clocks agree', () => {
  // The half-second from 9.5 s on has 0.3 s of a load that begins at 9.7 s.
  const late = record(t => (t < 9_500 ? 0.04 : t < LOAD_MS ? 0.3 : 0.5));
  const idle = measureIdle(late, 7_000, [{ startMs: 9_700, endMs: 20_000 }]);
  assert.ok(idle && Math.abs(idle.value - 0.04) < 1e-9, JSON.stringify(idle));
  // Or from 9.49 s on, by a clock that is known to 30 ms.
  const early = record(t => (t < 9_000 ? 0.04 : 0.5), 6_000);
  const windows = [{ startMs: 9_520, endMs: 20_000 }];
  const merged = measureIdle(early, 6_000, windows, { clockMs: 30 });
  assert.ok(merged && Math.abs(merged.value - 0.04) < 1e-9, JSON.stringify(merged));
});

test('is not known where the load begins at once, or the scheduler keeps no account', () => {
  const at = (/** @type {number} */ t) => (t < LOAD_MS ? 0.04 : 0.05);
  assert.equal(measureIdle(record(at, 9_000), 9_000, WINDOWS), null);
  const withoutThreads = record(at).filter(({ kind }) => kind === 'host');
  assert.equal(measureIdle(withoutThreads, 7_000, WINDOWS), null);
  assert.equal(measureIdle([], -Infinity, []), null);
});
