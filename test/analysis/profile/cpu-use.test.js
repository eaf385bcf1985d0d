import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCpuUse } from '../../../lib/analysis/profile/cpu-use.js';

test('says how long threads of a worker have a core at a time, and how long all of them wait for one', () => {
  const threads = [7, 8, 9].map(tid => ({ pid: 7, tid, runMs: 100, queuedMs: tid, slices: 5 }));
  const processes = [{ pid: 7, role: 'worker', cpuMs: 300, livedMs: 5000 }];
  const recording = /** @type {any} */ ({ windows: [], records: [], processes, threads });
  const [worker] = describeCpuUse(recording, null).workers;
  assert.deepEqual([worker?.sliceMs, worker?.queuedMs], [300 / 15, 24]);
});
