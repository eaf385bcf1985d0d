import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateWhatIf, findCapacity } from '../../../lib/analysis/bottleneck/what-if.js';
import { makeRecorded, makeRunInfo, makeTimeline } from '../facts.js';

const TLS = {
  id: 'tls',
  title: 'TLS context per request',
  severity: 'bad',
  share: { value: 0.6, low: 0.55, high: 0.65 },
};
const NAMES = {
  ...TLS,
  id: 'names',
  title: 'name look-up',
  severity: 'warn',
  share: { value: 0.1, low: 0.08, high: 0.12 },
};
const REMARK = { ...TLS, id: 'logging', severity: 'info' };
const TOGETHER = { causes: ['tls', 'names'], share: { value: 0.65, low: 0.6, high: 0.7 } };

/** @param {any} id @param {object} [options] @param {object} [facts] of the bottleneck @param {any} [component] of it */
function whatIf(id, options = {}, facts = {}, component = null) {
  const recorded = makeRecorded({
    cores: [1, 0.9],
    cpuMs: 10,
    causes: [TLS, NAMES, REMARK],
    causesTogether: TOGETHER,
    ...options,
  });
  return estimateWhatIf({
    run: makeRunInfo(),
    ...recorded,
    timeline: null,
    bottleneck: id && { id, component, facts: { workers: null, areWorkersFull: true, ...facts } },
  });
}

test('two CPU-bound workers at 10 ms a request serve 200/s, and by Amdahl 500/s without 60 % of it', () => {
  const [, tls] = whatIf('workers');
  assert.deepEqual(tls?.causes, ['tls']);
  assert.equal(tls?.capacityPerSec?.value, 200);
  assert.equal(Math.round(tls?.capacityAfterPerSec?.value ?? 0), 500);
  assert.ok(Math.abs((tls?.gain?.value ?? 0) - 1.5) < 1e-9);
});

test('a gain is at most what the cores of the machine allow beside the database on it', () => {
  const run = makeRunInfo();
  const recorded = makeRecorded({ cores: [1, 1], cpuMs: 10, causes: [TLS] });
  const gainWith = (/** @type {number | null} */ serviceCores, cpus = 4) =>
    estimateWhatIf({
      ...recorded,
      run: { ...run, host: { ...run.host, cpus } },
      cpu: { ...recorded.cpu, serviceCores },
      timeline: null,
      bottleneck: /** @type {any} */ ({ id: 'workers', facts: {} }),
    })[0]?.gain;
  assert.equal(gainWith(null)?.value.toFixed(2), '1.50');
  assert.equal(gainWith(0.2)?.value.toFixed(2), '1.50', 'there are enough cores');
  // without 60 % of two cores, 0.8 and 1.5 of the database are needed for as many requests
  assert.equal(gainWith(1.5)?.value.toFixed(2), (4 / 2.3 - 1).toFixed(2));
  assert.ok((gainWith(1.5)?.high ?? 9) < 1.1);
  assert.equal(gainWith(1.2, 2)?.value.toFixed(2), (2 / 2 - 1).toFixed(2));
});

test('full CPU of the workers leaves the database on their machine its part', () => {
  const run = makeRunInfo();
  const recorded = makeRecorded({ cores: [0.5, 0.5], cpuMs: 10, causes: [] });
  const mostWith = (/** @type {number} */ cpus) =>
    findCapacity({
      ...recorded,
      run: { ...run, host: { ...run.host, cpus } },
      cpu: { ...recorded.cpu, serviceCores: 0.25 },
      timeline: null,
    })?.value;
  assert.deepEqual([mostWith(8), mostWith(2)], [200, 160]);
});

test('workers that followed each other are one', () => {
  const cores = Array(10).fill(0.95);
  const [tls] = whatIf('workers', { cores, livedShares: cores.map(() => 0.2) });
  assert.equal(Math.round(tls?.capacityPerSec?.value ?? 0), 200);
});

test('in the interval of a gain, a tenth of the cause stays at the low end, and the rest gets cheaper at the high end', () => {
  const { gain } = whatIf('workers')[1] ?? {};
  assert.ok(Math.abs((gain?.low ?? 0) - (1 / (1 - 0.55 * 0.9) - 1)) < 1e-9);
  assert.ok(Math.abs((gain?.high ?? 0) - (1 / (0.35 * (1 - 0.5 * 0.65)) - 1)) < 1e-9);
});

test('all causes together come first, with a share that is not a sum, and without remarks', () => {
  const all = whatIf('workers');
  assert.deepEqual(
    all.map(({ causes }) => causes.join('+')),
    ['tls+names', 'tls', 'names'],
  );
  assert.equal(all[0]?.share.value, 0.65);
  assert.deepEqual(all[0]?.titles, ['TLS context per request', 'name look-up']);
});

test('work of most of the CPU that all requests could share has a gain, though it is a remark', () => {
  const same = { ...TLS, id: 'own-rule', severity: 'info', forAll: true };
  const idsOf = (/** @type {any} */ cause) =>
    whatIf('workers', { causes: [cause], causesTogether: null }).map(({ causes }) => causes[0]);
  assert.deepEqual(idsOf(same), ['own-rule']);
  assert.deepEqual(idsOf({ ...same, forAll: undefined }), []);
  assert.deepEqual(idsOf({ ...same, share: NAMES.share }), []);
});

