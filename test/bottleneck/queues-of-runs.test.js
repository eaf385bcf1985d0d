import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatherRunFacts } from '../../lib/analysis/judge/bottleneck/gather-run.js';
import { findBottleneck } from '../../lib/bottleneck/find-bottleneck.js';
import { sayBottleneck } from '../../lib/text/bottleneck.js';
import { makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../analysis/facts.js';

/** Users that wait for answers nearly all of the time. */
const PRESSED = { model: /** @type {const} */ ('closed'), users: 8, inFlight: () => 7.8 };
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

/** @param {any} shares @param {any} [more] */
function findByWaits(shares, more = {}) {
  const waits = { ...makeWaits(shares, { slots: 16, busy: 8, fullest: 8 }), ...more };
  const parts = { run: makeRunInfo(), load: makeLoad(PRESSED), ...makeRecorded({ waits }) };
  return findBottleneck(gatherRunFacts(parts));
}
const CONSUMER = { function: 'consume', file: 'jobs.py', threads: 1 };

test('requests that all wait for results in a queue wait for another thread', () => {
  const found = findByWaits({ queue: 0.99, cpu: 0.01 }, { background: CONSUMER });
  assert.equal(found.id, 'consumer');
  assert.match(
    sayBottleneck(found).title,
    /^Requests wait for an item of a queue 99 % ± 5 .* Busiest of these: consume \(jobs\.py\), 50\.0 % of the time\.$/,
  );
  assert.ok((found.fix?.gain.value ?? 0) > 3, `more consumers: ${found.fix?.gain.value}`);
});

test('a queue that may be a pool, or be filled by another thread, is not named', () => {
  const found = findByWaits({ queue: 0.8, sleep: 0.2 }, { background: CONSUMER });
  assert.deepEqual([found.id, found.facts.why], ['unknown', 'queue']);
  const { title, detail } = sayBottleneck(found);
  assert.match(title, /do not show whether the queue is a pool, .* fills it: consume \(jobs\.py\)/);
  assert.match(detail ?? '', /^A pool may need more items\./);
});

test('a pool has its size, if requests were seen with what they took, and the line that waits', () => {
  const shares = { pool: 0.8, sleep: 0.2 };
  const where = [{ function: 'fetch', file: 'shop.py', line: 12, share: 1 }];
  const doing = { id: 'sleep', share: 1 };
  const holders = { of: 'pool', function: 'fetch', file: 'shop.py', threads: 1.96, doing };
  const found = findByWaits(shares, { holders });
  for (const kind of found.facts.waits?.kinds ?? []) kind.where = where;
  const { title, advice } = sayBottleneck(found);
  assert.match(title, /of their time, in fetch \(shop\.py:12\), while /);
  assert.match(title, /Size of the pool, all workers together: about 2\.0\.$/);
  assert.match(advice ?? '', /^Make the pool as large as/);
  assert.match(sayBottleneck(findByWaits(shares)).title, /: not known; see where it is made\.$/);
});

/** 8 users; 20 requests/s, which the workers have for so long each. @param {number} serverMs @param {any} [profile] */
function findByServer(serverMs, profile = {}) {
  const costs = { endpoints: [{ requests: 400, serverMsPerRequest: serverMs }] };
  return findBottleneck(
    gatherRunFacts(
      /** @type {any} */ ({
        run: makeRunInfo(),
        load: makeLoad(PRESSED),
        ...makeRecorded({ cores: [0.05], ...profile }),
        costs,
      }),
    ),
  );
}

test('workers that begin with two of eight requests at a time have too few connections', () => {
  const found = findByServer(100);
  assert.equal(found.id, 'connections');
  assert.match(sayBottleneck(found).title, /^About 2\.0 are served at a time/);
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

test('no connections are missing where workers begin at once, calculate, or have threads', () => {
  assert.notEqual(findByServer(350).id, 'connections');
  assert.notEqual(findByServer(100, { cores: [0.95] }).id, 'connections');
  assert.notEqual(findByServer(100, { waits: DATABASE }).id, 'connections');
});

test('who had the cores that workers wanted, and what waits before them, are among the evidence', () => {
  const recorded = makeRecorded({
    cores: [0.69],
    wanting: { queuedShare: 0.25, wantedShare: 0.94 },
    hostCores: 3.9,
    waits: makeWaits({ cpu: 0.8, socket: 0.2 }, { slots: 8, busy: 1 }),
  });
  Object.assign(recorded.cpu, { stealCores: 0.5, crowdedShare: 0.6 });
  const found = findBottleneck(
    gatherRunFacts({ run: makeRunInfo(), load: makeLoad(PRESSED), ...recorded }),
  );
  const { evidence } = sayBottleneck(found);
  const of = (/** @type {string} */ label) => evidence.find(one => one.label === label)?.value;
  assert.match(of('machine') ?? '', /other guests of the hypervisor \(steal\) 0\.50/);
  assert.equal(of('CPU pressure (some)'), '60.0 % of the time');
  assert.equal(of('workers waited for a CPU, each'), 'at least 25.0 % of the time');
  assert.match(
    of('requests under way for the clients') ?? '',
    /^7\.8, 7\.0 more than inside of workers: queued before the API/,
  );
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
