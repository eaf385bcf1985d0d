import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBottleneck } from '../../../lib/analysis/bottleneck/find-bottleneck.js';
import { gatherRunFacts } from '../../../lib/analysis/judge/bottleneck/gather-run.js';
import { findFullMachine } from '../../../lib/analysis/judge/findings/machine.js';
import { sayBottleneck } from '../../../lib/text/bottleneck.js';
import { makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../facts.js';
import {
  findByRecorded,
  findTabled,
  findThreadsBeside,
  findWanting,
  measureBeside,
  measureGil,
  measureService,
} from './find-by.js';
import { PRESSED, TABLE } from './runs-table.js';

for (const [what, id, facts] of TABLE)
  test(`${what}: ${id}`, () => assert.equal(findTabled(facts).id, id));

/** On two cores, while all users wait. @param {ReturnType<typeof makeRecorded>} recorded */
const judge = recorded =>
  findBottleneck(gatherRunFacts({ run: makeRunInfo(2), load: makeLoad(PRESSED), ...recorded })).id;

for (const { beside, waits, id } of [
  { beside: 'another program', waits: makeWaits({ cpu: 1 }), id: 'gil' },
  { beside: 'its database', waits: makeWaits({ cpu: 0.3, database: 0.7 }), id: 'machine' },
])
  test(`one worker uses nearly a core, while ${beside} saturates the machine: ${id}`, () => {
    const wanting = { queuedShare: 0.1, wantedShare: 0.97 };
    const recorded = makeRecorded({ cores: [0.88], wanting, hostCores: 1.85, waits });
    Object.assign(recorded.cpu, { generatorCores: 0.05 });
    assert.equal(judge(recorded), id);
  });

for (const { what, holders, id } of [
  { what: 'an unknown holder', holders: null, id: 'unknown' },
  { what: 'a holder that sleeps', holders: { id: 'sleep', share: 0.9 }, id: 'lock' },
])
  test(`requests wait for a lock of ${what} on a machine that other programs saturate: ${id}`, () => {
    const wanting = { queuedShare: 0.55, wantedShare: 0.77 };
    const queue = makeWaits({ lock: 0.92, sleep: 0.05, cpu: 0.03 }, { slots: 32, busy: 27 });
    const of = { of: 'lock', function: 'reserve', file: 'stock.py', threads: 1, doing: holders };
    const waits = /** @type {any} */ ({ ...queue, holders: holders && of });
    const kernel = { cpuMs: 11, queuedMs: 27.5 };
    const recorded = makeRecorded({ cores: [0.22], wanting, hostCores: 2, waits, ...kernel });
    Object.assign(recorded.cpu, { generatorCores: 0.12 });
    assert.equal(judge(recorded), id);
  });

test('threads of one worker that queue for cores share its GIL, however full the machine is over the whole run', () => {
  const idOf = (/** @type {number} */ queuedMs) => {
    const wanting = { queuedShare: 0, wantedShare: 0.78, sliceMs: 0.14 };
    const waits = makeWaits({ database: 0.81, cpu: 0.18 }, { slots: 4, busy: 3.9 });
    const kernel = { cpuMs: 34, queuedMs, cores: [0.78], wanting, hostCores: 1.45, waits };
    const recorded = makeRecorded(kernel);
    Object.assign(recorded.cpu, { generatorCores: 0.03, threads: 4 });
    return judge(recorded);
  };
  assert.equal(idOf(73), 'gil');
  assert.notEqual(idOf(3), 'gil');
});

test('a worker that always runs or waits for a core is the limit, whoever has the other cores', () => {
  assert.equal(findWanting(0.97, { cpu: 1 }).id, 'workers');
  assert.notEqual(findWanting(0.6, { database: 0.9, cpu: 0.1 }).id, 'workers');
});

test('a sync worker that wants a core whenever it has a request is full: it is without one for a moment', () => {
  const idOf = (/** @type {number} */ wantedShare, slots = { slots: 1, busy: 0.9 }) => {
    const wanting = { queuedShare: wantedShare - 0.17, wantedShare };
    const kernel = { cpuMs: 11.6, queuedMs: 49, cores: [0.17], wanting, hostCores: 2 };
    const waits = makeWaits({ cpu: 0.66, 'external-call': 0.34 }, slots);
    const recorded = makeRecorded({ ...kernel, waits });
    Object.assign(recorded.cpu, { generatorCores: 0.07 });
    return judge(recorded);
  };
  assert.equal(idOf(0.83), 'workers');
  assert.equal(idOf(0.75), 'unknown');
  assert.equal(idOf(0.83, { slots: 2, busy: 1.8 }), 'unknown');
});

/** Recorded on two cores beside other programs: CPU and wait for a core of a request, in ms. */
for (const { cpuMs, queuedMs, responseMs, kind, id, isDoubt = false } of [
  { cpuMs: 5, queuedMs: 9, responseMs: 125, kind: 'sleep', id: null },
  { cpuMs: 14, queuedMs: 20, responseMs: 440, kind: 'external-call', id: 'external-call' },
  { cpuMs: 2, queuedMs: 4, responseMs: 389, kind: 'lock', id: 'lock' },
  { cpuMs: 10, queuedMs: 16, responseMs: 155, kind: 'database', id: 'database' },
  { cpuMs: 60, queuedMs: 100, responseMs: 400, kind: 'database', id: 'database', isDoubt: true },
  { cpuMs: 120, queuedMs: 224, responseMs: 418, kind: 'database', id: 'unknown', isDoubt: true },
])
  test(`beside other programs, ${cpuMs + queuedMs} of ${responseMs} ms on the CPU, most samples in ${kind}: ${id}`, () => {
    const measured = measureBeside({ [kind]: 0.6, cpu: 0.4 }, { cpuMs, queuedMs }, responseMs);
    const { bottleneck } = measured;
    assert.notEqual(bottleneck.facts.why, id === 'unknown' ? null : 'background-load');
    if (id) assert.equal(bottleneck.id, id);
    const [full] = findFullMachine(/** @type {any} */ (measured));
    const isWarned = id === 'unknown';
    assert.equal(full?.severity, isWarned ? 'warn' : 'info');
    assert.equal(/** @type {any} */ (full)?.facts.isDoubt, isDoubt);
  });

test('samples of waits of a request whose result is there are no wait: the kernel counts it as a wait for a core', () => {
  const shares = { 'external-call': 0.63, cpu: 0.21, client: 0.16 };
  for (const [queuedMs, hostCores, id] of /** @type {const} */ ([
    [23, 2, 'unknown'],
    [23, 1.5, 'external-call'],
    [7, 2, 'external-call'],
  ])) {
    const { bottleneck } = measureBeside(shares, { hostCores, cpuMs: 8, queuedMs }, 71);
    assert.equal(bottleneck.id, id);
    const { requestCpu } = bottleneck.facts;
    assert.deepEqual([requestCpu?.cpuMs, requestCpu?.queuedMs], [8, queuedMs]);
  }
});

test('threads that wait for the GIL wait for its holder, which other programs keep from a core', () => {
  const measured = measureGil();
  const { id, facts } = measured.bottleneck;
  assert.deepEqual([id, facts.why], ['unknown', 'background-load']);
  const [full] = findFullMachine(/** @type {any} */ (measured));
  assert.equal(full?.severity, 'warn');
});

/** Recorded beside other programs, on two cores: a GIL with and without waits below, and connections that are opened. */
for (const { cores, queuedMs, perSec, share, id } of [
  { cores: 0.26, queuedMs: 277, perSec: 16, share: 1, id: 'gil' },
  { cores: 0.65, queuedMs: 23, perSec: 80, share: 0.2, id: 'gil' },
  { cores: 0.65, queuedMs: 10, perSec: 80, share: 0.2, id: 'wait' },
  { cores: 0.22, queuedMs: 60, perSec: 40, share: 0.2, id: 'wait' },
])
  test(`${cores} cores and ${(queuedMs * perSec) / 1000} waiting threads in one worker beside other programs: ${id}`, () => {
    assert.equal(findThreadsBeside({ cores, queuedMs, perSec, share }).id, id);
  });

test('with a worker for each core, the GIL is not the limit, whatever other programs use', () => {
  const waits = makeWaits({ cpu: 1 }, { slots: 8, busy: 7.5 });
  const wanting = { queuedShare: 0.63, wantedShare: 0.77, sliceMs: 0.65 };
  const idOf = (/** @type {number[]} */ cores, /** @type {number} */ cpus) => {
    const kernel = { cpuMs: 114, queuedMs: 1700, wanting, hostCores: cpus };
    const recorded = makeRecorded({ cores, waits, ...kernel });
    Object.assign(recorded.cpu, { generatorCores: 0.02 });
    const load = makeLoad({ ...PRESSED, responseMs: 2000 });
    return findBottleneck(gatherRunFacts({ run: makeRunInfo(cpus), load, ...recorded })).id;
  };
  assert.deepEqual([idOf([0.24, 0.15], 2), idOf([0.24, 0.15], 4)], ['workers', 'gil']);
});

test('threads that calculate in C, and a process with more than one core, are not limited by the GIL', () => {
  const idOf = (
    /** @type {number} */ cores,
    /** @type {number} */ hostCores,
    file = 'shop.py',
    sliceMs = 0.5,
  ) => {
    const waits = makeWaits({ cpu: 1 }, { slots: 8, busy: 7 });
    const wanting = { queuedShare: 0, wantedShare: cores, sliceMs };
    const kernel = { cpuMs: 30, queuedMs: 100, wanting };
    const recorded = makeRecorded({ cores: [cores], hostCores, waits, ...kernel });
    Object.assign(recorded.cpu, { generatorCores: 0.05 });
    const share = { value: 0.8, low: 0.7, high: 0.9 };
    Object.assign(recorded.profile, { hotPaths: [{ entry: { function: 'work', file }, share }] });
    const load = makeLoad({ ...PRESSED, responseMs: 400 });
    return findBottleneck(gatherRunFacts({ run: makeRunInfo(2), load, ...recorded })).id;
  };
  assert.deepEqual([idOf(0.6, 2), idOf(0.6, 2, '<C code>')], ['gil', 'unknown']);
  assert.deepEqual([idOf(0.9, 2), idOf(0.9, 2, '<C code>')], ['gil', 'workers']);
  assert.equal(idOf(0.6, 2, 'shop.py', 1.7), 'unknown');
  assert.deepEqual([idOf(0.99, 1.1), idOf(1.2, 1.3)], ['gil', 'workers']);
});

test('where no bottleneck is named, a queue for a core of a tenth makes a run doubtful', () => {
  for (const [queuedMs, severity] of /** @type {const} */ ([
    [30, 'warn'],
    [4, 'info'],
  ])) {
    const waits = makeWaits({ sleep: 1 }, { slots: null, busy: 1 });
    const recorded = makeRecorded({ cores: [0.1], hostCores: 2, waits, cpuMs: 2, queuedMs });
    Object.assign(recorded.cpu, { generatorCores: 0.1 });
    const load = makeLoad({ responseMs: 200 });
    const measured = { run: makeRunInfo(2), load, ...recorded };
    const found = findBottleneck(gatherRunFacts(measured));
    assert.equal(found.id, 'none');
    const [full] = findFullMachine(/** @type {any} */ ({ ...measured, bottleneck: found }));
    assert.equal(full?.severity, severity);
  }
});

test('beside other programs, the CPU is the limit of requests that would saturate it without these', () => {
  /** Two workers with threads, whose work in C lets several of them run. @param {number} cpuMs */
  const find = cpuMs => {
    const waits = makeWaits({ cpu: 0.9, other: 0.1 }, { slots: 16, busy: 7.6 });
    const wanting = { queuedShare: 0.5, wantedShare: 0.7, sliceMs: 0.85 };
    const kernel = { cores: [0.3, 0.3], hostCores: 2, cpuMs, queuedMs: 340, wanting };
    const load = makeLoad({ ...PRESSED, responseMs: 400 });
    const beside = { generatorCores: 0.05 };
    return findByRecorded({ waits, ...kernel }, { run: makeRunInfo(2), load }, beside);
  };
  // 40 of 380 ms are no wait for a core, so 7.6 requests run 3 or 0.8 at a time.
  const found = find(16);
  assert.deepEqual([found.id, found.facts.why], ['machine', 'alone']);
  assert.match(sayBottleneck(found).title, /; without other programs, its requests would saturate/);
  assert.equal(find(4).facts.why, 'background-load');
});

test('the database of the API is no background load: its CPU counts as its own', () => {
  const measured = measureService();
  const { id, facts, resources } = measured.bottleneck;
  assert.deepEqual([id, facts.hasBackgroundLoad], ['database', false]);
  const row = resources.find(({ id: own }) => own === 'component');
  assert.deepEqual([row?.inUse, row?.utilisation, row?.demandMs], [1.2, 0.6, 60]);
  const [full] = findFullMachine(/** @type {any} */ (measured));
  const { backgroundCores, mayServe } = /** @type {any} */ (full)?.facts ?? {};
  assert.ok(backgroundCores < 0.26 && mayServe.length === 0, `${backgroundCores}`);
});

test('while the loop of greenlets is full, no wait inside is a database’s', () => {
  const waits = makeWaits({ database: 0.9, cpu: 0.1 }, { slots: null, busy: 12 });
  const kernel = { cpuMs: 32.4, queuedMs: 1, cores: [0.84], hostCores: 2 };
  const recorded = makeRecorded({ ...kernel, waits });
  Object.assign(recorded.cpu, { generatorCores: 0.1 });
  const load = makeLoad({ ...PRESSED, responseMs: 415 });
  const found = findBottleneck(gatherRunFacts({ run: makeRunInfo(2), load, ...recorded }));
  assert.equal(found.facts.cpuShare, 1);
  assert.ok(['workers', 'unknown'].includes(found.id), found.id);
});

test('a loop that a call stops is the limit, and not the CPU of a worker that hardly runs and comes back late', () => {
  const findWith = (/** @type {number} */ cores, /** @type {any} */ kind = 'file') => {
    const wanting = { queuedShare: 0.95 - cores, wantedShare: 0.95 };
    const where = [{ function: 'persist', file: 'app.py', line: 23, kind, share: 0.86 }];
    const loopWaits = { share: { value: 0.86, low: 0.79, high: 0.92 }, where };
    const waits = makeWaits({ file: 0.4, cpu: 0.6 }, { slots: null, busy: 1 });
    const kernel = { cpuMs: 1.4, queuedMs: 14.3, cores: [cores], wanting, hostCores: 2 };
    const recorded = makeRecorded({ ...kernel, waits, loopWaits: /** @type {any} */ (loopWaits) });
    Object.assign(recorded.cpu, { generatorCores: 0.05 });
    const load = makeLoad({ ...PRESSED, responseMs: 16 });
    return findBottleneck(gatherRunFacts({ run: makeRunInfo(2), load, ...recorded }));
  };
  const { id, resources } = findWith(0.09);
  const loop = resources.find(row => row.id === 'loop');
  assert.deepEqual([id, loop?.utilisation?.toFixed(2)], ['loop', '0.95']);
  assert.equal(findWith(0.45).id, 'workers');
  assert.equal(findWith(0.09, null).id, 'workers', 'no rule knows that it waits there');
});

test('a request waits for a core no longer than it is inside: threads also wait between requests', () => {
  const recorded = makeRecorded({ cores: [0.2], hostCores: 2, cpuMs: 171, queuedMs: 2330 });
  const load = makeLoad({ ...PRESSED, responseMs: 2066 });
  const { requestCpu } = gatherRunFacts({ run: makeRunInfo(2), load, ...recorded });
  assert.equal(requestCpu?.queuedMs, 2066);
});
