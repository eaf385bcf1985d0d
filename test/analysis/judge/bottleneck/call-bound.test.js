import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBottleneck } from '../../../../lib/analysis/bottleneck/find-bottleneck.js';
import {
  findLongestWait,
  listResources,
  shareOfCpu,
} from '../../../../lib/analysis/bottleneck/resources.js';
import {
  boundWaits,
  findCallBound,
  markPooled,
} from '../../../../lib/analysis/judge/bottleneck/call-bound.js';
import { gatherRunFacts } from '../../../../lib/analysis/judge/bottleneck/gather-run.js';
import { makeGroup, makeLoad, makeRunInfo } from '../../facts.js';

const IDLE = { cores: 1, cpus: 4 };
const FULL = { cores: 3.9, cpus: 4 };

/** @param {any} workers of two processes @param {any} [host] @param {any} [requestCpu] */
const byOf = (workers, host = IDLE, requestCpu = null) =>
  findCallBound({
    host,
    workers: workers && { processes: 2, threads: null, ...workers },
    requestCpu,
  })?.by;

test('without figures of the system, the CPU that the companion measured shows a full loop', () => {
  /** 28.9 requests/s at one worker @param {number} cpuMs @param {number} serverMs */
  const gather = (cpuMs, serverMs) => {
    const load = makeLoad();
    const requests = 28.9 * 20;
    const row = { requests, cpuMsPerRequest: { value: cpuMs }, aroundMsPerRequest: { value: 2.4 } };
    const costs = /** @type {any} */ ({ endpoints: [{ ...row, serverMsPerRequest: serverMs }] });
    const balance = { workers: makeGroup([requests]), backends: null };
    return gatherRunFacts({ run: makeRunInfo(), load, cpu: null, profile: null, costs, balance });
  };
  const byCompanion = (/** @type {number[]} */ [cpuMs = 0, serverMs = 0]) =>
    findCallBound(gather(cpuMs, serverMs));
  assert.equal(byCompanion([30, 300])?.by, 'workers');
  assert.ok(Math.abs((byCompanion([30, 300])?.cores ?? 0) - 0.936) < 0.001, '28.9/s × 32.4 ms');
  assert.equal(findBottleneck(gather(30, 300)).id, 'workers');
  assert.equal(byCompanion([30, 31]), null, 'one request at a time waits for no other');
  assert.equal(byCompanion([5, 300]), null);
});

test('times of calls are upper bounds where a worker that serves several requests has no idle CPU', () => {
  assert.equal(byOf({ cores: 1.9 }), 'workers');
  assert.equal(byOf({ cores: 1.9, threads: 8 }), 'workers');
  assert.equal(
    byOf({ cores: 1, wanting: { queuedShare: 0.1, leastWantedShare: 0.95 } }),
    'workers',
  );
  assert.equal(byOf({ cores: 1 }), undefined);
  assert.equal(byOf({ cores: 1.9, threads: 1 }), undefined, 'a sync worker only waits');
});

test('and where threads of the workers wait for a core of a saturated machine', () => {
  const workers = { cores: 0.4, threads: 1 };
  assert.equal(byOf(workers, FULL, { queuedMs: 40, responseMs: 100 }), 'machine');
  assert.equal(byOf({ cores: 0.4, threads: 1 }, FULL), 'machine', 'not known, so not excluded');
  assert.equal(byOf(workers, FULL, { queuedMs: 6, responseMs: 389 }), undefined);
  assert.equal(byOf(null, FULL), undefined);
  // 576 ms inside of 6,976 with the wait in front of two workers: the queue for a core is all of it.
  const requestCpu = { queuedMs: 876, responseMs: 6976, isInside: false };
  const facts = { host: FULL, workers: { processes: 2, ...workers }, requestCpu };
  const boundOf = (/** @type {any} */ more) =>
    findCallBound(/** @type {any} */ ({ ...facts, ...more }));
  assert.equal(boundOf({ inFlight: { client: 8, inside: 2 } })?.by, 'machine');
  assert.equal(boundOf({ inFlight: null }), null, 'how long they are inside is not known');
});

test('and where CPU and waits for a core leave requests no time for what samples saw as waits for calls', () => {
  // doccano under four users beside other programs: PostgreSQL took 1.1 of the 163 ms.
  const requestCpu = { cpuMs: 34, queuedMs: 73.5, responseMs: 163, isInside: true };
  const facts = {
    host: { cores: 1.58, cpus: 2 },
    workers: { processes: 1, cores: 0.78, threads: 4 },
  };
  const boundOf = (/** @type {number} */ low, more = {}, id = 'database') => {
    const waits = { slots: 4, kinds: [{ id, share: { value: low, low, high: 1 }, where: [] }] };
    return findCallBound(/** @type {any} */ ({ ...facts, waits, requestCpu, ...more }));
  };
  assert.equal(boundOf(0.69)?.by, 'machine');
  assert.equal(boundOf(0.3), null, 'both fit into the time');
  assert.equal(boundOf(0.69, {}, 'lock'), null, 'it ends without a response');
  assert.equal(boundOf(0.69, { requestCpu: null }), null);
});

