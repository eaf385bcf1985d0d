/** A server that was recorded without stacks: reports the counts of the operating system as with them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { withoutStacks } from '../helpers/synthetic-run/without-stacks.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @type {import('../helpers/synthetic-run/synthetic-run.d.ts').SyntheticSpec} */
const FULL = {
  companion: true,
  durationSec: 20,
  workers: 2,
  users: 40,
  endpoints: [
    { name: 'GET /a', view: 'a', ratePerSec: 200, cpuMs: { 'auth:local': 4, business: 6 } },
    { name: 'GET /b', view: 'b', ratePerSec: 100, cpuMs: { business: 15 } },
  ],
};

/** @param {import('node:test').TestContext} t @param {import('../helpers/synthetic-run/synthetic-run.d.ts').SyntheticRun} run */
async function analyse(t, run) {
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  return report;
}

test('CPU, bottleneck, capacity, costs and timeline are those of the run with stacks', async t => {
  const run = makeRun(FULL);
  const withStacks = await analyse(t, run);
  const report = await analyse(t, withoutStacks(run));
  assert.equal(report.profile, null);
  const cpuOf = (/** @type {typeof report} */ { cpu }) => ({
    ...cpu,
    ...{ samplesToCpu: null, pySpyCores: null },
    workers: cpu?.workers.map(worker => ({ ...worker, samples: null })),
  });
  assert.deepEqual(report.cpu, cpuOf(withStacks));
  assert.ok((report.cpu?.perRequest?.value ?? 0) > 8 && report.cpu?.basis === 'process-cpu');
  assert.equal(report.bottleneck?.id, 'gil', 'four threads a worker');
  assert.equal(report.bottleneck?.id, withStacks.bottleneck?.id);
  assert.deepEqual(report.bottleneck?.facts.workers?.cores, report.cpu?.cores);
  const capacityOf = (/** @type {typeof report} */ { findings }) =>
    findings.flatMap(({ id, facts }) => (id === 'capacity' ? facts.capacityPerSec.value : []));
  assert.deepEqual(capacityOf(report), capacityOf(withStacks));
  assert.deepEqual(report.balance, withStacks.balance);
  assert.deepEqual(report.timeline?.workers, withStacks.timeline?.workers);
  for (const { name, cpuMsPerRequest, shareOfCpu } of withStacks.costs?.endpoints ?? []) {
    const own = report.costs?.endpoints.find(one => one.name === name);
    assert.deepEqual(own?.cpuMsPerRequest, cpuMsPerRequest, name);
    assert.ok(Math.abs((own?.shareOfCpu.value ?? 0) - shareOfCpu.value) < 1e-9, name);
  }
});

test('without a load, reports the CPU of the workers and the lack of stacks', async t => {
  const run = withoutStacks(makeRun({ ...FULL, companion: false }));
  const { manifest } = run;
  const report = await analyse(t, {
    ...{ ...run, metrics: [], errors: [], tokens: [] },
    manifest: { ...manifest, kind: 'profile', target: null, script: null },
  });
  assert.equal(report.load, null);
  assert.equal(report.verdict.level, 'unknown');
  assert.equal(report.verdict.headline.id, 'no-stacks');
  assert.ok((report.timeline?.workers.length ?? 0) >= 2);
  assert.ok((report.timeline?.edgesMs.length ?? 0) > 15);
});

test('a load alone says nothing of the CPU of a server that was not recorded', async t => {
  const run = withoutStacks(makeRun(FULL));
  const { manifest, processes } = run;
  const report = await analyse(t, {
    ...{ ...run, segments: [] },
    processes: processes.filter(({ role, kind }) => kind === 'host' || role === 'generator'),
    manifest: { ...manifest, kind: 'load', profile: null },
  });
  assert.equal(report.cpu, null);
  assert.equal(report.bottleneck?.facts.host, null);
});
