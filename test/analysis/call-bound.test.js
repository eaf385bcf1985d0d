import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCallBound } from '../../lib/analysis/judge/bottleneck/call-bound.js';

const IDLE = { cores: 1, cpus: 4 };
const FULL = { cores: 3.9, cpus: 4 };

/** @param {any} workers of two processes @param {any} [host] */
const byOf = (workers, host = IDLE) =>
  findCallBound(
    { host, workers: workers && { processes: 2, threads: null, ...workers } },
    { load: null, costs: null },
  )?.by;

test('without a profile, the companion’s own clocks show it', () => {
  /** 100 requests in 10 s at two workers @param {number} cpuMs @param {number} serverMs */
  const byCompanion = (cpuMs, serverMs) => {
    const row = { requests: 100, cpuMsPerRequest: { value: cpuMs }, serverMsPerRequest: serverMs };
    const windows = [{ startMs: 0, endMs: 10_000 }];
    const calls = { table: { workers: [{}, {}] } };
    const reported = /** @type {any} */ ({ load: { windows }, calls, costs: { endpoints: [row] } });
    return findCallBound({ workers: null, host: null }, reported);
  };
  assert.deepEqual(byCompanion(180, 900), { by: 'workers', cores: 0.9 });
  assert.equal(byCompanion(180, 190), null, 'one request at a time waits for no other');
  assert.equal(byCompanion(50, 900), null);
  const none = /** @type {any} */ ({ load: null, calls: null, costs: null });
  assert.equal(findCallBound({ workers: null, host: null }, none), null);
});

test('times of calls are upper bounds where a worker that serves several requests has no idle CPU', () => {
  assert.equal(byOf({ cores: 1.9 }), 'workers');
  assert.equal(byOf({ cores: 1.9, threads: 8 }), 'workers');
  assert.equal(
    byOf({ cores: 1, wanting: { queuedShare: 0.1, leastWantedShare: 0.95 } }),
    'workers',
  );
  assert.equal(byOf({ cores: 1 }), undefined);
  assert.equal(byOf({ cores: 1.9, threads: 1 }), undefined, 'a sync worker only waits');
});

test('and where threads of the workers wait for a core of a saturated machine', () => {
  const wanting = { queuedShare: 0.4, leastWantedShare: 0.6 };
  assert.equal(byOf({ cores: 0.4, threads: 1, wanting }, FULL), 'machine');
  assert.equal(byOf({ cores: 0.4, threads: 1 }, FULL), 'machine', 'not known, so not excluded');
  const few = { queuedShare: 0.05, leastWantedShare: 0.3 };
  assert.equal(byOf({ cores: 0.4, threads: 1, wanting: few }, FULL), undefined);
  assert.equal(byOf(null, FULL), undefined);
});
