/** Predictions, each against a queueing network whose solution is known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { predictFix, predictPaths } from '../../../lib/analysis/bottleneck/predict-fix.js';
import { sum } from '../../../lib/base/math/summary.js';
import { makeWaits } from '../facts.js';
import { HOLDER, isNear, makeFacts, wide } from './waiting-run.js';

test('without a lock around 50 ms, 8 users sleep side by side: 160 requests/s', () => {
  const fix = predictFix('lock', makeFacts());
  assert.ok(isNear(160, fix?.afterPerSec.value), JSON.stringify(fix));
  assert.equal(fix?.next, 'none', 'the number of users');
  assert.ok((fix?.afterPerSec.low ?? 0) < 160 && (fix?.afterPerSec.high ?? 0) > 160);
});

test('no prediction exceeds what the CPU of the workers allows by itself, unless their CPU goes with the calls', () => {
  const row = /** @type {any} */ ({ id: 'gil', mostPerSec: 120 });
  const threads = { ...row, id: 'slots', mostPerSec: 21 };
  const predict = (/** @type {any} */ id, facts = {}) =>
    predictFix(id, makeFacts(facts), [threads, row]);
  const { value = 0, low, high } = predict('lock')?.afterPerSec ?? {};
  assert.deepEqual([value, high, predict('lock')?.next], [120, 120, 'gil']);
  assert.ok((low ?? 0) < 120 && (low ?? 0) > 20);
  const quota = /** @type {any} */ ({ id: 'quota', mostPerSec: 60 });
  assert.equal(predictFix('lock', makeFacts(), [quota, row])?.next, 'quota');
  const waits = makeWaits({ 'external-call': 0.9, sleep: 0.1 }, { slots: 16, busy: 8 });
  const call = predict('external-call', { waits })?.afterPerSec;
  assert.equal(call?.high, 120);
  assert.equal(call?.value, (20 + 120) / 2, 'the middle of no gain and the most');
  const refused = predict('external-call', { waits, why: 'refused' })?.afterPerSec;
  assert.ok((refused?.high ?? 0) > 120);
});

test('where a proxy lets few requests in, and hardly any is inside, they get what their time inside allows', () => {
  const waits = makeWaits({ sleep: 0.8, cpu: 0.2 }, { slots: null, busy: 0.2 });
  const wanting = { queuedShare: 0.09, leastWantedShare: 0.12 };
  const fix = predictFix(
    'connections',
    makeFacts({
      ...{ waits: { ...waits, suspended: 0.16 }, throughputPerSec: 25 },
      workers: { processes: 1, cores: 0.03, busiestCores: 0.03, wanting },
      served: { id: 'connections', by: 'server', count: 0.18, value: null },
    }),
  );
  // 8 users, whose requests take 8 to 11 ms inside, 1 to 5 of these of the one worker.
  assert.ok((fix?.afterPerSec.low ?? 0) > 150 && (fix?.afterPerSec.high ?? 0) < 1300);
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
  const twoThreads = (/** @type {any} */ kind) => {
    const waits = makeWaits({ [kind]: 1 }, { slots: 2, busy: 2, fullest: 2 });
    return makeFacts({ waits, kindsInside: waits.kinds });
  };
  assert.ok(predictFix('slots', twoThreads('sleep')));
  const saturated = { isMachineFull: true, hasBackgroundLoad: true, isCpuDoubt: true };
  assert.equal(predictFix('slots', { ...twoThreads('sleep'), ...saturated }), null);
  // Requests hardly need the CPU: only what they wait for may be among these programs.
  const noDoubt = { ...saturated, isCpuDoubt: false };
  const sleeping = predictFix('slots', { ...twoThreads('sleep'), ...noDoubt });
  assert.ok(isNear(80, sleeping?.afterPerSec.value) && (sleeping?.gain.low ?? 0) > 1);
  const calling = predictFix('slots', { ...twoThreads('database'), ...noDoubt });
  assert.deepEqual([calling?.gain.low, (calling?.gain.value ?? 0) > 0.5], [0, true]);
  const known = predictFix('slots', { ...twoThreads('database'), ...noDoubt, serviceCores: 0.1 });
  assert.ok((known?.gain.low ?? 0) > 1, 'the database is known, so it is none of these programs');
});

test('where requests need a CPU that other programs saturate, no gain is predicted', () => {
  const saturated = { isMachineFull: true, hasBackgroundLoad: true, isCpuDoubt: true };
  assert.equal(predictFix('lock', makeFacts(saturated)), null);
  assert.ok(predictFix('lock', makeFacts({ ...saturated, isCpuDoubt: false })));
});

