import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../../lib/analysis/analyse-run.js';
import { unpackSampleTable } from '../../../lib/analysis/sample-table/unpack.js';
import { compute, makeModel } from '../../../lib/report/page/compute/compute.js';
import { createStore } from '../../../lib/report/page/state.js';
import { wordReport } from '../../../lib/text/index.js';
import { fullReport } from '../../fixtures/reports/reports.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @param {import('node:test').TestContext} t @param {number} samplesPerCpu of the endpoint that sleeps */
async function openModel(t, samplesPerCpu) {
  const run = makeRun({
    seed: 5,
    durationSec: 30,
    companion: true,
    endpoints: [
      { name: 'GET /dear/', ratePerSec: 20, cpuMs: { 'auth:local': 2, 'database:load': 18 } },
      { name: 'GET /sleep/', ratePerSec: 20, cpuMs: { business: 0.8 }, samplesPerCpu },
      { name: 'GET /other/', ratePerSec: 20, cpuMs: { business: 4 } },
    ],
  });
  // one that was not measured
  for (const { endpoints } of run.metrics) delete endpoints?.['GET /other/']?.server;
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  const model = makeModel(wordReport(report));
  assert.ok(report.profile);
  model.samples = await unpackSampleTable(report.profile.table);
  return { model, truth: run.truth };
}

const ALL = createStore({}).get();

test('with everything selected, the costs of endpoints are those of the whole run', async t => {
  for (const samplesPerCpu of [15, 0]) {
    const { model } = await openModel(t, samplesPerCpu);
    const whole = compute(model, ALL);
    assert.ok(whole.isWhole);
    const windows = { from: 0, to: model.windowCount };
    for (const state of [{ windows }, { endpoints: ['GET /dear/'] }]) {
      const all = compute(model, { ...ALL, ...state });
      assert.ok(!all.isWhole);
      for (const [
        index,
        { name, cpuMsPerRequest, shareOfCpu, isMeasured },
      ] of all.endpoints.entries()) {
        const own = whole.endpoints[index];
        assert.equal(isMeasured, name !== 'GET /other/');
        // what the system counted for the workers is of whole seconds here
        for (const [told, expected] of [
          [cpuMsPerRequest, own?.cpuMsPerRequest],
          [shareOfCpu, own?.shareOfCpu],
        ])
          assert.ok(
            Math.abs((told?.value ?? 0) / (expected?.value ?? 1) - 1) < 0.01,
            `${samplesPerCpu} ${name}: ${told?.value}, whole ${expected?.value}`,
          );
        if (isMeasured) assert.deepEqual(cpuMsPerRequest, own?.cpuMsPerRequest, name);
      }
    }
  }
});

test('in a time range, an endpoint that sleeps has the cost measured by its threads', async t => {
  const { model } = await openModel(t, 15);
  const { endpoints } = compute(model, { ...ALL, windows: { from: 5, to: 9 } });
  const row = endpoints.find(({ name }) => name === 'GET /sleep/');
  assert.ok(Math.abs((row?.cpuMsPerRequest?.value ?? 0) / 0.8 - 1) < 0.3);
  assert.equal(row?.cpuMsPerRequest?.low, null, 'four seconds are too few');
  assert.ok(endpoints.reduce((sum, own) => sum + (own.shareOfCpu?.value ?? 0), 0) < 1.001);
});

test('for one worker, endpoints get their samples, weighted as in the whole run', async t => {
  const { model } = await openModel(t, 15);
  const pid = model.report.cpu?.workers[0]?.pid ?? 0;
  const whole = compute(model, ALL).endpoints;
  for (const [index, row] of compute(model, { ...ALL, workers: [pid] }).endpoints.entries()) {
    assert.equal(row.cpuMsPerRequest, null);
    const expected = whole[index]?.shareOfCpu?.value ?? 0;
    assert.ok(Math.abs((row.shareOfCpu?.value ?? 0) / expected - 1) < 0.3, row.name);
  }
});

test('without a profile, the costs in a time range are those measured in it', async t => {
  const run = makeRun({ seed: 5, durationSec: 30, companion: true, profile: false });
  const name = 'GET /api/v1/services/';
  const seconds = run.metrics.filter(({ kind }) => kind === 'second');
  for (const { endpoints } of seconds.slice(0, 10)) endpoints[name].server.cpuMs *= 3;
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  const model = makeModel(wordReport(report));
  const rowOf = (/** @type {{from: number, to: number} | null} */ windows) =>
    compute(model, { ...ALL, windows }).endpoints.find(row => row.name === name);
  const cost = (/** @type {{from: number, to: number} | null} */ windows) =>
    rowOf(windows)?.cpuMsPerRequest?.value ?? 0;
  const last = cost({ from: 12, to: 30 });
  assert.ok(Math.abs(cost({ from: 0, to: 9 }) / last - 3) < 0.5, `${cost({ from: 0, to: 9 })}`);
  const { value = 0 } =
    report.costs?.endpoints.find(row => row.name === name)?.cpuMsPerRequest ?? {};
  assert.equal(cost(null), value);
  const share = report.costs?.endpoints.find(row => row.name === name)?.shareOfCpu;
  assert.ok(share);
  assert.deepEqual(rowOf({ from: 0, to: model.windowCount })?.shareOfCpu, share);
  assert.equal(rowOf({ from: 0, to: 9 })?.shareOfCpu, null, 'that of the whole run is another');
});

test('samples without times belong to no time range', async () => {
  const { timeline, profile, ...report } = wordReport(fullReport());
  assert.ok(timeline && profile);
  const table = { ...profile.table, edgesMs: null };
  const model = makeModel({ ...report, timeline, profile: { ...profile, table } });
  const { rows, ...samples } = await unpackSampleTable(profile.table);
  const start = rows.start.slice(0, table.workers.length + 1);
  model.samples = { ...samples, rows: { ...rows, start }, table, windowCount: 1 };
  assert.ok((compute(model, ALL).counts?.total ?? 0) > 0);
  for (const windows of [
    { from: 0, to: 2 },
    { from: 3, to: 5 },
  ])
    assert.equal(compute(model, { ...ALL, windows }).counts?.total, 0);
});