test('while an event loop waits for a core, so do all requests inside', () => {
  // tiled on two cores that other programs fill: 84 ms of 796 ms, for each of 7.6 requests.
  const facts = {
    host: FULL,
    workers: { processes: 1, cores: 0.67, threads: 16 },
    requestCpu: { cpuMs: 70, queuedMs: 84, responseMs: 796, isInside: true },
    inFlight: { client: 8, inside: 7.6 },
  };
  const boundOf = (/** @type {any} */ slots) =>
    findCallBound(/** @type {any} */ ({ ...facts, waits: { slots, kinds: [] } }));
  assert.equal(boundOf(null)?.by, 'machine');
  assert.equal(boundOf(16), null, 'threads wait each for its own core');
  const kind = (/** @type {string} */ id, /** @type {number} */ value) => {
    return { id, share: { value, low: value, high: value }, where: [] };
  };
  const waits = { slots: null, kinds: [kind('database', 0.43), kind('cpu', 0.35)] };
  const cpuOf = (/** @type {any} */ profile) =>
    shareOfCpu(
      /** @type {any} */ ({ ...facts, waits: profile.waits, throughputPerSec: 9.6 }),
      false,
    ) ?? 0;
  assert.ok(cpuOf({ waits }) < 0.2);
  assert.equal(cpuOf(boundWaits(/** @type {any} */ ({ waits }))), 1, 'or it waits for the loop');
});

test('a wait for the database in a full worker is no use of the database, and no longest wait', () => {
  const kind = (/** @type {string} */ id, /** @type {number} */ value) => {
    return { id, share: { value, low: value, high: value }, where: [] };
  };
  const kinds = [kind('database', 0.9), kind('lock', 0.05), kind('cpu', 0.05)];
  const profile = /** @type {any} */ ({ waits: { kinds, busyThreads: 10, slots: null } });
  const facts = (/** @type {any} */ waits) => {
    const load = makeLoad();
    return { ...gatherRunFacts({ run: makeRunInfo(), load, cpu: null, profile: null }), waits };
  };
  const { waits } = boundWaits(profile);
  const use = (/** @type {any} */ of) => listResources(facts(of)).map(({ id }) => id);
  assert.ok(use(profile.waits).includes('database'));
  assert.ok(!use(waits).includes('database'));
  assert.equal(findLongestWait(facts(profile.waits))?.kind, 'database');
  assert.equal(findLongestWait(facts(waits))?.kind, 'lock');
});

test('a call whose time has the wait for its client in it says how much that is', () => {
  const at = { function: 'weather', file: 'app.py', line: 18, share: 1 };
  const kinds = [
    { id: 'pool', share: { value: 0.6 }, where: [at] },
    { id: 'external-call', share: { value: 0.38 }, where: [{ ...at, share: 0.64 }] },
  ];
  const call = { kind: 'http', function: 'weather', file: 'app.py', line: 18, meanMs: 181 };
  const shareOf = (/** @type {any} */ more, poolMs = 0, waits = kinds) =>
    markPooled(
      /** @type {any} */ ({
        statements: [{ ...call, ...more }],
        whole: { poolMs: { mean: poolMs }, serverMs: 210 },
      }),
      /** @type {any} */ ({ waits: { kinds: waits } }),
    )?.statements[0]?.poolShare;
  assert.ok(Math.abs((shareOf({}) ?? 0) - 0.71) < 0.01, '52 of 181 ms are left');
  assert.equal(shareOf({ line: 20 }), undefined, 'at another line');
  assert.equal(shareOf({ file: null, line: null }), undefined);
  assert.equal(shareOf({ kind: 'sql' }), undefined);
  assert.equal(shareOf({}, 120), undefined, 'the companion counted it');
  assert.equal(shareOf({}, 0, kinds.slice(1)), undefined);
  assert.equal(markPooled(null, null), null);
});

test('times of calls are upper bounds on a blocked event loop, and exact in the function that blocks it', () => {
  const loopWaits = /** @type {any} */ ({
    share: { value: 0.85, low: 0.7, high: 0.95 },
    where: [{ function: 'Printer.print_label', file: 'app.py', kind: null, share: 0.85 }],
  });
  const workers = /** @type {any} */ ({ processes: 1, cores: 0.05, threads: null });
  const facts = { workers, host: IDLE, requestCpu: null };
  assert.equal(findCallBound({ ...facts, loopWaits }, ['label'])?.by, 'loop');
  assert.equal(findCallBound({ ...facts, loopWaits }, ['label', 'print_label']), null);
  assert.equal(findCallBound(facts), null);
  const rarely = { ...loopWaits, share: { value: 0.2, low: 0.1, high: 0.3 } };
  assert.equal(findCallBound({ ...facts, loopWaits: rarely }), null);
});
