/** What is said of queues: of pools, locks, connections and what waits before the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayBottleneck } from '../../lib/text/bottleneck.js';
import { sayResource } from '../../lib/text/resources.js';
import {
  CONSUMER,
  findByLoopThreads,
  findByPools,
  findByRecorded,
  findByServer,
  findByWaits,
  findHeldByPipe,
  findInFront,
  findLateThreads,
  findLocked,
  THREADS,
} from '../analysis/bottleneck/find-by.js';
import { makeWaits } from '../analysis/facts.js';

test('names the thread that fills a queue, and the items that a pool may lack', () => {
  const found = findByWaits({ queue: 0.99, cpu: 0.01 }, { background: CONSUMER });
  assert.match(
    sayBottleneck(found).title,
    /^Requests wait for an item of a queue 99 % ± 5 .* Busiest of these: consume \(jobs\.py\), 50\.0 % of the time\.$/,
  );
  const unnamed = findByWaits({ queue: 0.8, sleep: 0.2 }, { background: CONSUMER });
  const { title, detail } = sayBottleneck(unnamed);
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
  const awaited = findByWaits(shares, { holders, suspended: 12 });
  assert.match(
    sayBottleneck(awaited).title,
    /: not known; see/,
    'calls at the same time show as one',
  );
  assert.match(sayBottleneck(findByWaits(shares)).title, /: not known; see where it is made\.$/);
});

test('says how many requests are served at a time, and where others wait', () => {
  assert.match(sayBottleneck(findByServer(100)).title, /^About 2\.0 are served at a time/);
  assert.match(sayBottleneck(findByServer(2)).title, /^Hardly any are served at a time, and/);
  const { title, advice } = sayBottleneck(findInFront({ slots: 16, busy: 2, fullest: 2 }));
  assert.match(title, /in front of the workers.*although only 2\.0 of 16 threads are taken/);
  assert.match(advice ?? '', /limit_req/);
  assert.match(sayBottleneck(findLateThreads()).advice ?? '', /total_tokens/);
});

test('threads that share one connection of a driver wait for each other, and for no slow statement', () => {
  const statement = { kind: 'sql', text: 'SELECT ?', ms: 6000, meanMs: 15 };
  const whole = { poolMs: { mean: 285, count: 380 }, databaseMs: { mean: 15, p95: null } };
  const sayWith = (/** @type {any} */ calls) => {
    const found = findByRecorded({ waits: makeWaits({ database: 0.9, cpu: 0.1 }) }, { calls });
    assert.equal(found.id, 'database');
    return sayBottleneck(found);
  };
  const { title, advice } = sayWith({ statements: [statement], whole });
  assert.match(title, /95\.0 % of the time in statements is a wait of 285 ms for a connection/);
  assert.match(advice ?? '', /^A connection executes one statement at a time/);
  const own = { ...whole, poolMs: { mean: 1, count: 3 } };
  assert.match(sayWith({ statements: [statement], whole: own }).advice ?? '', /EXPLAIN/);
});

