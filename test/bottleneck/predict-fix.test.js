/** Predictions, each against a queueing network whose solution is known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { predictFix, predictPaths, predictShorter } from '../../lib/bottleneck/predict-fix.js';
import { sum } from '../../lib/math/summary.js';
import { makeWaits } from '../analysis/facts.js';

/**
 * A run of 8 users that wait all the time, at 20 requests/s.
 * @param {any} [changes] @returns {any}
 */
function makeFacts(changes = {}) {
  return {
    pressure: { id: 'waiting', facts: { users: 8, share: 1 } },
    throughputPerSec: 20,
    workers: { processes: 1, cores: 0.02, busiestCores: 0.02 },
    generatorCores: 0.02,
    host: { cores: 0.1, cpus: 4 },
    loopWaits: null,
    waits: makeWaits({ lock: 0.875, sleep: 0.125 }, { slots: 16, busy: 8 }),
    paths: [],
    ...changes,
  };
}
/** @type {any} */
const HOLDER = {
  of: 'lock',
  function: 'reserve',
  file: 'shop.py',
  threads: 1,
  doing: { id: 'sleep', share: 1 },
};
/** @param {number} value */
const wide = value => ({ value, low: value - 0.05, high: value + 0.05 });

/** @param {number} value @param {number | null | undefined} other */
const isNear = (value, other) => Math.abs(value / (other ?? 0) - 1) < 0.03;

test('without a lock around 50 ms, 8 users sleep side by side: 160 requests/s', () => {
  const fix = predictFix('lock', makeFacts());
  assert.ok(isNear(160, fix?.afterPerSec.value), JSON.stringify(fix));
  assert.equal(fix?.next, 'none', 'the number of users');
  assert.ok((fix?.afterPerSec.low ?? 0) < 160 && (fix?.afterPerSec.high ?? 0) > 160);
});

/** @param {number[]} spread users of each of two workers with 4 threads, behind a lock around 40 ms of each worker */
function behindLocks(spread) {
  const inside = spread.map(users => Math.min(4, users));
  const [busy, used] = [sum(inside), spread.filter(users => users > 0).length];
  const waits = makeWaits(
    { lock: 1 - used / busy, sleep: used / busy },
    { slots: 8, busy, fullest: Math.max(...inside) },
  );
  const facts = makeFacts({
    waits,
    pressure: { id: 'waiting', facts: { users: sum(spread), share: 1 } },
    workers: { processes: 2, cores: 0.02, busiestCores: 0.01 },
    throughputPerSec: used / 0.04,
    keepsConnections: true,
  });
  return { facts, perSec: busy / 0.04 };
}

test('connections that stay with their worker leave its threads the limit, and may meet one worker after a restart', () => {
  const all = [
    [8, 8],
    [12, 4],
    [14, 2],
    [15, 1],
    [16, 0],
  ].map(behindLocks);
  for (const { facts, perSec } of all) {
    const fix = predictFix('lock', facts);
    const { value, low, high } = fix?.afterPerSec ?? {};
    assert.ok(isNear(perSec, value), `as spread now: ${perSec}, ${JSON.stringify(fix)}`);
    const isInside = all.every(own => (low ?? 0) < own.perSec && own.perSec < (high ?? 0));
    assert.ok(isInside, `spread again: ${low} to ${high}`);
    assert.deepEqual([fix?.next, fix?.dependsOnSpread], ['slots', true]);
  }
});

test('new connections for each request, or a single worker, do not depend on how connections spread', () => {
  const { facts } = behindLocks([8, 8]);
  const single = {
    workers: makeFacts().workers,
    waits: { ...facts.waits, busySlotsOfFullest: 8 },
  };
  for (const changes of [{ keepsConnections: false }, single]) {
    const fix = predictFix('lock', { ...facts, ...changes });
    assert.ok(isNear(200, fix?.afterPerSec.value), JSON.stringify(fix));
    assert.equal(fix?.dependsOnSpread, false);
    assert.ok((fix?.afterPerSec.low ?? 0) > 100, 'more than one worker of two can serve');
  }
});

