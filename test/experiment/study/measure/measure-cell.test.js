import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { measureCell } from '../../../../lib/experiment/study/measure/measure-cell.js';
import { runFiles } from '../../../../lib/run/run-folder.js';
import { makeRun, writeRun } from '../../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

/** @typedef {import('../../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticRun} SyntheticRun */
/** @typedef {import('../../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticSpec} SyntheticSpec */

const START = 1_795_211_100_000;
/** The plateau of `PHASES`. */
const FROM = START + 3000;
const TO = START + 13_000;
const PHASES = [
  { name: 'warm-up', durationSec: 3 },
  { name: 'measured', durationSec: 10, factor: 2 },
];

/** @param {SyntheticSpec} [spec] */
const makeCell = spec => makeRun({ phases: PHASES, profile: false, ...spec });

/**
 * @param {import('node:test').TestContext} t
 * @param {SyntheticRun} run
 * @param {Record<string, any>[]} [probes]
 */
function write(t, run, probes = []) {
  const folder = writeRun(makeTempFolder(t), run);
  const lines = probes.map(line => `${JSON.stringify(line)}\n`);
  writeFileSync(runFiles(folder).probes, lines.join(''));
  return folder;
}

/** Records of the seconds of the plateau. @param {SyntheticRun} run */
const secondsOf = run =>
  run.metrics.filter(({ kind, fromMs }) => kind === 'second' && fromMs >= FROM && fromMs < TO);

/** @param {SyntheticRun} run @param {string} name */
const count = (run, name) =>
  secondsOf(run).reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0);

test('everything is of the plateau, and the warm-up counts nowhere', async t => {
  const run = makeCell();
  const cell = await measureCell(write(t, run), { componentsMost: { workers: 2 } });
  assert.deepEqual(cell.window, { startMs: FROM, endMs: TO });
  assert.equal(cell.seconds, 10);
  assert.equal(cell.requests, count(run, 'http.requests'));
  assert.equal(cell.good, count(run, 'http.codes.200'));
  assert.equal(cell.throughputPerSec, cell.good / 10);
  assert.equal(cell.dispatchPerSec, cell.throughputPerSec);
  // Twice the 30 requests/s of a synthetic run, with 10 ms of CPU each.
  assert.ok(Math.abs(cell.throughputPerSec - 60) < 8, `${cell.throughputPerSec}/s`);
  const [workers, master] = cell.components;
  assert.ok(Math.abs((workers?.cores ?? 0) - cell.throughputPerSec * 0.01) < 0.06);
  assert.equal(workers?.mostCores, 2);
  assert.deepEqual(workers?.processes, { mean: 2, max: 2 });
  assert.equal(workers?.threads, 10);
  assert.ok((workers?.busiestCores ?? 0) < (workers?.cores ?? 0));
  assert.equal(master?.name, 'master');
  assert.ok(Math.abs((cell.host?.cores ?? 0) - (workers?.cores ?? 0)) < 0.5);
  assert.ok(Math.abs((cell.generator.cores ?? 0) - 0.2) < 0.02);
  assert.deepEqual(cell.generator.signs, []);
});

test('percentiles are those of all responses of the plateau', async t => {
  const latencyMs = { median: 40, sigma: 0.5 };
  const endpoints = [{ name: 'GET /', ratePerSec: 200, cpuMs: { business: 1 }, latencyMs }];
  const cell = await measureCell(write(t, makeCell({ endpoints })));
  const { latency } = cell;
  assert.equal(latency?.count, cell.good);
  const off = (/** @type {number} */ value, /** @type {number} */ truth) =>
    Math.abs(value / truth - 1);
  assert.ok(off(latency?.p50Ms ?? 0, 40) < 0.05, `${latency?.p50Ms}`);
  assert.ok(off(latency?.p95Ms ?? 0, 40 * Math.exp(0.5 * 1.645)) < 0.07, `${latency?.p95Ms}`);
  // Little's law
  const expected = (cell.throughputPerSec * (latency?.meanMs ?? 0)) / 1000;
  assert.ok(off(cell.inFlightMean ?? 0, expected) < 1e-9);
});

test('counts errors once, by name', async t => {
  const endpoints = [
    { name: 'GET /a', ratePerSec: 40, cpuMs: { business: 1 }, errorShare: 0.2, status: 503 },
    {
      name: 'GET /b',
      ratePerSec: 40,
      cpuMs: { business: 1 },
      errorShare: 0.1,
      status: 'ETIMEDOUT',
    },
  ];
  const run = makeCell({ endpoints });
  const refused = count(run, 'http.codes.503');
  const silent = count(run, 'errors.ETIMEDOUT');
  const cell = await measureCell(write(t, run));
  assert.ok(refused > 0 && silent > 0);
  assert.equal(cell.errors, refused + silent);
  assert.equal(cell.good, count(run, 'http.codes.200'));
  assert.equal(cell.latency?.count, cell.good + refused);
  assert.equal(cell.requests, cell.good + cell.errors);
  assert.deepEqual(cell.errorNames, [
    { name: 'HTTP 503', count: refused },
    { name: 'ETIMEDOUT', count: silent },
  ]);
});

test('counts open arrivals that were skipped', async t => {
  const run = makeCell({ model: 'open', generator: { skippedPerSec: 3, lagMs: 25 } });
  const { users, generator } = await measureCell(write(t, run));
  assert.equal(users.skipped, 30);
  assert.deepEqual(
    generator.signs.map(({ id, isLimit }) => [id, isLimit]),
    [['late', true]],
  );
});

