/** What more worker processes bring, each against what their cores can serve. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { predictFix } from '../../../lib/analysis/bottleneck/predict-fix.js';
import { makeWaits } from '../facts.js';
import { isNear, makeFacts } from './waiting-run.js';

/** Eight users at a worker that calculates all the time: 20 requests/s, 50 ms each, on 2 of whose cores others may run. */
const ofCpu = (/** @type {any} */ changes = {}) =>
  makeFacts({
    waits: makeWaits({ cpu: 1 }, { slots: 8, busy: 8, fullest: 8 }),
    workers: { processes: 1, cores: 1, busiestCores: 1, threads: 8, wanting: null },
    host: { cores: 1.1, cpus: 2 },
    restCores: 0,
    ...changes,
  });

/** Beside two processes that burn CPU: a third of the two cores is the worker's, and its run queue shows it. */
const CROWDED = {
  throughputPerSec: 13.3,
  workers: {
    ...{ processes: 1, cores: 0.667, busiestCores: 0.667, threads: 8 },
    wanting: { queuedShare: 0.333, leastWantedShare: 1 },
  },
  host: { cores: 2, cpus: 2 },
  restCores: 1.31,
  isMachineFull: true,
  hasBackgroundLoad: true,
  isCpuDoubt: true,
};

for (const id of /** @type {const} */ (['gil', 'workers']))
  test(`a second worker on the second core serves twice as many: ${id}`, () => {
    const fix = predictFix(id, ofCpu());
    const { value = 0, low, high } = fix?.afterPerSec ?? {};
    assert.ok(isNear(2 / 0.0504, value), JSON.stringify(fix));
    assert.ok((low ?? 0) > 30 && (high ?? Infinity) < 20 * 2 * 1.11, JSON.stringify(fix));
    assert.equal(fix?.next, 'machine');
  });

test('more workers bring no more than the cores that are left', () => {
  const fix = predictFix('gil', ofCpu({ restCores: 0.5, profilerCores: 0.1 }));
  const { value = 0, low } = fix?.afterPerSec ?? {};
  assert.ok(isNear(1.6 / 0.0504, value), 'two workers and half a process share two cores');
  assert.ok(isNear(((2 - 0.5 - 0.2) / 0.0504) * 0.9, low), 'others keep theirs: 1.3 cores');
  assert.equal(predictFix('gil', ofCpu({ host: { cores: 1, cpus: 1 } })), null, 'no second core');
  assert.equal(predictFix('gil', ofCpu({ host: null })), null, 'cores are not known');
  const quota = { roles: ['worker'], quotaCores: 2, share: 0 };
  const limited = predictFix('gil', ofCpu({ host: { cores: 1.1, cpus: 64 }, quota }));
  assert.ok(isNear(2 / 0.0504, limited?.afterPerSec.value), JSON.stringify(limited));
  assert.ok((limited?.afterPerSec.high ?? Infinity) < 20 * 2 * 1.11, 'the quota of the container');
});

test('on a saturated machine the run queue shows how many threads share its cores: 3, then 4', () => {
  const fix = predictFix('workers', ofCpu(CROWDED));
  const { value = 0, high } = fix?.afterPerSec ?? {};
  assert.ok(isNear(20, value), JSON.stringify(fix));
  assert.equal(fix?.gain.low, 0, 'perhaps the kernel gives the second worker nothing');
  assert.ok((high ?? 0) > 36, 'all cores, once the others have ended');
});

test('users whose connections stay with a worker may leave others without any', () => {
  const gainOf = (/** @type {number} */ users, /** @type {any} */ changes = {}) => {
    const pressure = { id: 'waiting', facts: { users, share: 1 } };
    const waits = makeWaits({ cpu: 1 }, { slots: 8, busy: users, fullest: users });
    const kept = { pressure, waits, keepsConnections: true, host: { cores: 1.1, cpus: 4 } };
    return predictFix('gil', ofCpu({ ...kept, ...changes }));
  };
  const many = gainOf(40);
  assert.ok((many?.gain.low ?? 0) > 2, JSON.stringify(many));
  const few = gainOf(4);
  assert.ok((few?.gain.low ?? 9) < 0.5 && (few?.gain.high ?? 0) > 2.5, JSON.stringify(few));
  assert.deepEqual([many?.dependsOnSpread, few?.dependsOnSpread], [false, true]);
  assert.ok((gainOf(4, { keepsConnections: false })?.gain.low ?? 0) > 1.5);
});

test('requests that also wait for a service get no more than their users ask for', () => {
  // 8 users, of 400 ms 300 in the service and 50 with a core: 8 ÷ 0.35.
  const shares = { cpu: 0.25, 'external-call': 0.75 };
  const waits = makeWaits(shares, { slots: 8, busy: 8, fullest: 8 });
  const fix = predictFix('gil', ofCpu({ waits, host: { cores: 1.1, cpus: 16 } }));
  const { value = 0 } = fix?.afterPerSec ?? {};
  assert.ok(isNear(8 / 0.35, value), JSON.stringify(fix));
  assert.equal(fix?.next, 'none');
});

test('a wait in a driver may be one for the GIL, and other programs may end: no measured rate exceeds the most', () => {
  // Measured without profiler and companion: 27.4/s with two workers. The database executed for 2 % of the time.
  const cpu = {
    ...{ throughputPerSec: 14, restCores: 0.3, profilerCores: 0.16, generatorCores: 0.03 },
    ...{ serviceCores: 0.14, host: { cores: 1.59, cpus: 2 } },
    workers: { processes: 1, cores: 0.96, busiestCores: 0.96, threads: 4, wanting: null },
    pressure: { id: 'waiting', facts: { users: 4, share: 1 } },
  };
  const machine = {
    ...{ id: 'machine', capacity: 2, inUse: 1.59, utilisation: 0.79 },
    mostPerSec: 19.2,
  };
  for (const database of [0, 0.2, 0.4, 0.58, 0.65]) {
    const shares = { cpu: 1 - database, database };
    const waits = makeWaits(shares, { slots: 4, busy: 3.7, fullest: 4 });
    const fix = predictFix('gil', ofCpu({ ...cpu, waits }), /** @type {any[]} */ ([machine]));
    assert.ok((fix?.afterPerSec.high ?? 0) >= 27.4, `${database}: ${JSON.stringify(fix)}`);
    assert.ok((fix?.afterPerSec.high ?? 0) <= (2 / 0.96) * 14 * 1.11, `${database}`);
    if ((fix?.gain.low ?? 0) <= 0) assert.equal(fix?.next, 'machine');
  }
});