test('fewer threads than users set the next limit', () => {
  const waits = makeWaits({ lock: 0.75, sleep: 0.25 }, { slots: 4, busy: 4, fullest: 4 });
  const fix = predictFix('lock', makeFacts({ waits }));
  assert.ok(isNear(80, fix?.afterPerSec.value), JSON.stringify(fix));
  assert.equal(fix?.next, 'slots');
});

test('with a thread for each user, two threads that wait 100 ms become eight', () => {
  const waits = makeWaits({ sleep: 1 }, { slots: 2, busy: 2, fullest: 2 });
  const fix = predictFix('slots', makeFacts({ waits }));
  assert.ok(isNear(80, fix?.afterPerSec.value), JSON.stringify(fix));
});

test('more threads bring an unknown gain where other programs, such as the database, saturate the CPU', () => {
  const waits = makeWaits({ sleep: 1 }, { slots: 2, busy: 2, fullest: 2 });
  const facts = makeFacts({ waits });
  assert.ok(predictFix('slots', facts));
  const saturated = { ...facts, isMachineFull: true, hasBackgroundLoad: true };
  assert.equal(predictFix('slots', saturated), null);
});

test('more threads bring no more than the CPU that the programs of requests leave', () => {
  // 50 ms of CPU in a program for each request, on 2 cores.
  const waits = makeWaits({ 'child-process': 1 }, { slots: 2, busy: 2, fullest: 2 });
  const fix = predictFix('slots', makeFacts({ waits, childCores: 1, host: { cores: 1, cpus: 2 } }));
  assert.ok(isNear(40, fix?.afterPerSec.value), JSON.stringify(fix));
  assert.equal(fix?.next, 'machine');
});

test('the CPU of the workers bounds what the end of a wait brings', () => {
  const workers = { processes: 1, cores: 0.5, busiestCores: 0.5 };
  const waits = makeWaits({ 'external-call': 0.95, cpu: 0.05 }, { slots: 16, busy: 8 });
  const fix = predictFix('external-call', makeFacts({ waits, workers }));
  // 25 ms of CPU for each request of a worker that is half idle, and 25 ÷ 1.2 ms of a busy one.
  const { value, low, high } = fix?.afterPerSec ?? {};
  assert.ok(
    isNear(48, value) && isNear(20 * 0.9, low) && isNear(70 * 1.1, high),
    JSON.stringify(fix),
  );
  assert.equal(fix?.next, 'workers');
});

test('code of C may run beside other threads: the range goes up to all cores', () => {
  const workers = { processes: 1, cores: 0.5, busiestCores: 0.5 };
  const waits = makeWaits({ lock: 0.875, cpu: 0.125 }, { slots: 16, busy: 8 });
  const highOf = (/** @type {string} */ file) => {
    const path = { kind: 'cpu', function: 'hashlib.pbkdf2_hmac', file, share: wide(0.9) };
    const facts = makeFacts({ waits, workers, paths: [path] });
    return predictFix('lock', facts)?.afterPerSec.high ?? 0;
  };
  assert.ok(isNear(70 * 1.1, highOf('hash.py')), `25 ÷ 1.75 ms, one core: ${highOf('hash.py')}`);
  assert.ok(highOf('<C code>') > 3 * highOf('hash.py'), `four cores: ${highOf('<C code>')}`);
});

test('a call that is gone takes the CPU of its client with it', () => {
  const workers = { processes: 1, cores: 1, busiestCores: 1 };
  const waits = makeWaits({ 'external-call': 0.95, cpu: 0.05 }, { slots: 16, busy: 8 });
  const perSec = (/** @type {number} */ share) =>
    predictFix('external-call', makeFacts({ waits, workers, httpClientCpu: share }))?.afterPerSec
      .value;
  assert.equal(perSec(0), undefined, 'the CPU is full with it');
  assert.ok(
    isNear(40, perSec(0.5)),
    `50 ms of CPU for each request, half of it of the client: ${perSec(0.5)}`,
  );
});