test('a generator that is busy in a plateau of three seconds is the limit: the warm-up has passed', async t => {
  const phases = [
    { name: 'warm-up', durationSec: 2 },
    { name: 'measured', durationSec: 3 },
  ];
  const run = makeCell({ phases, generator: { utilization: 0.97 } });
  const { generator } = await measureCell(write(t, run));
  assert.deepEqual(
    generator.signs.map(({ id, seconds, ofSeconds }) => [id, seconds, ofSeconds]),
    [['busy', 3, 3]],
  );
});

test('seconds that are only partly in the plateau are left out', async t => {
  const run = makeCell();
  for (const record of run.metrics) {
    if (record.kind === 'phase-start' && record.name === 'measured') record.t += 20;
    if (record.kind === 'phase-end' && record.name === 'measured') record.t += 20;
  }
  const { window } = await measureCell(write(t, run));
  assert.deepEqual(window, { startMs: FROM + 1000, endMs: TO });
});

test('measures a shortened plateau up to its end', async t => {
  const run = makeCell();
  const untilMs = FROM + 6000;
  const isKept = (/** @type {Record<string, any>} */ { kind, fromMs, name }) =>
    kind === 'load-start' ||
    kind === 'phase-start' ||
    (kind === 'phase-end' && name === 'warm-up') ||
    fromMs < untilMs;
  run.metrics = run.metrics.filter(isKept);
  const cell = await measureCell(write(t, run));
  assert.deepEqual(cell.window, { startMs: FROM, endMs: untilMs });
  assert.equal(cell.seconds, 6);
});

test('without a whole second of plateau, or without a request in it, there is nothing to measure', async t => {
  const none = makeCell({ phases: [{ name: 'warm-up', durationSec: 3 }] });
  await assert.rejects(measureCell(write(t, none)), { code: 'STUDY_CELL_EMPTY' });
  const idle = makeCell();
  for (const second of secondsOf(idle)) Object.assign(second, { counters: {}, endpoints: {} });
  await assert.rejects(measureCell(write(t, idle)), { code: 'STUDY_CELL_EMPTY' });
});

test("throughput may be how fast a probe's counter rises, whatever polls are missing", async t => {
  // 25 a second, polled twice a second, but not for three seconds in the middle.
  const probes = Array.from({ length: 30 }, (_, n) => ({
    t: START + 137 + n * 500,
    kind: 'probe',
    name: 'tasks',
    tookMs: 3,
    values: { completed: 1000 + 25 * (n * 0.5), queued: n % 7 },
  })).filter(({ t: at }) => at < FROM + 4000 || at > FROM + 7000);
  const folder = write(t, makeCell(), probes);
  const throughput = { probe: 'tasks', field: 'completed' };
  const cell = await measureCell(folder, { throughput });
  assert.ok(Math.abs(cell.throughputPerSec - 25) < 1e-9);
  assert.ok(cell.dispatchPerSec > 50, 'answers are told beside it');
  const { completed = [], queued = [] } = cell.probes.tasks ?? {};
  assert.equal(completed.length, queued.length);
  assert.ok(completed.every(({ t: at }) => at >= FROM && at <= TO));

  const missing = { probe: 'tasks', field: 'finished' };
  await assert.rejects(measureCell(folder, { throughput: missing }), {
    code: 'STUDY_PROBE_SILENT',
  });
});

test('a backend without responses counts as 0 if BACKENDS includes it', async t => {
  const run = makeCell({ stickyCookies: true, backends: [{ id: 'a', weight: 1 }] });
  const { shares } = await measureCell(write(t, run));
  assert.equal(
    shares.find(({ of }) => of === 'backends'),
    undefined,
  );
  run.manifest.settings.push({ name: 'BACKENDS', value: '3', source: 'study' });
  const [only, ...silent] =
    (await measureCell(write(t, run))).shares.find(({ of }) => of === 'backends')?.counts ?? [];
  assert.ok((only ?? 0) > 0);
  assert.deepEqual(silent, [0, 0]);
});

test('shares count responses per worker and instance, and scenarios per user', async t => {
  const run = makeCell({
    companion: true,
    stickyCookies: true,
    backends: [
      { id: 'a', weight: 3 },
      { id: 'b', weight: 1 },
    ],
  });
  const at = run.metrics.findIndex(({ kind, name }) => kind === 'phase-end' && name === 'measured');
  const users = { t: TO, kind: 'users', name: 'measured', index: 1 };
  run.metrics.splice(
    at,
    0,
    { ...users, t: FROM, name: 'warm-up', index: 0, worker: 1, ended: [9, 9] },
    { ...users, worker: 1, ended: [5, 7] },
    { ...users, worker: 2, ended: [4, 9], failed: [0, 8] },
  );
  const { shares } = await measureCell(write(t, run));
  const of = (/** @type {string} */ name) => shares.find(share => share.of === name);
  assert.deepEqual(of('users'), { of: 'users', unit: 'scenarios', counts: [5, 7, 4, 1] });
  assert.equal(of('backends')?.unit, 'answers');
  const [most = 0, least = 0] = of('backends')?.counts ?? [];
  assert.ok(most > 2 * least, `${most} and ${least}`);
  assert.equal(of('workers')?.unit, 'answers');
});
