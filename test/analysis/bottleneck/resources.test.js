import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyseRun } from '../../../lib/analysis/analyse-run.js';
import { findBottleneck } from '../../../lib/analysis/bottleneck/find-bottleneck.js';
import { listResources } from '../../../lib/analysis/bottleneck/resources.js';
import { findBrokenRows } from '../../../research/bottlenecks/laws.js';
import { cloneRun, RECORDED } from '../../helpers/recorded-runs.js';
import { makeNoise, makeWaits } from '../facts.js';

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
/** @param {number} value @param {string | null} kind */
const makeLoopWaits = (value, kind) => ({ share: { value }, where: [{ kind, share: value }] });

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
  const own = 0.5 + 20 * 0.0004;
  assert.ok(Math.abs((machine?.mostPerSec ?? 0) - (20 * (4 - 1.6 + own)) / own) < 1e-9);
});

test('how much of the machine other programs would leave to more requests is not known', () => {
  const machine = find(makeFacts({ restCores: 0.9 }), 'machine');
  assert.deepEqual([machine?.utilisation, machine?.mostPerSec], [0.4, null]);
});

test('what threads calculate in C may need no GIL, so it bounds nothing', () => {
  const most = (/** @type {string} */ file) => {
    const paths = [{ kind: 'cpu', function: 'hash', file, share: { value: 0.75 } }];
    return find(makeFacts({ paths }), 'gil')?.mostPerSec;
  };
  // At half of a core, a request may take 3.25 times the CPU that it takes in a busy worker.
  assert.deepEqual([most('hash.py'), most('<C code>')], [80 * 3.25, 320 * 3.25]);
  const full = { processes: 2, cores: 2, threads: 4 };
  assert.equal(find(makeFacts({ workers: full, parts: [full] }), 'gil')?.mostPerSec, 20);
});