test('what the load generator uses without requests does not fill the machine when there are more of them', () => {
  const host = { cores: 0.3, cpus: 1 };
  const fix = predictFix('lock', makeFacts({ host, generatorCores: 0.2 }));
  assert.ok(
    isNear(160, fix?.afterPerSec.value),
    '0.2 cores × 8 would be more than the machine has',
  );
  assert.equal(fix?.next, 'none');
});

test('a range is at least as wide as such models are wrong', () => {
  const waits = makeWaits({ sleep: 1 }, { slots: 2, busy: 2, fullest: 2 });
  const { value = 0, low, high } = predictFix('slots', makeFacts({ waits }))?.afterPerSec ?? {};
  assert.ok((low ?? value) <= value * 0.91 && (high ?? value) >= value * 1.09, `${low} to ${high}`);
});

test('a loop that waits 50 ms for each request serves 8 users at once when it does not', () => {
  const loopWaits = { share: { value: 0.98, low: 0.9, high: 1 }, where: [] };
  const waits = makeWaits({ sleep: 1 }, { slots: null, busy: 1 });
  const fix = predictFix('loop', makeFacts({ waits, loopWaits }));
  assert.ok(isNear(160, fix?.afterPerSec.value), JSON.stringify(fix));
});

test('an open loop gets the throughput of the next limit: 16 threads of 50 ms', () => {
  const open = {
    pressure: { id: 'dropped', facts: { share: 0.2 } },
    isSaturated: true,
    waits: makeWaits({ lock: 0.9375, sleep: 0.0625 }, { slots: 16, busy: 16, fullest: 16 }),
  };
  const fix = predictFix('lock', makeFacts(open));
  assert.ok(isNear(320, fix?.afterPerSec.value), JSON.stringify(fix));
  assert.deepEqual([fix?.next, fix?.isMost], ['slots', true]);
  assert.equal(predictFix('lock', makeFacts({ ...open, isSaturated: false })), null);
  const boundless = { ...open, workers: { processes: 1, cores: 0, busiestCores: 0 } };
  const none = { ...boundless, generatorCores: 0, waits: { ...open.waits, slots: null } };
  assert.equal(predictFix('lock', makeFacts(none)), null, 'nothing is full next');
});

test('users that pause between requests get no more than they request', () => {
  const pressure = { id: 'waiting', facts: { users: 8, share: 0.75 } };
  const waits = makeWaits({ lock: 0.8, sleep: 0.2 }, { slots: 16, busy: 6 });
  const fix = predictFix('lock', makeFacts({ waits, pressure }));
  assert.ok(isNear(8 / (0.1 + 0.06), fix?.afterPerSec.value), JSON.stringify(fix));
});

test('samples of holders show 0.9 of the one that has the lock: 50 ms, not 45', () => {
  const waits = makeWaits({ lock: 0.8875, sleep: 0.1125 }, { slots: 16, busy: 8 });
  waits.holders = { ...HOLDER, threads: 0.9 };
  const fix = predictFix('lock', makeFacts({ waits }));
  assert.ok(isNear(160, fix?.afterPerSec.value), JSON.stringify(fix));
});

test('behind a semaphore of four of whom three wait for one connection, four get one: 80 requests/s', () => {
  const waits = makeWaits({ lock: 0.5, pool: 0.375, database: 0.125 }, { slots: 16, busy: 8 });
  waits.holders = { ...HOLDER, threads: 4, doing: { id: 'pool', share: 0.75 } };
  const fix = predictFix('pool', makeFacts({ waits }));
  assert.ok(isNear(80, fix?.afterPerSec.value), JSON.stringify(fix));
  assert.equal(fix?.next, 'lock');
});

test('a thread that does 50 ms for each request becomes as many as requests', () => {
  const waits = makeWaits({ lock: 1 }, { slots: 16, busy: 8 });
  waits.background = { function: 'consume', file: 'jobs.py', threads: 1 };
  const fix = predictFix('consumer', makeFacts({ waits }));
  assert.ok(isNear(160, fix?.afterPerSec.value), JSON.stringify(fix));
});