test('a database connection that each request opens is predicted as the bottleneck, and not by its CPU', () => {
  const opening = { ...TLS, id: 'database-connection-per-request' };
  const idsOf = (/** @type {any} */ component) =>
    whatIf('database', { causes: [opening, NAMES], causesTogether: null }, {}, component).map(
      ({ causes }) => causes[0],
    );
  assert.deepEqual(idsOf('database-connection-per-request'), ['names']);
  assert.deepEqual(idsOf(null), ['database-connection-per-request', 'names']);
});

test('what others use of a full machine says nothing about the CPU of the workers', () => {
  const [item] = whatIf('unknown', {}, { workers: {}, why: 'background-load' });
  assert.ok(item);
  assert.deepEqual(item.condition, { id: 'bottleneck', bottleneck: 'unknown' });
  assert.equal(item.capacityPerSec, null);
});

const OTHERS = 'none database external-call slots pool lock imbalance quota generator'.split(' ');
for (const id of [...OTHERS, 'unknown']) {
  test(`no throughput is promised when the bottleneck is ${id}, and that is the reason`, () => {
    for (const item of whatIf(id, {}, id === 'unknown' ? { workers: {} } : {})) {
      assert.equal(item.capacityPerSec, null);
      assert.equal(item.gain, null);
      // Where the workers are known, an unknown bottleneck is not their CPU.
      const bottleneck = id === 'unknown' ? 'none' : id;
      assert.deepEqual(item.condition, { id: 'bottleneck', bottleneck });
    }
  });
}

test('without a load test, or without CPU time, nothing is promised', () => {
  const cases = [whatIf(null), whatIf('unknown'), whatIf('workers', { cores: [null] })];
  assert.deepEqual(
    cases.map(([item]) => [item?.gain, item?.condition]),
    [
      [null, { id: 'bottleneck', bottleneck: 'unknown' }],
      [null, { id: 'bottleneck', bottleneck: 'unknown' }],
      [null, { id: 'no-cpu-time', bottleneck: 'workers' }],
    ],
  );
});

test('from hardly any gain to nearly twice as many requests is no prediction', () => {
  const share = { value: 0.06, low: 0.03, high: 0.4 };
  const vague = whatIf('workers', { causes: [{ ...TLS, share }], causesTogether: null });
  const { gain, capacityPerSec, capacityAfterPerSec, condition } = vague[0] ?? assert.fail();
  assert.deepEqual([gain, capacityPerSec, capacityAfterPerSec], [null, null, null]);
  assert.deepEqual(condition, { id: 'vague', bottleneck: 'workers' });
  const narrower = { ...TLS, share: { ...share, high: 0.3 } };
  assert.ok(whatIf('workers', { causes: [narrower], causesTogether: null })[0]?.gain);
});

test('CPU-bound workers on a full machine are an upper bound beside what else runs there', () => {
  const [item] = whatIf('machine');
  assert.ok(item?.gain);
  assert.deepEqual(item.condition, { id: 'full-machine', bottleneck: 'machine' });
});

test('workers beyond the cores of the machine add nothing to what it can serve', () => {
  const { cpu } = makeRecorded({ cores: [0.9, 0.9, 0.9], cpuMs: 10 });
  assert.equal(findCapacity({ run: makeRunInfo(2), cpu, timeline: null })?.value, 200);
});

test('capacity has the interval of CPU time per request over the windows', () => {
  const timeline = makeTimeline({ lengthSec: 20, rssBytes: [() => 1, () => 1] });
  timeline.workers[0].cpuMs = timeline.workers[0].cpuMs.map(
    (/** @type {number} */ n, /** @type {number} */ index) => n + (index % 2) * 40,
  );
  const capacityAt = (/** @type {number} */ each) =>
    findCapacity({
      run: makeRunInfo(),
      cpu: makeRecorded({ cores: [each, each], cpuMs: 21 }).cpu,
      timeline,
    });
  const capacity = capacityAt(1);
  assert.ok(capacity?.low && capacity.high);
  assert.ok(capacity.low < capacity.value && capacity.value < capacity.high);
  assert.ok((capacity.high - capacity.low) / capacity.value < 0.1);
  // with 1.4 cores each, the idle ones may be used by C code as well
  assert.deepEqual(
    [capacityAt(1.4)?.high, (capacityAt(1.4)?.low ?? 0) > capacity.high],
    [null, true],
  );
});

test('cores beyond one a worker stay at the high end of a gain, and go with the cause at the low end', () => {
  // two workers at 1.5 cores: what ran beside Python may have been the TLS context's C code
  const [, tls, names] = whatIf('workers', { cores: [1.5, 1.5] });
  const near = (/** @type {number | null | undefined} */ a, /** @type {number} */ b) =>
    assert.ok(Math.abs((a ?? Number.NaN) - b) < 1e-9, `${a} is not ${b}`);
  near(tls?.gain?.high, 1 / (0.35 * (1 - 0.5 * 0.65)) - 1);
  near(tls?.gain?.low, 1 / (1 - 0.55 * 0.9) / 1.5 - 1);
  near(tls?.gain?.value, ((1 / (1 - 0.6)) * (1.5 - 0.6 * 0.5)) / 1.5 - 1);
  // a small cause can not have had all of it, and taking it away never costs throughput
  near(names?.gain?.low, 0);
});
