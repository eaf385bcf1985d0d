import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../../../lib/analysis/analyse-run.js';
import { makeRun, writeRun } from '../../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

/** @typedef {import('../../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticSpec} Spec */
/** @typedef {import('../../../helpers/synthetic-run/synthetic-run.d.ts').WaitKind} WaitKind */

/** Findings that tell what a run is, and no trouble. */
const DESCRIBES = /^(hot-path\.|bottleneck\.none$)/;

/** @param {number} ratePerSec @param {Record<string, number>} cpuMs @param {Partial<Record<WaitKind, number>>} [waitMs] @returns {Spec['endpoints']} */
const one = (ratePerSec, cpuMs, waitMs = {}) => [{ name: 'GET /a/', ratePerSec, cpuMs, waitMs }];
/** @param {WaitKind} kind @returns {Spec} six users, who wait for that nearly all of the time */
const waiting = kind => ({
  durationSec: 30,
  users: 6,
  endpoints: one(28, { business: 5 }, { [kind]: 200 }),
});
const SHARED = { 'auth:introspect': 4, business: 6 };

/** @type {Spec} */
const FULL = { durationSec: 30, users: 20, threads: 1, cpus: 4, endpoints: one(400, SHARED) };
/** @param {number} sec */
const restartBoth = sec => [
  { atSec: sec, worker: 0 },
  { atSec: sec + 1, worker: 1 },
];

/** What a run is in truth, what must limit it, and every trouble that must be told: no other may be. @type {{title: string, spec: Spec, bottleneck: string, tells: string[]}[]} */
const TRUTHS = [
  { title: 'nothing at all', spec: { durationSec: 40 }, bottleneck: 'none', tells: [] },
  {
    title: 'workers at the end of their cores, others idle',
    spec: { durationSec: 30, users: 20, endpoints: one(400, SHARED) },
    bottleneck: 'gil',
    tells: ['cause.remote-introspection', 'bottleneck.gil', 'capacity'],
  },
  {
    title: 'workers of one thread that are full',
    spec: FULL,
    bottleneck: 'workers',
    tells: ['cause.remote-introspection', 'bottleneck.workers', 'capacity'],
  },
  {
    title: 'full workers that a limit of requests restarts over and over',
    spec: { ...FULL, waits: false, restarts: [6, 12, 18, 24].flatMap(sec => restartBoth(sec)) },
    bottleneck: 'workers',
    tells: ['cause.remote-introspection', 'bottleneck.workers', 'capacity', 'worker-restarts'],
  },
  {
    title: 'full workers, one of them reborn shortly before the end',
    spec: { ...FULL, companion: true, restarts: [{ atSec: 27, worker: 1 }] },
    bottleneck: 'workers',
    tells: ['cause.remote-introspection', 'bottleneck.workers', 'capacity', 'worker-restarts'],
  },
  {
    title: 'threads that all wait for the database, and users that wait for threads',
    spec: { durationSec: 30, users: 20, endpoints: one(100, { business: 5 }, { database: 200 }) },
    bottleneck: 'slots',
    tells: ['bottleneck.slots'],
  },
  {
    title: 'a slow database',
    spec: waiting('database'),
    bottleneck: 'database',
    tells: ['bottleneck.database'],
  },
  {
    title: 'a slow service that it calls',
    spec: waiting('external-call'),
    bottleneck: 'external-call',
    tells: ['bottleneck.external-call'],
  },
  {
    title: 'a pool without connections',
    spec: waiting('pool'),
    bottleneck: 'pool',
    tells: ['bottleneck.pool'],
  },
  {
    title: 'that requests wait for another thread',
    spec: waiting('lock'),
    bottleneck: 'consumer',
    tells: ['bottleneck.consumer'],
  },
  {
    title: 'one of two instances with nine of ten requests',
    spec: {
      durationSec: 30,
      users: 60,
      stickyCookies: true,
      backends: [
        { id: 'aaaa1111', weight: 9 },
        { id: 'bbbb2222', weight: 1 },
      ],
      endpoints: one(400, { business: 10 }),
    },
    bottleneck: 'imbalance',
    tells: ['imbalance.backends'],
  },
  {
    title: 'a worker that is full beside one that is idle',
    spec: {
      durationSec: 30,
      users: 20,
      workerWeights: [10, 1],
      endpoints: one(200, { business: 10 }),
    },
    bottleneck: 'imbalance',
    tells: ['imbalance.workers'],
  },
  {
    title: 'a load generator without a moment to spare',
    spec: { durationSec: 30, generator: { utilization: 0.97, cores: 0.96 } },
    bottleneck: 'generator',
    tells: ['generator-limit'],
  },
  {
    title: 'memory that grows by 60 MB a minute',
    spec: { durationSec: 90, memory: { bytesPerSec: 1e6 } },
    bottleneck: 'none',
    tells: ['memory-growth'],
  },
  {
    title: 'memory that grows fast in a short run, of which segments of the profiler are a handful',
    spec: { durationSec: 30, segmentMs: 5000, memory: { bytesPerSec: 4e6 } },
    bottleneck: 'none',
    tells: ['memory-growth'],
  },
  {
    title: 'memory that goes up and down by chance',
    spec: { durationSec: 90, memory: { bytesPerSec: 0 } },
    bottleneck: 'none',
    tells: [],
  },
  {
    title: 'a worker that was replaced',
    spec: { durationSec: 30, restarts: [{ atSec: 12, worker: 0 }] },
    bottleneck: 'none',
    tells: ['worker-restarts'],
  },
  {
    title: 'six seconds in which most requests failed',
    spec: {
      durationSec: 60,
      errorBursts: [{ fromSec: 20, lengthSec: 6, share: 0.7, status: 503 }],
    },
    bottleneck: 'none',
    tells: ['request-errors', 'error-burst.1'],
  },
  {
    title: 'an auto-reloader in the workers',
    spec: { durationSec: 30, background: { 'dev:reloader': 60 } },
    bottleneck: 'none',
    tells: ['cause.auto-reloader'],
  },
  {
    title: 'a ramp into the queue of the database, CPU idle',
    spec: {
      phases: [{ name: 'ramp', durationSec: 60, factor: 0.2, toFactor: 0.99 }],
      users: 60,
      endpoints: one(38, { business: 3 }, { database: 200 }),
    },
    bottleneck: 'database',
    tells: ['bottleneck.database'],
  },
  {
    title: 'a ramp that the API is far from filling',
    spec: { phases: [{ name: 'ramp', durationSec: 60, factor: 0.2, toFactor: 1 }] },
    bottleneck: 'none',
    tells: [],
  },
  {
    title: 'arrivals that found all users at work',
    spec: { durationSec: 30, model: 'open', generator: { skippedPerSec: 5 } },
    bottleneck: 'none',
    tells: ['dropped-arrivals'],
  },
];