test('coroutines hold no thread, and a semaphore of them asks no other service', () => {
  const waits = makeWaits({ lock: 0.75, sleep: 0.25 }, { slots: null, busy: 8 });
  const beside = { isMachineFull: true, hasBackgroundLoad: true, isCpuDoubt: false };
  const fullPool = { kind: 'semaphore', capacity: 2, inUse: 2, waiting: 6 };
  const facts = makeFacts({ ...beside, fullPool, waits: { ...waits, busySlots: 0 } });
  const fix = predictFix('pool', facts);
  assert.ok(isNear(80, fix?.afterPerSec.value), JSON.stringify(fix));
  assert.ok((fix?.gain.low ?? 0) > 1);
});

test('with the calls that a quota refuses go the pauses before the next ones, surely', () => {
  const waits = makeWaits({ sleep: 0.9, 'external-call': 0.0375, file: 0.0625 }, { busy: 8 });
  const fix = predictFix('external-call', makeFacts({ waits, why: 'refused', refusedShare: 0.8 }));
  // At best 25 ms are left of 400.
  assert.ok((fix?.afterPerSec.high ?? 0) > 320, JSON.stringify(fix));
  assert.ok((fix?.gain.low ?? 0) > 3, JSON.stringify(fix));
  const atOnce = makeWaits({ 'external-call': 0.9, file: 0.1 }, { busy: 8 });
  const unknown = predictFix(
    'external-call',
    makeFacts({ waits: atOnce, why: 'refused', refusedShare: 0.8 }),
  );
  assert.equal(unknown?.gain.low, 0, 'without pauses, how long a call takes is not known');
});

test('a worker that runs or waits for a core half of the time, beside other programs, serves about twice as many', () => {
  const requestCpu = { cpuMs: 5, queuedMs: 20, responseMs: 400, isInside: true };
  const wanting = { queuedShare: 0.4, leastWantedShare: 0.5 };
  const beside = { processes: 1, cores: 0.1, busiestCores: 0.1 };
  const fixOf = (/** @type {any} */ changes) => predictFix('lock', makeFacts(changes));
  const fix = fixOf({ workers: { ...beside, wanting }, requestCpu });
  const { value, high } = fix?.afterPerSec ?? {};
  // 40/s, or 48 with fewer waits and warmer caches.
  assert.ok(value && value > 36 && value < 48, JSON.stringify(fix));
  assert.ok(isNear(100 * 1.1, high) && fix?.next === 'workers', JSON.stringify(fix));
  const alone = fixOf({ workers: beside });
  assert.ok((alone?.afterPerSec.low ?? 0) > 70, JSON.stringify(alone));
  // Threads that wait at the same time: between one of them and all.
  const threads = fixOf({ workers: beside, requestCpu: { ...requestCpu, queuedMs: 45 } });
  const [low, most] = [threads?.afterPerSec.low ?? 0, threads?.afterPerSec.high ?? 0];
  assert.ok(low > 20 && low < 40 && most > 140, JSON.stringify(threads));
  const waits = makeWaits({ cpu: 1 }, { slots: 16, busy: 8 });
  const workers = { processes: 1, cores: 1, busiestCores: 1 };
  const path = { kind: 'cpu', function: 'parse', file: 'shop.py', share: wide(0.5) };
  const [gain] = predictPaths('gil', makeFacts({ waits, workers, requestCpu, paths: [path] }));
  assert.ok(isNear(1, gain?.without?.value), 'the queue of a full worker is calculated');
});

test('requests that wait for a lock of the database wait no more, and do what its holder does: 50 ms', () => {
  const waits = makeWaits({ database: 0.875, sleep: 0.125 }, { slots: 16, busy: 8 });
  const fixOf = (/** @type {any} */ by) =>
    predictFix('database', makeFacts({ waits, locking: { by, share: 1, meanMs: 350 } }));
  const fix = fixOf('row-lock');
  assert.ok(isNear(160, fix?.afterPerSec.value), JSON.stringify(fix));
  assert.ok((fix?.gain.low ?? 0) > 1, 'it does not begin at no gain');
  assert.equal(fixOf('row-write')?.gain.low, 0, 'it may be the disk');
});

test('without new connections requests do the rest: 100 of 400 ms', () => {
  const waits = makeWaits({ database: 1 }, { slots: 16, busy: 8 });
  const place = { function: 'connect', file: 'shop.py', as: 'connect' };
  Object.assign(waits.kinds[0] ?? {}, { where: [{ ...place, share: 0.75 }] });
  const fix = predictFix('database', makeFacts({ waits }));
  assert.ok(isNear(80, fix?.afterPerSec.value), JSON.stringify(fix));
  assert.ok((fix?.gain.low ?? 0) > 1);
});

