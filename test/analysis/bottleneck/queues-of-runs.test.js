import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBottleneck } from '../../../lib/analysis/bottleneck/find-bottleneck.js';
import { gatherRunFacts } from '../../../lib/analysis/judge/bottleneck/gather-run.js';
import { sayBottleneck } from '../../../lib/text/bottleneck.js';
import { makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../facts.js';
import {
  CONSUMER,
  findByRecorded,
  findByServer,
  findByWaits,
  findInFront,
  findLateThreads,
} from './find-by.js';
import { PRESSED } from './runs-table.js';

const DATABASE = makeWaits({ database: 0.9, cpu: 0.1 });

test('the last of a chain limits: a pool behind a lock, a lock behind a pool, a pool behind threads', () => {
  /** @param {any} shares @param {any} [holders] */
  const idOf = (shares, holders = null) => {
    const waits = { ...makeWaits(shares, { slots: 4, busy: 4, fullest: 4 }), holders };
    const parts = { run: makeRunInfo(), load: makeLoad(PRESSED), ...makeRecorded({ waits }) };
    return findBottleneck(gatherRunFacts(parts)).id;
  };
  /** @param {string} of @param {string} id */
  const doing = (of, id) => ({
    of,
    function: 'take',
    file: 'shop.py',
    threads: 2,
    doing: { id, share: 0.9 },
  });
  assert.equal(idOf({ lock: 0.75, pool: 0.2, database: 0.05 }, doing('lock', 'pool')), 'pool');
  assert.equal(idOf({ pool: 0.65, lock: 0.3, sleep: 0.05 }, doing('pool', 'lock')), 'lock');
  assert.equal(idOf({ lock: 0.49, pool: 0.38, database: 0.13 }, doing('lock', 'pool')), 'pool');
  assert.equal(idOf({ pool: 0.8, database: 0.2 }, doing('pool', 'database')), 'pool');
  assert.equal(idOf({ 'thread-pool': 0.5, pool: 0.4, database: 0.1 }), 'pool');
  assert.equal(idOf({ 'thread-pool': 0.5, pool: 0.1, database: 0.4 }), 'slots');
});

test('requests whose threads all wait for a lock of the database wait for that, if one of them has it', () => {
  const idOf = (/** @type {string} */ text, /** @type {number} */ other) => {
    const slots = { slots: 4, busy: 4, fullest: 4 };
    const waits = makeWaits({ database: 1 - other, 'external-call': other }, slots);
    const one = { kind: 'sql', system: 'sqlite', text, ms: 9000, count: 50, meanMs: 170 };
    return findByRecorded({ cores: [0.1], waits }, { calls: { statements: [one] } }).id;
  };
  assert.equal(idOf('BEGIN IMMEDIATE', 0.02), 'database');
  assert.equal(idOf('SELECT seats FROM events FOR UPDATE', 0.13), 'database');
  assert.equal(idOf('SELECT seats FROM events FOR UPDATE', 0.02), 'slots', 'nobody has the lock');
  assert.equal(idOf('SELECT seats FROM events', 0.13), 'slots');
});

test('a lock on a file that a helper takes for its caller is a lock, though no request is seen to hold it', () => {
  const idOf = (/** @type {'file-lock' | null} */ as) => {
    const slots = { slots: 4, busy: 3.9, fullest: 1 };
    const waits = makeWaits({ lock: 0.62, cpu: 0.35, client: 0.03 }, slots);
    const place = { function: 'exclusive', file: 'tariffs.py', line: 19, call: null, as };
    for (const kind of waits.kinds) kind.where = [{ ...place, share: 1 }];
    const doing = { id: 'other', share: 1 };
    const holders = { of: 'lock', function: 'exclusive', file: 'tariffs.py', threads: 0.3, doing };
    const cores = [0.06, 0.06, 0.06, 0.06];
    return findByRecorded({ waits: { ...waits, holders }, cores }).id;
  };
  assert.equal(idOf('file-lock'), 'lock');
  assert.equal(idOf(null), 'consumer');
});

/** 10 users; a call of 400 ms under the lock, and another one outside. @param {any} shares @param {string} [does] */
function findCallUnderLock(shares, does = 'external-call') {
  const doing = { id: does, share: 1 };
  const holders = { of: 'lock', function: 'current', file: 'tariffs.py', threads: 0.45, doing };
  const waits = { ...makeWaits(shares, { slots: 12, busy: 8 }), holders };
  for (const kind of waits.kinds.slice(0, 1))
    Object.assign(kind.share, { low: kind.share.value - 0.1, high: kind.share.value + 0.1 });
  return findByRecorded({ cores: [0.06], waits });
}

test('a call under a lock is why the lock is held, and no rival of it', () => {
  const found = findCallUnderLock({ lock: 0.52, 'external-call': 0.47, cpu: 0.01 });
  assert.deepEqual([found.id, found.orElse], ['lock', null]);
  assert.match(
    sayBottleneck(found).title,
    /; current \(tariffs\.py\) holds it and calls another service\.$/,
  );
  const other = findCallUnderLock({ lock: 0.52, 'external-call': 0.47, cpu: 0.01 }, 'sleep');
  assert.deepEqual([other.id, other.orElse], ['lock', 'external-call']);
});

test('the request that holds a lock is in its way, too, while more wait than hold it', () => {
  assert.equal(findCallUnderLock({ lock: 0.46, 'external-call': 0.53, cpu: 0.01 }).id, 'lock');
  assert.equal(
    findCallUnderLock({ lock: 0.4, 'external-call': 0.59, cpu: 0.01 }).id,
    'external-call',
  );
});

test('beside other programs, who has the lock on a file is the one request that does not wait for it', () => {
  const idOf = (/** @type {any} */ shares) => {
    const waits = makeWaits(shares, { slots: 4, busy: 2.8, fullest: 0.7 });
    /** @type {any} */
    const place = { function: 'next', file: 'numbers.py', line: 12, call: null, as: 'file-lock' };
    for (const kind of waits.kinds.slice(0, 1)) kind.where = [{ ...place, share: 1 }];
    const kernel = { cpuMs: 4, queuedMs: 216, hostCores: 2, cores: [0.01, 0.01, 0.01, 0.01] };
    const measured = { run: makeRunInfo(2), load: makeLoad({ ...PRESSED, responseMs: 390 }) };
    return findByRecorded({ waits, ...kernel }, measured, { generatorCores: 0.02 }).id;
  };
  assert.equal(idOf({ lock: 0.7, 'external-call': 0.17, cpu: 0.13 }), 'lock');
  assert.equal(idOf({ lock: 0.7, cpu: 0.17, 'external-call': 0.13 }), 'unknown');
});

test('one of four workers has a lock that they share; none has one where another thread does the work', () => {
  /** @param {any} [background] */
  const idOf = (background = null) => {
    const waits = {
      ...makeWaits({ lock: 0.75, sleep: 0.25 }, { slots: 4, busy: 4, fullest: 1 }),
      background,
    };
    const cores = [0.02, 0.02, 0.02, 0.02];
    const parts = {
      run: makeRunInfo(),
      load: makeLoad(PRESSED),
      ...makeRecorded({ waits, cores }),
    };
    return findBottleneck(gatherRunFacts(parts)).id;
  };
  assert.equal(idOf(), 'lock');
  assert.notEqual(idOf({ function: 'consume', file: 'jobs.py', threads: 4 }), 'lock');
});

test('requests that all wait for results in a queue wait for another thread', () => {
  const found = findByWaits({ queue: 0.99, cpu: 0.01 }, { background: CONSUMER });
  assert.equal(found.id, 'consumer');
  assert.ok((found.fix?.gain.value ?? 0) > 3, `more consumers: ${found.fix?.gain.value}`);
});

test('a queue that may be a pool, or be filled by another thread, is not named', () => {
  const found = findByWaits({ queue: 0.8, sleep: 0.2 }, { background: CONSUMER });
  assert.deepEqual([found.id, found.facts.why], ['unknown', 'queue']);
});

test('workers that begin with two of eight requests at a time have too few connections', () => {
  const found = findByServer(100);
  assert.equal(found.id, 'connections');
  const gain = found.fix?.gain.value ?? 0;
  assert.ok(gain > 2.4 && gain < 3, `eight users instead of two in the workers: ${gain}`);
});

test('what requests wait for that a gevent worker has let in does not hide that it lets in too few', () => {
  const waits = makeWaits({ 'external-call': 0.95, cpu: 0.05 }, { slots: null, busy: 2 });
  const found = findByServer(100, { waits });
  assert.equal(found.id, 'connections');
  const gain = found.fix?.gain.value ?? 0;
  assert.ok(gain > 2.4 && gain < 3.1, `eight users instead of two in the workers: ${gain}`);
  assert.equal(findByServer(350, { waits }).id, 'external-call');
});

test('requests that wait in front of idle threads wait in a proxy or the backlog, unless they are on the network', () => {
  assert.equal(findInFront({ slots: 16, busy: 2, fullest: 2 }).id, 'connections');
  const others = [findInFront({ slots: 2, busy: 2 }), findInFront({ slots: 16, busy: 5 })];
  // 20 requests a second, each 200 ms on the network.
  others.push(findInFront({ slots: 16, busy: 2, fullest: 2 }, 100));
  for (const { id } of others) assert.notEqual(id, 'connections');
});

test('sync workers that the companion counts as taken are no idle threads: what their requests wait for is the limit', () => {
  const waits = makeWaits(
    { 'child-process': 0.94, cpu: 0.06 },
    { slots: 3, busy: 2.6, fullest: 0.88 },
  );
  const kernel = { cpuMs: 2, queuedMs: 30, cores: [0.02, 0.02, 0.02], hostCores: 2 };
  const costs = { endpoints: [{ requests: 400, serverMsPerRequest: 138 }] };
  const more = { run: makeRunInfo(2), costs };
  const { id, facts } = findByRecorded({ ...kernel, waits }, more, { generatorCores: 0.05 });
  assert.deepEqual(
    [id, facts.served, facts.inFlight?.inside.toFixed(2)],
    ['child-process', null, '2.76'],
  );
});

test('beside other programs, requests wait in a proxy if its time is longer than each hop waits for a core', () => {
  const whyWith = (/** @type {number} */ queuedMs) => {
    const waits = makeWaits({ cpu: 1 }, { slots: 16, busy: 0.1, fullest: 0.1 });
    const recorded = makeRecorded({ cores: [0.1], hostCores: 2, waits, cpuMs: 2, queuedMs });
    Object.assign(recorded.cpu, { generatorCores: 0.1 });
    const load = makeLoad(PRESSED);
    const { id, facts } = findBottleneck(
      gatherRunFacts({ run: makeRunInfo(2), load, ...recorded }),
    );
    return facts.why ?? id;
  };
  assert.equal(whyWith(5), 'connections', '390 ms at the client, 5 inside the server');
  assert.equal(whyWith(40), 'background-load');
});

test('a pool of threads is the limit while most requests wait for one, even if its threads begin late', () => {
  assert.equal(findLateThreads().id, 'slots');
});

test('requests that get no response wait, too: 16 of 20 users of a worker with four connections', () => {
  const waits = makeWaits({ 'external-call': 0.97, cpu: 0.03 }, { slots: null, busy: 3.7 });
  const costs = { endpoints: [{ requests: 1040, serverMsPerRequest: 72 }] };
  // The seconds count what has a response: 4 in progress.
  const load = makeLoad({ ...PRESSED, users: 20, inFlight: () => 4 });
  for (const second of load.seconds) second.inFlightAtEnd = 20;
  const found = findBottleneck(
    gatherRunFacts(
      /** @type {any} */ ({
        run: makeRunInfo(),
        load,
        ...makeRecorded({ cores: [0.05], waits }),
        costs,
      }),
    ),
  );
  assert.deepEqual([found.id, found.facts.inFlight?.client], ['connections', 20]);
});

test('no connections are missing where workers begin at once, calculate, or have threads', () => {
  assert.notEqual(findByServer(350).id, 'connections');
  assert.notEqual(findByServer(100, { cores: [0.95] }).id, 'connections');
  assert.notEqual(findByServer(100, { waits: DATABASE }).id, 'connections');
});

test('between two load tests of one recording no request is under way', () => {
  const load = makeLoad(PRESSED);
  const [last] = load.seconds.slice(-1);
  for (let second = 20; second < 620; second++)
    load.seconds.push({ ...last, startMs: second * 1000, requests: 0, inFlight: 0 });
  const recorded = makeRecorded({ waits: makeWaits({ cpu: 0.8 }, { slots: 8, busy: 1 }) });
  const { inFlight } = gatherRunFacts({ run: makeRunInfo(), load, ...recorded });
  assert.equal(inFlight?.client.toFixed(3), '7.800');
});

for (const { queue, held, id } of [
  { queue: 2, held: 0.9, id: 'lock' },
  { queue: 10, held: 0.8, id: 'lock' },
  { queue: 2, held: 0.8, id: 'none' },
  { queue: 10, held: 0.6, id: 'none' },
])
  test(`of users that pause, ${queue} wait for a lock that is seen held ${held} of the time: ${id}`, () => {
    const busy = queue + held;
    const shares = makeWaits({ lock: queue / busy, sleep: held / busy }, { slots: 32, busy });
    const doing = { id: 'sleep', share: 1 };
    const of = { of: 'lock', function: 'ask', file: 'shop.py', threads: held, doing };
    const waits = /** @type {any} */ ({ ...shares, holders: of });
    const load = makeLoad({ ...PRESSED, users: 24, inFlight: () => busy });
    const parts = { run: makeRunInfo(2), load, ...makeRecorded({ waits }) };
    assert.equal(findBottleneck(gatherRunFacts(parts)).id, id);
  });
