import assert from 'node:assert/strict';
import { test } from 'node:test';
import { predictFix } from '../../../lib/analysis/bottleneck/predict-fix.js';
import { makeWaits } from '../facts.js';
import { HOLDER, isNear, makeFacts } from './waiting-run.js';

test('users queue for threads that the companion counts as taken, though samples show a free one', () => {
  const waits = makeWaits({ lock: 0.875, sleep: 0.125 }, { slots: 8, busy: 7, fullest: 7 });
  const pressure = { id: 'waiting', facts: { users: 12, share: 1 } };
  const fullPool = { kind: 'gthread', capacity: 8, inUse: 7.9, waiting: 4.1 };
  const perSecOf = (/** @type {any} */ changes) =>
    predictFix('lock', makeFacts({ waits, pressure, ...changes }))?.afterPerSec.value;
  // Without the lock a request takes 44 ms; five users would be in transit for 250 ms.
  assert.ok(isNear(8 / 0.044, perSecOf({ fullPool })), `${perSecOf({ fullPool })}`);
  assert.ok(isNear(12 / 0.294, perSecOf({})), `${perSecOf({})}`);
});

test('users whom the companion counts as waiting for a thread of their worker are in a queue, and not on the network', () => {
  // 12 users: 8 in threads of two workers, one of them full, and 4 behind that one; two hold a lock for 25 ms each.
  const waits = makeWaits({ lock: 0.75, sleep: 0.25 }, { slots: 12, busy: 8, fullest: 5 });
  const pressure = { id: 'waiting', facts: { users: 12, share: 1 } };
  const workers = { processes: 2, cores: 0.02, busiestCores: 0.01 };
  const holders = { ...HOLDER, threads: 2 };
  const facts = { pressure, workers, throughputPerSec: 80, waits: { ...waits, holders } };
  const perSecOf = (/** @type {any} */ pools) =>
    predictFix('lock', makeFacts({ ...facts, pools }))?.afterPerSec.value;
  const threads = { kind: 'gthread', capacity: 12, inUse: 8, waiting: 4 };
  assert.ok(isNear(12 / 0.025, perSecOf([threads])), `${perSecOf([threads])}`);
  assert.ok(isNear(12 / 0.075, perSecOf([])), `${perSecOf([])}`);
});