test('who had the cores that workers wanted, and what waits before them, are among the evidence', () => {
  const found = findByRecorded(
    {
      cores: [0.69],
      wanting: { queuedShare: 0.25, wantedShare: 0.94 },
      hostCores: 3.9,
      waits: makeWaits({ cpu: 0.8, socket: 0.2 }, { slots: 8, busy: 1 }),
    },
    {},
    { stealCores: 0.5, crowdedShare: 0.6 },
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

for (const [kind, name, title, advice] of /** @type {const} */ ([
  [
    'executor',
    'threads of an executor',
    /^3\.0 of 3 threads of an executor were in use, and 5\.0 calls/,
    /max_workers/,
  ],
  [
    'semaphore',
    'places of a semaphore',
    /^3\.0 of 3 places of a semaphore/,
    /A semaphore may need a higher limit/,
  ],
  ['connections', 'connections of a pool', /^3\.0 of 3 connections of a pool/, /pool_size/],
  [
    'processes',
    'processes of a pool',
    /^3\.0 of 3 processes of a pool/,
    /cores limit what it calculates/,
  ],
]))
  test(`a pool that is full has its size and advice: ${name}`, () => {
    const shares = { lock: 0.6, other: 0.35, cpu: 0.05 };
    const waits = makeWaits(shares, { slots: 16, busy: 8, fullest: 8 });
    for (const recorded of [{}, { waits }]) {
      const own = { kind, capacity: 3, inUse: 2.96, waiting: 5 };
      const said = sayBottleneck(findByPools([THREADS, own], recorded));
      assert.equal(said.name, `the number of ${name}`);
      assert.match(said.title, title);
      assert.match(said.advice ?? '', advice);
    }
  });

test('what a larger pool brings is said for each place, because its new size is not known', () => {
  const own = /** @type {const} */ ({ kind: 'processes', capacity: 2, inUse: 1.98, waiting: 5.8 });
  const waits = makeWaits({ lock: 0.7, other: 0.25, cpu: 0.05 }, { slots: 16, busy: 8 });
  const found = findByPools([THREADS, own], { waits });
  assert.equal(found.id, 'pool');
  assert.match(
    sayBottleneck(found).detail ?? '',
    /^With a larger pool, about 10\.1\/s for each place, the same users would get (?:up to about|at most) /,
  );
});

test('threads of a loop have their own advice, without a profile too', () => {
  for (const hasProfile of [true, false]) {
    const { title, advice } = sayBottleneck(findByLoopThreads(hasProfile));
    assert.match(title, /^5\.9 of 6 threads of the loop/);
    assert.match(advice ?? '', /set_default_executor/);
    assert.doesNotMatch(advice ?? '', /--threads/);
  }
});

test('a lock whose holder writes to a pipe has the advice for the pipe', () => {
  const { title, advice } = sayBottleneck(findHeldByPipe());
  assert.match(title, /audit \(log\.py\) holds it and waits for a file or a pipe\.$/);
  assert.match(advice ?? '', /QueueHandler/);
});

test('a queue in front of idle threads has its name, and the proxy comes first in its advice', () => {
  const {
    name,
    title,
    advice = '',
  } = sayBottleneck(findInFront({ slots: 16, busy: 2, fullest: 2 }));
  assert.equal(name, 'a queue in front of the server');
  assert.match(title, /wait in front of the workers, in a proxy or the listen backlog, although/);
  assert.match(advice ?? '', /^Look first .*proxy.*`limit_req`.*backlog.*`worker_connections`/);
});

test('the program that has the port of the target is the proxy, and without one there is none', () => {
  const say = (/** @type {string | null} */ front) =>
    sayBottleneck(findInFront({ slots: 16, busy: 2, fullest: 2 }, 0.2, { front }));
  assert.match(
    say('nginx').title,
    /in front of the workers, in nginx, which has the port of the target, or the listen backlog,/,
  );
  assert.match(say('nginx').advice ?? '', /^Look first at what stands before/);
  assert.match(say('').title, /in front of the workers, in the listen backlog, although only/);
  assert.match(say('').advice ?? '', /^Raise the number of connections that a worker serves/);
  assert.match(say(null).advice ?? '', /^Look first at what stands before/);
});

test('a wait for a message of another process has its name and advice, also where only stacks show it', () => {
  const place = { function: 'events', file: 'feed.py', line: 9, call: 'PubSub.get_message' };
  const waits = makeWaits({ database: 0.99, cpu: 0.01 }, { slots: 16, busy: 8, fullest: 8 });
  const found = (/** @type {'message' | null} */ as) => {
    for (const kind of waits.kinds) kind.where = [{ ...place, as, share: 1 }];
    return sayBottleneck(findByRecorded({ cores: [0.05], waits }));
  };
  const { name, title, advice, detail } = found('message');
  assert.equal(name, 'the work of another process');
  assert.match(title, /an item or a message of another process 99 %/);
  assert.match(advice ?? '', /^Let more processes do that work/);
  assert.match(detail ?? '', /depends on how many work for the requests/);
  assert.equal(found(null).name, 'the database');
});

test('two pools of one kind have numbers, a single one has none', () => {
  const pool = /** @type {any} */ ({ id: 'pool', of: 'connections', holders: null });
  const all = [
    { ...pool, capacity: 16 },
    { ...pool, of: 'executor' },
    { ...pool, capacity: 1 },
  ];
  assert.deepEqual(
    all.map(one => sayResource(one, all).name),
    ['connections of a pool, 1 of 2', 'threads of an executor', 'connections of a pool, 2 of 2'],
  );
});

test('says of a lock inside a full pool how long threads wait for it, and that a larger pool gains nothing', () => {
  const { title, detail } = sayBottleneck(findLocked());
  assert.match(
    title,
    /^Requests that have a thread wait for locks 72 % ± 10 .*, and more than 4 threads of an executor would wait as well; render \(shop\.py\) holds it and sleeps\.$/,
  );
  assert.match(detail ?? '', /then the lock or the pool around it sets the limit/);
});