test('cores that C code uses beside Python are no capacity, and how many more it could use is not known', () => {
  const more = { processes: 2, cores: 3, threads: 4 };
  const row = find(makeFacts({ workers: more, parts: [more] }), 'gil');
  assert.deepEqual(
    [row?.inUse, row?.capacity, row?.utilisation, row?.mostPerSec],
    [3, null, null, null],
  );
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

test('with a free thread, what waits in front of the server does not wait for a thread', () => {
  const waits = makeWaits({ 'external-call': 1 }, { slots: 8, busy: 3, fullest: 1.5 });
  const inFlight = { client: 12, inside: 3 };
  assert.equal(find(makeFacts({ waits, inFlight }), 'slots')?.queue, null);
  const full = makeWaits({ 'external-call': 1 }, { slots: 8, busy: 7.9, fullest: 4 });
  assert.equal(find(makeFacts({ waits: full, inFlight }), 'slots')?.queue, 9);
});

test('the size of a pool is not known where requests seldom wait for it, as with a pool per thread', () => {
  const holders = { of: 'pool', function: 'load', file: 'a.py', threads: 5.3, doing: {} };
  for (const [share, capacity] of [
    [0.1, null],
    [0.4, 5.3],
  ]) {
    const kinds = { pool: share ?? 0, database: 1 - (share ?? 0) };
    const waits = { ...makeWaits(kinds, { slots: 8, busy: 8 }), holders };
    const pool = find(makeFacts({ waits }), 'pool');
    assert.deepEqual([pool?.inUse, pool?.capacity], [5.3, capacity]);
  }
});

test('connections of a pool are not counted by coroutines, which may await several at the same time', () => {
  const holders = { of: 'pool', function: 'ask', file: 'main.py', threads: 3, doing: {} };
  const waits = { ...makeWaits({ pool: 0.75, 'external-call': 0.25 }), holders };
  assert.equal(find(makeFacts({ waits }), 'pool')?.capacity, 3);
  const pool = find(makeFacts({ waits: { ...waits, suspended: 11 } }), 'pool');
  assert.deepEqual([pool?.inUse, pool?.capacity, pool?.mostPerSec], [null, null, null]);
  assert.equal(pool?.queue, 3);
});

test('a row that cannot be is found by each of its laws', () => {
  const [row] = listResources(makeFacts());
  /** @type {Partial<import('../../../lib/run/facts/bottleneck.d.ts').Resource>[]} */
  const changes = [
    { inUse: 8.1, utilisation: 8.1 / 8 },
    { utilisation: 0.9 },
    { queue: -1 },
    { mostPerSec: 18 },
    { capacity: null, mostPerSec: null },
  ];
  assert.ok(row);
  for (const change of changes)
    assert.equal(findBrokenRows([{ ...row, ...change }], 20).length, 1, JSON.stringify(change));
});

test('each row obeys its laws, whatever was measured', () => {
  const noise = makeNoise(11);
  const any = (/** @type {number} */ most) => Math.abs(noise()) * most;
  const kinds = ['lock', 'pool', 'queue', 'database', 'external-call', 'cpu', 'gil', 'sleep'];
  for (let round = 0; round < 2000; round++) {
    const shares = kinds.map(kind => /** @type {const} */ ([kind, any(1)]));
    const total = shares.reduce((all, [, share]) => all + share, 0);
    const each = Object.fromEntries(shares.map(([kind, share]) => [kind, share / total]));
    const [slots, busy, cpus] = [Math.ceil(any(16)), any(20), Math.ceil(any(8)) || 1];
    const waits = {
      ...makeWaits(each, { slots: slots || null, busy }),
      holders: {
        ...{ of: round % 2 ? 'lock' : 'pool', function: 'f', file: 'f.py', threads: any(6) },
        doing: { id: 'cpu', share: any(1) },
      },
    };
    const workers = { processes: Math.ceil(any(4)) || 1, cores: any(4), threads: slots || null };
    const facts = makeFacts({
      ...{ waits, workers, throughputPerSec: any(90), quota: { quotaCores: any(2) + 0.1 } },
      ...{ parts: [workers], generatorCores: any(1), host: { cores: any(9), cpus } },
      ...{ inFlight: { client: any(30), inside: busy } },
      loopWaits: round % 3 ? null : makeLoopWaits(Math.min(1, any(1)), round % 2 ? 'file' : null),
    });
    assert.deepEqual(findBrokenRows(listResources(facts), facts.throughputPerSec), []);
  }
});

/** What was gathered of measured apps (research/bottlenecks, with the companion): their only limit, and all facts. */
const MEASURED = readFileSync(
  new URL('../../fixtures/limits/facts.ndjson', import.meta.url),
  'utf8',
);
/** @type {{what: string, limit: string, facts: any}[]} */
const APPS = MEASURED.trim()
  .split('\n')
  .map(line => JSON.parse(line));

for (const { what, limit, facts } of APPS)
  test(`rows, limit and prediction of a measured app agree: ${what}`, () => {
    const { id, resources, fix } = findBottleneck(facts);
    assert.equal(id, limit);
    assert.deepEqual(findBrokenRows(resources, facts.throughputPerSec), []);
    assert.ok(resources.some(({ utilisation }) => utilisation !== null));
    const { low, value, high } = fix?.afterPerSec ?? { low: 0, value: 0, high: 0 };
    assert.ok((low ?? 0) <= value && value <= (high ?? 0), JSON.stringify(fix));
    // The fix of a full CPU is more workers.
    const cpu = ['workers', 'gil'].includes(id) ? [] : ['workers', 'gil'];
    for (const row of resources.filter(one => cpu.includes(one.id)))
      assert.ok((high ?? 0) <= (row.mostPerSec ?? Infinity), JSON.stringify(row));
  });

test('the measured apps have each kind of row, each with a capacity that is known', () => {
  const rows = APPS.flatMap(({ facts }) => listResources(facts));
  for (const id of ['slots', 'pool', 'lock', 'loop', 'gil', 'workers'])
    assert.ok(
      rows.some(row => row.id === id && row.capacity !== null && row.mostPerSec !== null),
      id,
    );
});

for (const name of RECORDED)
  test(`and so does each row of the recorded run ${name}`, async t => {
    const { report } = await analyseRun(cloneRun(t, name));
    const perSec = report.load?.http.meanRatePerSec ?? null;
    const { fix = null, resources = [] } = report.bottleneck ?? {};
    assert.deepEqual(findBrokenRows(resources, perSec), []);
    const after = fix?.afterPerSec;
    for (const row of resources.filter(({ id }) => id === 'workers' || id === 'gil'))
      assert.ok((after?.high ?? after?.value ?? 0) <= (row.mostPerSec ?? Infinity));
  });

test('no more requests wait for a database than users wait for a response', () => {
  const waits = makeWaits({ database: 0.9, cpu: 0.1 }, { slots: 16, busy: 15 });
  assert.equal(find(makeFacts({ waits }), 'database')?.inUse, 12);
});

test('native threads need no GIL: their cores are not in use of it, and workers with them are not full', () => {
  const share = { value: 0.86, low: 0.71, high: 0.92 };
  const hash = { function: 'verify (argon2/low_level.py)', file: '<native threads>' };
  const paths = [{ ...hash, kind: 'cpu', share }];
  const workers = { processes: 1, cores: 1.4, busiestCores: 1.4, threads: 4 };
  const waits = makeWaits({ database: 0.75, other: 0.2, cpu: 0.05 }, { slots: 4, busy: 3.9 });
  const pressure = { id: 'waiting', facts: { users: 4, share: 1 } };
  const locking = { by: 'write-lock', share: 1, meanMs: 330 };
  const none = { generator: null, study: null, uneven: null, requestCpu: null, restCores: 0.1 };
  const asked = { ...none, workers, parts: [workers], waits, pressure, locking, isSaturated: true };
  const facts = makeFacts({ ...asked, paths, host: { cores: 1.6, cpus: 2 } });
  const { capacity, inUse } = find(facts, 'gil') ?? {};
  assert.deepEqual([capacity, Math.round((inUse ?? 0) * 1000)], [1, 196]);
  assert.equal(findBottleneck(facts).id, 'database');
  assert.equal(findBottleneck({ ...facts, paths: [] }).id, 'workers', 'the same CPU in Python');
});
