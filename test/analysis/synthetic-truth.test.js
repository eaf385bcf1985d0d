import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { WORKS } from '../helpers/synthetic-run/works.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @param {import('node:test').TestContext} t @param {import('../helpers/synthetic-run/synthetic-run.d.ts').SyntheticSpec} spec */
async function analyse(t, spec) {
  const run = makeRun(spec);
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  assert.ok(report.cpu && report.profile && report.load);
  return { truth: run.truth, report, cpu: report.cpu, profile: report.profile, load: report.load };
}

test('a CPU split of 40 to 60 is found, with an interval that holds it', async t => {
  const { cpu, profile, truth } = await analyse(t, {
    durationSec: 40,
    endpoints: [
      { name: 'GET /a/', ratePerSec: 100, cpuMs: { 'auth:local': 4, 'database:execute': 6 } },
    ],
  });
  for (const [id, share] of [
    ['auth', 0.4],
    ['database', 0.6],
  ]) {
    const found = profile.categories.find(category => category.id === id);
    assert.ok(found, `${id} is there`);
    const { low, high } = found.share;
    assert.ok(
      Number(low) <= Number(share) && Number(share) <= Number(high),
      `${id}: ${low} … ${high}`,
    );
  }
  const cost = cpu.perRequest?.value ?? 0;
  assert.ok(Math.abs(cost - 10) < 0.5, `${cost} ms per request`);
  assert.ok(Math.abs(truth.workersCpuMs / 40_000 - 1) < 0.1, `${truth.workersCpuMs} ms of CPU`);
});

test('each kind of work is of its category, and evidence of its cause', async t => {
  for (const [work, { category, cause, place }] of Object.entries(WORKS)) {
    const { profile } = await analyse(t, {
      durationSec: 10,
      endpoints: [
        {
          name: 'GET /a/',
          ratePerSec: 50,
          cpuMs: place === 'thread' ? { business: 1 } : { [work]: 20 },
        },
      ],
      ...(place === 'thread' && { background: { [work]: 500 } }),
    });
    const [first] = profile.categories;
    assert.equal(first?.id, category, work);
    const causes = profile.causes.map(({ id }) => id);
    if (cause) assert.ok(causes.includes(cause), `${work}: ${causes}`);
    else assert.deepEqual(causes, [], work);
  }
});

test('requests, errors and response times equal the input', async t => {
  const { load, truth } = await analyse(t, {
    durationSec: 30,
    endpoints: [
      {
        name: 'GET /a/',
        ratePerSec: 200,
        cpuMs: { business: 2 },
        latencyMs: { median: 50, sigma: 0.4 },
        errorShare: 0.05,
      },
    ],
  });
  assert.equal(load.http.requests, truth.requests['GET /a/']);
  assert.ok(Math.abs(load.http.errorRate - 0.05) < 0.02, `${load.http.errorRate}`);
  const times = load.http.totalTime;
  assert.ok(times);
  assert.ok(Math.abs(times.p50Ms / 50 - 1) < 0.05, `p50 ${times.p50Ms}`);
  const p95 = 50 * Math.exp(1.645 * 0.4);
  assert.ok(Math.abs((times.p95Ms ?? 0) / p95 - 1) < 0.08, `p95 ${times.p95Ms}, meant ${p95}`);
});

test('saturated workers serve no more than they can, and all users wait', async t => {
  const { cpu, load, truth } = await analyse(t, {
    durationSec: 30,
    workers: 2,
    users: 40,
    endpoints: [{ name: 'GET /a/', ratePerSec: 400, cpuMs: { business: 10 } }],
  });
  assert.equal(truth.saturatedBy, 'cpu');
  assert.ok(Math.abs(load.http.meanRatePerSec / truth.capacityPerSec - 1) < 0.05);
  for (const { cores } of cpu.workers) assert.ok((cores ?? 0) > 0.9, `${cores} cores`);
  assert.ok((load.http.totalTime?.p50Ms ?? 0) > 150, 'queueing');
});

test('a worker that is replaced, growing memory and a burst of errors are in the records', async t => {
  const { cpu, load } = await analyse(t, {
    durationSec: 20,
    restarts: [{ atSec: 10, worker: 1 }],
    memory: { startBytes: 100e6, bytesPerSec: 2e6 },
    errorBursts: [{ fromSec: 5, lengthSec: 3, share: 0.8, status: 503 }],
  });
  assert.equal(cpu.workers.length, 3);
  assert.equal(cpu.workerRestarts, 1);
  assert.ok((cpu.workers[0]?.rssBytesMax ?? 0) > 135e6);
  assert.ok((cpu.workers[1]?.rssBytesMax ?? 0) < 125e6);
  const failing = load.seconds
    .filter(({ errors }) => errors > 0)
    .map((_, i, all) => all[i]?.startMs);
  assert.ok(failing.length >= 2 && failing.length <= 3, `${failing}`);
  assert.equal(load.errorSamples[0]?.code, '503');
});

test('the same seed makes the same run, another seed another', t => {
  const texts = [1, 1, 2].map(seed => {
    const folder = writeRun(makeTempFolder(t), makeRun({ seed, durationSec: 5, companion: true }));
    return readFileSync(path.join(folder, 'profile/segment-00001.raw'), 'utf8');
  });
  assert.equal(texts[0], texts[1]);
  assert.notEqual(texts[0], texts[2]);
  assert.match(
    texts[0] ?? '',
    /;GET \/api\/v1\/services\/ \(<loadflame route>\);\d+ \(<loadflame time>\);/,
  );
});