test('requests that wait for one of two threads of a pool hold none meanwhile', () => {
  const waits = makeWaits({ 'thread-pool': 0.75, sleep: 0.25 }, { slots: 2, busy: 8, fullest: 2 });
  const fix = predictFix('slots', makeFacts({ waits }));
  assert.ok(isNear(80, fix?.afterPerSec.value), JSON.stringify(fix));
});

test('what a database or another service takes may go in part, or not at all', () => {
  const waits = makeWaits({ database: 1 }, { slots: 16, busy: 8 });
  const fix = predictFix('database', makeFacts({ waits }));
  assert.equal(fix?.gain.low, 0);
  assert.ok((fix?.gain.value ?? 0) > 10);
});

test('half of the CPU of a path: a quarter less CPU, a third more requests', () => {
  const workers = { processes: 1, cores: 1, busiestCores: 1 };
  const waits = makeWaits({ cpu: 1 }, { slots: 1, busy: 1, fullest: 1 });
  const path = { kind: 'cpu', function: 'parse', file: 'shop.py', share: wide(0.5) };
  const [gain] = predictPaths('workers', makeFacts({ waits, workers, paths: [path] }));
  assert.ok(isNear(25, gain?.ms), 'half of 50 ms');
  assert.ok(isNear(1 / 3, gain?.half?.value), JSON.stringify(gain));
  assert.ok(isNear(1, gain?.without?.value), JSON.stringify(gain));
});

test('half of the sleep under a lock is twice the throughput, beside it nothing', () => {
  const waits = makeWaits({ lock: 0.75, sleep: 0.125, database: 0.125 }, { slots: 16, busy: 8 });
  waits.holders = HOLDER;
  const paths = [
    { kind: 'sleep', function: 'reserve', file: 'shop.py', share: wide(0.125) },
    { kind: 'database', function: 'list', file: 'shop.py', share: wide(0.125) },
  ];
  const [sleep, database] = predictPaths('lock', makeFacts({ waits, paths }));
  assert.ok(isNear(1, sleep?.half?.value), JSON.stringify(sleep));
  assert.equal(database?.half?.value, 0);
  const unseen = { ...waits, holders: null };
  const [unknown] = predictPaths('lock', makeFacts({ waits: unseen, paths }));
  assert.equal(unknown?.half, null, 'whether the lock is held meanwhile is not known');
});

test('statements that go take their waiting and their CPU with them', () => {
  const waits = makeWaits({ database: 1 }, { slots: 16, busy: 8 });
  const facts = makeFacts({ waits });
  const path = (/** @type {any} */ kind, /** @type {number} */ value) => ({
    ...{ kind, function: 'list', file: 'shop.py', share: wide(value) },
  });
  const waiting = predictShorter('database', facts, [path('database', 0.5), path('cpu', 0.5)]);
  assert.ok(isNear(1, waiting?.value), JSON.stringify(waiting));
  const full = { processes: 1, cores: 1, busiestCores: 1 };
  const busy = makeFacts({ waits: makeWaits({ cpu: 1 }, { busy: 8 }), workers: full });
  const calculating = predictShorter('workers', busy, [path('database', 0), path('cpu', 0.5)]);
  assert.ok(isNear(1, calculating?.value), JSON.stringify(calculating));
  assert.equal(predictShorter('loop', facts, [path('database', 0.5)]), null);
});

test('more requests than the model allows: no path gets a gain', () => {
  const waits = makeWaits({ cpu: 1 }, { slots: 1, busy: 1, fullest: 1 });
  const workers = { processes: 1, cores: 1, busiestCores: 1 };
  const path = { kind: 'sleep', function: 'parse', file: 'shop.py', share: wide(0.5) };
  const facts = makeFacts({ waits, workers, paths: [path], host: { cores: 1, cpus: 0.5 } });
  assert.deepEqual(predictPaths('workers', facts), []);
});

test('predicts nothing for an open loop, or without a resource', () => {
  assert.equal(predictFix('lock', makeFacts({ pressure: { id: 'slower', facts: {} } })), null);
  assert.equal(predictFix('unknown', makeFacts()), null);
  assert.equal(predictFix('lock', makeFacts({ waits: null })), null);
});
