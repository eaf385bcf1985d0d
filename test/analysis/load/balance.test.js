import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureBalance } from '../../../lib/analysis/load/balance.js';
import { totalLoad } from '../../helpers/total-load.js';

/** @param {Record<string, number>} workers @param {Record<string, number>} [backends] */
const second = (workers, backends) => ({ kind: 'second', fromMs: 0, workers, backends });

/** @param {number} pid @param {number | null} cpuMs @param {Partial<import('../../../lib/run/facts/profile-report.d.ts').CpuUse['workers'][number]>} [more] */
const worker = (pid, cpuMs, more = {}) => ({
  pid,
  samples: 0,
  cpuMs,
  cores: null,
  rssBytesMax: null,
  startedInRun: false,
  endedInRun: false,
  ...more,
});

test('counts the requests of each worker from responses, beside its CPU time', () => {
  const balance = measureBalance({
    counts: totalLoad([
      second({ 'aa.7': 30, 'aa.8': 10 }),
      second({ 'aa.7': 30 }),
      { kind: 'generator' },
    ]),
    workers: [worker(7, 600), worker(8, 100)],
    backends: null,
  });
  assert.deepEqual(balance?.workers, {
    basis: 'companion',
    expected: 2,
    members: [
      { id: 'aa.7', requests: 60, cpuMs: 600 },
      { id: 'aa.8', requests: 10, cpuMs: 100 },
    ],
    min: 10,
    mean: 35,
    median: 35,
    max: 60,
  });
  assert.equal(balance.backends, null, 'one instance is nothing to be balanced');
});

test('one worker is nothing to be balanced', () => {
  for (const counts of [totalLoad([second({ 'aa.7': 40 })]), totalLoad([])])
    assert.equal(measureBalance({ counts, workers: [worker(7, 600)], backends: null }), null);
});

test('a worker without responses counts as 0; a later one does not count', () => {
  const { workers } =
    measureBalance({
      counts: totalLoad([second({ 'aa.7': 40 })]),
      workers: [worker(7, 600), worker(8, 5), worker(9, 5, { startedInRun: true })],
      backends: null,
    }) ?? {};
  assert.deepEqual(
    workers?.members.map(({ id, requests }) => [id, requests]),
    [
      ['aa.7', 40],
      ['aa.8', 0],
    ],
  );
});

test('leaves workers that came or went out of the balance: they had less time', () => {
  const workers = [
    worker(7, 900),
    worker(8, 900),
    worker(9, 800, { endedInRun: true }),
    worker(10, 100, { startedInRun: true }),
    worker(11, 700, { livedShare: 0.9 }),
  ];
  const balanceOf = (/** @type {any[]} */ records, all = workers) =>
    measureBalance({ counts: totalLoad(records), workers: all, backends: null })?.workers ?? null;
  const told = [second({ 'aa.7': 90, 'aa.8': 90, 'aa.9': 80, 'aa.10': 10, 'aa.11': 70 })];
  for (const records of [[], told])
    assert.deepEqual(
      balanceOf(records)?.members.map(({ id }) => id.replace('aa.', '')),
      ['7', '8'],
    );
  assert.equal(balanceOf([], workers.slice(2)), null);
  assert.equal(balanceOf([second({ 'aa.9': 80, 'aa.10': 10 })], workers.slice(2)), null);
});

test('without the companion, CPU time shows how busy each worker was', () => {
  const { workers } =
    measureBalance({
      counts: totalLoad([]),
      workers: [worker(7, 500), worker(8, 500), worker(9, null)],
      backends: null,
    }) ?? {};
  assert.equal(workers?.basis, 'process-cpu');
  assert.equal(workers.expected, 3);
  assert.deepEqual(workers.members.slice(0, 2), [
    { id: '7', requests: null, cpuMs: 500 },
    { id: '8', requests: null, cpuMs: 500 },
  ]);
});

test('distinguishes instances by the companion, else by sticky cookies', () => {
  const ofCompanion = measureBalance({
    counts: totalLoad([second({ 'aa.7': 30, 'aa.8': 10, 'bb.7': 20 }, { c1: 60 })]),
    workers: [worker(7, 600)],
    backends: null,
  });
  assert.equal(ofCompanion?.backends?.basis, 'companion');
  assert.deepEqual(
    ofCompanion.backends.members.map(({ id, requests }) => [id, requests]),
    [
      ['aa', 40],
      ['bb', 20],
    ],
  );
  assert.equal(ofCompanion.workers?.expected, null, 'workers elsewhere are not known');
  assert.ok(ofCompanion.workers.members.every(({ cpuMs }) => cpuMs === null));
  const ofCookies = measureBalance({
    counts: totalLoad([second({}, { c1: 50, c2: 50 })]),
    workers: [],
    backends: null,
  });
  assert.equal(ofCookies?.backends?.basis, 'sticky-cookie');
});

test('shows configured instances without responses as 0', () => {
  const { backends } =
    measureBalance({
      counts: totalLoad([second({ 'aa.7': 3953 })]),
      workers: [],
      backends: 2,
    }) ?? {};
  assert.deepEqual(
    backends?.members.map(({ requests }) => requests),
    [3953, 0],
  );
  assert.equal(backends.expected, 2);
  assert.equal(backends.min, 0);
});

test('a router that names one instance may have others, unless the user says how many there are', () => {
  const measure = (
    /** @type {Record<string, number>} */ workers,
    /** @type {number | null} */ backends,
  ) =>
    measureBalance({ counts: totalLoad([second(workers, { c1: 90 })]), workers: [], backends })
      ?.backends?.members;
  assert.deepEqual(measure({}, null), [{ id: 'c1', requests: 90, cpuMs: null }]);
  assert.deepEqual(measure({ 'aa.7': 90 }, null), [{ id: 'aa', requests: 90, cpuMs: null }]);
  assert.equal(measure({}, 1), undefined);
  assert.equal(measure({}, 2)?.length, 2);
});

test('reports no balance without data on workers', () => {
  assert.equal(
    measureBalance({ counts: totalLoad([second({})]), workers: [], backends: null }),
    null,
  );
});