test('a sleep may end or stay: the middle of no gain and 8 users at 25 ms', () => {
  const waits = makeWaits({ sleep: 0.9375, file: 0.0625 }, { slots: 16, busy: 8 });
  const longestWait = {
    kind: 'sleep',
    share: { value: 0.9375, low: 0.93, high: 0.94 },
    place: null,
  };
  const fix = predictFix('wait', makeFacts({ waits, longestWait }));
  const { value = 0, low, high = 0 } = fix?.afterPerSec ?? {};
  assert.deepEqual([fix?.gain.low, isNear((20 + (high ?? 0)) / 2, value)], [0, true]);
  assert.ok((high ?? 0) > 320 && (low ?? 0) <= 20, JSON.stringify(fix));
});

test('a result that a pool calculates takes its time afterwards, too: not known how long', () => {
  const waits = makeWaits({ lock: 1 }, { slots: 16, busy: 8 });
  const fix = predictFix('consumer', makeFacts({ waits }));
  assert.equal(fix?.gain.low, 0);
  assert.ok((fix?.afterPerSec.high ?? 0) < 160 * 1.2, 'at least one works for each request, 50 ms');
});

/**
 * Exact, by the recursion of mean value analysis, and by LINE within 4 % (research/bottlenecks/oracle.py): 4 threads wait
 * 50 ms each, and need one of two cores for the other time.
 * @type {[number, number][]} CPU in ms, requests/s after the fix
 */
const EXACT = [
  [1, 78.9],
  [25, 56.0],
  [50, 38.5],
];

for (const [cpuMs, perSec] of EXACT) {
  test(`threads that wait 50 ms and need a core for ${cpuMs} ms are solved exactly`, () => {
    const cores = (20 * cpuMs) / 1000;
    const shares = { lock: 0.75 - cores / 4, sleep: 0.25, cpu: cores / 4 };
    const waits = makeWaits(shares, { slots: 4, busy: 4, fullest: 2 });
    const workers = { processes: 2, cores, busiestCores: cores / 2 };
    const fix = predictFix('lock', makeFacts({ waits, workers }));
    assert.ok(Math.abs((fix?.afterPerSec.value ?? 0) / perSec - 1) < 0.005, JSON.stringify(fix));
  });
}
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
  // 25 ms of CPU for each request of a worker that is half idle, and 25 ÷ 1.2 ms of a busy one: 48/s.
  const { value, low, high } = fix?.afterPerSec ?? {};
  assert.ok(
    isNear(48, value) && isNear(20 * 0.9, low) && isNear(100 * 1.1, high),
    `no gain to the best case, 25 ÷ 2.5 ms: ${JSON.stringify(fix)}`,
  );
  assert.equal(fix?.gain.low, 0);
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
  assert.ok(isNear(100 * 1.1, highOf('hash.py')), `25 ÷ 2.5 ms, one core: ${highOf('hash.py')}`);
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
    isNear((20 + 44) / 2, perSec(0.5)),
    `at most 40 × 1.1 with 50 ms of CPU for each request, half of it of the client: ${perSec(0.5)}`,
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

test('with the lock of a log handler goes the write to its slow pipe: 12.5 of 50 ms are left', () => {
  const waits = makeWaits({ lock: 0.875, file: 0.09375, sleep: 0.03125 }, { slots: 16, busy: 8 });
  waits.holders = { ...HOLDER, threads: 1, doing: { id: 'file', share: 0.75 } };
  const { value, low } = predictFix('lock', makeFacts({ waits }))?.afterPerSec ?? {};
  assert.ok((value ?? 0) > 560 && (value ?? 0) < 640, `8 users at 12.5 ms and their CPU: ${value}`);
  assert.ok((low ?? 0) < 160, 'at least the lock goes');
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

test('requests that the companion counts and samples miss are inside, and not on the network', () => {
  const background = { function: 'consume', file: 'jobs.py', threads: 1 };
  const seen = { ...makeWaits({ lock: 1 }, { slots: 16, busy: 5 }), background };
  const inFlight = { client: 8, inside: 7.5 };
  const fix = predictFix('consumer', makeFacts({ waits: seen, inFlight }));
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

test('predicts nothing for an open loop, or without a resource', () => {
  assert.equal(predictFix('lock', makeFacts({ pressure: { id: 'slower', facts: {} } })), null);
  assert.equal(predictFix('unknown', makeFacts()), null);
  assert.equal(predictFix('lock', makeFacts({ waits: null })), null);
});
