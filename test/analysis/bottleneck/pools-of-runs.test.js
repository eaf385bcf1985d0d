import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWaits } from '../facts.js';
import {
  findByExecutor,
  findByLoopThreads,
  findByPools,
  findHeldByPipe,
  findLocked,
  THREADS,
} from './find-by.js';

/** @import { PoolUse } from '../../../lib/run/facts/load-report.d.ts' */

for (const kind of /** @type {const} */ (['executor', 'semaphore', 'connections', 'processes']))
  test(`the innermost pool that is full while requests wait for it is the bottleneck: ${kind}`, () => {
    const shares = { lock: 0.6, other: 0.35, cpu: 0.05 };
    const own = { kind, capacity: 3, inUse: 2.96, waiting: 5 };
    for (const recorded of [{}, { waits: makeWaits(shares, { slots: 16, busy: 8, fullest: 8 }) }]) {
      const found = findByPools([THREADS, own], recorded);
      assert.deepEqual([found.id, found.component], ['pool', kind]);
      const rows = found.resources.filter(({ of }) => of);
      assert.deepEqual(
        rows.map(({ of, capacity, inUse, queue }) => [of, capacity, inUse, queue]),
        [
          ['gthread', 16, 8, 0],
          [kind, 3, 2.96, 5],
        ],
      );
      assert.ok(!found.resources.some(({ id }) => id === 'lock'), 'one row for one queue');
    }
  });

test('the prediction takes from a counted pool what holds it, whatever samples take for CPU', () => {
  const own = {
    kind: /** @type {const} */ ('connections'),
    capacity: 2,
    inUse: 1.95,
    waiting: 5.8,
  };
  const predict = (/** @type {any} */ shares) => {
    const waits = makeWaits(shares, { slots: 16, busy: 8, fullest: 8 });
    const { fix, facts } = findByPools([THREADS, own], { waits, cores: [0.05] });
    return (fix?.afterPerSec.value ?? 0) / (facts.throughputPerSec ?? 1);
  };
  const gain = predict({ pool: 0.75, other: 0.25 });
  assert.ok(gain > 3 && gain < 4.2, `8 users, 2 at a time: ${gain}`);
  assert.ok(Math.abs(predict({ pool: 0.75, cpu: 0.25 }) - gain) < 0.01);
});

test('a pool is not the bottleneck with a free place, with work for which no request waits, or beside the waits of most', () => {
  const own = { kind: /** @type {const} */ ('executor'), capacity: 3, inUse: 2.96, waiting: 5 };
  const idOf = (/** @type {Partial<PoolUse>} */ changes) =>
    findByPools([THREADS, { ...own, ...changes }]).id;
  assert.equal(idOf({}), 'pool');
  // On a busy machine, a thread waits for a core before it takes the next call.
  assert.equal(idOf({ inUse: 2.4 }), 'pool');
  for (const changes of [
    { inUse: 2.1 },
    { waiting: 40 },
    { waiting: 0.5 },
    { capacity: null, inUse: null },
    { capacity: 1, inUse: 1, waiting: 1.5 },
  ])
    assert.notEqual(idOf(changes), 'pool', JSON.stringify(changes));
});

test('as many calls as the companion counts in the threads around a pool wait for it, though samples show fewer', () => {
  const own = { kind: /** @type {const} */ ('processes'), capacity: 1, inUse: 1, waiting: 8.2 };
  const idOf = (/** @type {number} */ inUse) => {
    const threads = { ...THREADS, capacity: 10, inUse };
    return findByPools([threads, own], {}, { client: 10, inside: 7.1 }).component;
  };
  assert.equal(idOf(9.3), 'processes');
  assert.equal(idOf(7.1), null, 'no request waits for some of them');
});

test('a counted pool whose holders wait for another one is not the bottleneck, but that other one', () => {
  const own = { kind: /** @type {const} */ ('semaphore'), capacity: 5, inUse: 5, waiting: 3 };
  const waits = {
    ...makeWaits({ lock: 0.375, pool: 0.45, database: 0.175 }, { slots: 16, busy: 8 }),
    holders: {
      ...{ of: 'lock', function: 'admit', file: 'shop.py', threads: 5 },
      doing: { id: 'pool', share: 0.72 },
    },
  };
  const found = findByPools([THREADS, own], { waits });
  assert.deepEqual([found.id, found.component, found.facts.why], ['pool', null, 'queued']);
  // The other one is counted as well: its waiting requests are more than it has places.
  const inner = { kind: /** @type {const} */ ('connections'), capacity: 1, inUse: 1, waiting: 3.6 };
  assert.equal(findByPools([THREADS, own, inner], { waits }).component, 'connections');
});

test('counted threads of a loop are slots, without a profile too', () => {
  for (const hasProfile of [true, false]) {
    const found = findByLoopThreads(hasProfile);
    assert.equal(found.id, 'slots');
    const row = found.resources.find(({ id }) => id === 'slots');
    assert.deepEqual([row?.of, row?.capacity, row?.inUse, row?.queue], ['to_thread', 6, 5.9, 2]);
  }
});

test('a lock whose holder writes to a pipe is the bottleneck, and not the file', () => {
  assert.equal(findHeldByPipe().id, 'lock');
});

test('threads of an executor that the companion counts are the limit, and not those of them that samples show', () => {
  const { id, component, fix, resources } = findByExecutor();
  assert.deepEqual([id, component], ['pool', 'executor']);
  const rows = resources.flatMap(row => (row.capacity === null ? [] : [[row.id, row.capacity]]));
  assert.deepEqual(rows, [
    ['pool', 6],
    ['gil', 1],
    ['machine', 4],
  ]);
  assert.ok((fix?.gain.value ?? 0) > 2, 'a larger pool lets all requests in');
});

test('a pool that is full because its threads wait for a lock is no bottleneck: the lock is', () => {
  const { id, orElse, facts, fix } = findLocked();
  assert.deepEqual([id, facts.why, orElse], ['lock', 'queued', null]);
  assert.deepEqual([facts.fullPool, facts.outerPool?.kind], [null, 'executor']);
  const times = (fix?.afterPerSec.high ?? 0) / (facts.throughputPerSec ?? 1);
  assert.ok(times > 2 && times < 4.5, `4 threads sleep at a time: ${times}`);
});

test('a pool whose threads seldom wait for a lock is the bottleneck', () => {
  assert.equal(findLocked({ waiting: 0.3, threads: 0.3 }).component, 'executor');
});

test('a pool inside another one that is full is the bottleneck', () => {
  const outer = { kind: /** @type {const} */ ('semaphore'), capacity: 4, inUse: 4, waiting: 4 };
  const inner = { kind: /** @type {const} */ ('executor'), capacity: 2, inUse: 2, waiting: 1.9 };
  assert.equal(findByPools([THREADS, outer, inner]).component, 'executor');
});