for (const { title, spec, bottleneck, tells } of TRUTHS) {
  test(`the report finds ${title}, and no more`, async t => {
    const { report } = await analyseRun(writeRun(makeTempFolder(t), makeRun(spec)));
    assert.equal(report.bottleneck?.id, bottleneck, JSON.stringify(report.bottleneck));
    const found = report.findings
      .map(({ id, of }) => (of === null ? id : `${id}.${of}`))
      .filter(id => !DESCRIBES.test(id));
    assert.deepEqual(found.toSorted(), tells.toSorted());
  });
}

test('never reports "no bottleneck" if requests waited for a CPU quota', async t => {
  const run = makeRun({ durationSec: 30 });
  for (const { kind, t: at } of [...run.processes]) {
    if (kind !== 'host') continue;
    const periods = (at - run.truth.startMs + 10_000) / 100;
    const used = { throttled: periods * 0.05, throttledMs: periods, quotaCores: 2 };
    run.processes.push({
      t: at,
      kind: 'cgroup',
      roles: ['target'],
      path: '/a',
      periods,
      ...used,
    });
  }
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  assert.ok(report.findings.some(({ id }) => id === 'cpu-throttled'));
  assert.equal(report.bottleneck, null);
  assert.ok(report.verdict.points.every(({ id }) => id !== 'bottleneck'));
});

test('capacity now and without a cause hold what went in', async t => {
  const run = makeRun({ durationSec: 60, users: 20, endpoints: one(400, SHARED) });
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  const gain = report.whatIf.find(({ gain }) => gain !== null)?.gain;
  assert.ok(gain, 'a gain is estimated');
  // Without 4 of 10 ms: 10 / 6 − 1.
  assert.ok(Number(gain.low) <= 2 / 3 && 2 / 3 <= Number(gain.high), JSON.stringify(gain));
  const capacity = report.whatIf[0]?.capacityPerSec;
  assert.ok(capacity && Math.abs(capacity.value / 200 - 1) < 0.1, JSON.stringify(capacity));
});

test('CPU per request of each endpoint is found with the companion, by thread CPU', async t => {
  const run = makeRun({
    seed: 3,
    durationSec: 90,
    companion: true,
    endpoints: [
      { name: 'GET /cheap/', ratePerSec: 40, cpuMs: { 'auth:local': 2, business: 2 } },
      { name: 'GET /dear/', ratePerSec: 10, cpuMs: { 'auth:local': 2, 'database:load': 38 } },
    ],
  });
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  assert.equal(report.costs?.basis, 'companion');
  for (const [name, meant] of Object.entries(run.truth.cpuMsPerRequest)) {
    const cost = report.costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === name);
    const value = cost?.cpuMsPerRequest?.value ?? 0;
    assert.ok(Math.abs(value / meant - 1) < 0.15, `${name}: ${value} ms, meant ${meant}`);
    assert.ok(cost?.isMeasured);
  }
});
