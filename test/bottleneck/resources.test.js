import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listResources } from '../../lib/bottleneck/resources.js';
import { makeWaits } from '../analysis/facts.js';

/** @param {any} [changes] @returns {any} */
const makeFacts = changes => ({
  throughputPerSec: 20,
  workers: { processes: 2, cores: 0.5, threads: 4 },
  parts: [{ cores: 0.5 }],
  generatorCores: 0.1,
  host: { cores: 1.6, cpus: 4 },
  quota: null,
  inFlight: { client: 12, inside: 8 },
  loopWaits: null,
  waits: {
    ...makeWaits({ lock: 0.75, database: 0.2, cpu: 0.05 }, { slots: 8, busy: 8 }),
    holders: {
      of: 'lock',
      function: 'reserve',
      file: 'shop.py',
      threads: 1.6,
      doing: { id: 'database', share: 1 },
    },
  },
  ...changes,
});
/** @param {any} facts @param {string} id */
const find = (facts, id) => listResources(facts).find(one => one.id === id);

test('threads: all in use, and four requests wait before them', () => {
  const { capacity, inUse, utilisation, queue, mostPerSec, demandMs } =
    find(makeFacts(), 'slots') ?? {};
  assert.deepEqual([capacity, inUse, utilisation, queue], [8, 8, 1, 4]);
  assert.deepEqual([demandMs, mostPerSec], [400, 20], 'U = X·D ÷ c');
});

test('a lock: one of each worker, held by who is inside, and the rest of its function waits', () => {
  const lock = find(makeFacts(), 'lock');
  assert.deepEqual([lock?.capacity, lock?.inUse, lock?.utilisation], [2, 1.6, 0.8]);
  assert.equal(lock?.queue, 6);
  assert.equal(lock?.mostPerSec, 25);
});

test('a lock with unknown holders has no utilisation', () => {
  const waits = makeWaits({ lock: 0.75, cpu: 0.25 });
  const lock = find(makeFacts({ waits }), 'lock');
  assert.deepEqual([lock?.capacity, lock?.utilisation, lock?.mostPerSec], [null, null, null]);
  assert.equal(lock?.queue, 3);
});

test('no row has more in use than there is: then its capacity is not known', () => {
  const holders = { ...makeFacts().waits.holders, threads: 2.94 };
  const few = { processes: 1, cores: 0.5, threads: 4 };
  const waits = { ...makeFacts().waits, holders };
  const lock = find(makeFacts({ waits, workers: few }), 'lock');
  assert.deepEqual([lock?.capacity, lock?.utilisation, lock?.mostPerSec], [null, null, null]);
  assert.equal(lock?.inUse, 2.94);
  const twice = { ...waits, holders: { ...holders, threads: 1.03 } };
  const noise = find(makeFacts({ waits: twice, workers: few }), 'lock');
  assert.deepEqual([noise?.capacity, noise?.inUse, noise?.utilisation], [1, 1, 1]);
});

test('a row whose bound the throughput exceeds has no bound', () => {
  const machine = find(makeFacts({ host: { cores: 5.2, cpus: 4 } }), 'machine');
  assert.deepEqual([machine?.capacity, machine?.mostPerSec], [null, null]);
  for (const { capacity, inUse, mostPerSec } of listResources(makeFacts()))
    assert.ok((inUse ?? 0) <= (capacity ?? Infinity) && 20 <= (mostPerSec ?? Infinity) * 1.1);
});

test('threads of a pool that may start more have no limit', () => {
  const waits = { ...makeWaits({ cpu: 1 }, { slots: null, busy: 2.5 }), poolThreads: 4 };
  const slots = find(makeFacts({ waits }), 'slots');
  assert.deepEqual([slots?.capacity, slots?.inUse, slots?.mostPerSec], [null, 2.5, null]);
});

test('what other programs have of the machine does not grow with the requests', () => {
  const machine = find(makeFacts(), 'machine');
  assert.equal(machine?.utilisation, 0.4);
  assert.ok(Math.abs((machine?.mostPerSec ?? 0) - (20 * (4 - 1)) / 0.6) < 1e-9);
});

test('calls to others have no limit that is seen here', () => {
  const database = find(makeFacts(), 'database');
  assert.deepEqual([database?.capacity, database?.mostPerSec], [null, null]);
  assert.equal(database?.demandMs, 80);
});

test('an event loop is in use while it calculates and while a call blocks it', () => {
  const loopWaits = { share: { value: 0.5, low: 0.4, high: 0.6 }, where: [] };
  const loop = find(makeFacts({ loopWaits }), 'loop');
  assert.equal(loop?.utilisation, (0.5 + 2 * 0.5) / 2);
});

test('lists nothing that was not recorded', () => {
  const nothing = { waits: null, workers: null, parts: [], host: null, inFlight: null };
  assert.deepEqual(listResources(makeFacts(nothing)), []);
});
