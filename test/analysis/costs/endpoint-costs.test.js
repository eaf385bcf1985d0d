import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../../lib/analysis/build-report.js';
import { selectSamples } from '../../../lib/sample-table/select.js';
import { unpackSampleTable } from '../../../lib/sample-table/unpack.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @typedef {import('../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticSpec} SyntheticSpec */

/** @type {import('../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticEndpoint[]} */
const ENDPOINTS = [
  {
    name: 'GET /api/v1/citizens/',
    view: 'list_citizens',
    file: 'api/citizens.py',
    ratePerSec: 20,
    cpuMs: { 'auth:local': 2, business: 4, 'database:load': 10 },
  },
  {
    name: 'GET /api/v1/services/',
    view: 'list_services',
    file: 'api/lookups.py',
    ratePerSec: 60,
    cpuMs: { 'auth:local': 2, business: 1, 'database:execute': 2, serialization: 1 },
  },
  {
    name: 'POST /api/v1/appointments/',
    view: 'create_appointment',
    file: 'api/appointments.py',
    ratePerSec: 30,
    cpuMs: { 'auth:local': 2, business: 2, 'database:execute': 5 },
  },
];

/** @param {import('node:test').TestContext} t @param {SyntheticSpec} spec */
async function analyse(t, spec) {
  const run = makeRun({ durationSec: 60, rateHz: 100, endpoints: ENDPOINTS, ...spec });
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  const { costs, profile, timeline } = report;
  assert.ok(costs && profile && timeline);
  return { report, costs, profile, timeline, truth: run.truth };
}

/** @param {{value: number, low: number | null, high: number | null} | null | undefined} estimate */
const widthOf = estimate => ((estimate?.high ?? 0) - (estimate?.low ?? 0)) / (estimate?.value ?? 1);

// Without the companion the interval holds what looks from another core do to a share, too (docs/sampling.md).
for (const [title, companion, basis, tolerance, widest] of /** @type {const} */ ([
  ['the route on the stack', true, 'companion', 0.1, 0.6],
  ["the view's name", false, 'name', 0.2, 0.7],
]))
  test(`a request costs what it cost in truth, told by ${title}`, async t => {
    const { costs, truth, profile } = await analyse(t, { companion });
    assert.equal(costs.basis, basis);
    assert.deepEqual(
      costs.endpoints.map(({ name, loadEndpoint, basis: own }) => [name, loadEndpoint, own]),
      ENDPOINTS.map(({ name }) => [name, name, basis]).toSorted(
        ([a = ''], [b = '']) => (truth.cpuMsPerRequest[b] ?? 0) - (truth.cpuMsPerRequest[a] ?? 0),
      ),
      'the most expensive first',
    );
    for (const { name, cpuMsPerRequest, samples, requests, byCategory } of costs.endpoints) {
      assert.ok(samples >= 300, `${name}: ${samples} samples`);
      assert.equal(requests, truth.requests[name]);
      const off = (cpuMsPerRequest?.value ?? 0) / (truth.cpuMsPerRequest[name] ?? 1) - 1;
      assert.ok(Math.abs(off) <= tolerance, `${name}: ${off}`);
      assert.ok(widthOf(cpuMsPerRequest) > 0.02 && widthOf(cpuMsPerRequest) < widest);
      for (const { category, cpuMsPerRequest: own } of byCategory.slice(0, 2)) {
        const meant = truth.byCategory[name]?.[category] ?? 0;
        assert.ok(
          Math.abs((own ?? 0) - meant) < 1 + 0.2 * meant,
          `${name} ${category}: ${own}, meant ${meant}`,
        );
      }
      assert.ok(Math.abs(byCategory.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-9);
    }
    const counts = selectSamples(await unpackSampleTable(profile.table));
    assert.deepEqual(
      [...counts.endpoints],
      costs.endpoints.map(({ samples }) => samples),
    );
    assert.equal(counts.unattributed, costs.unattributed?.samples);
    assert.equal(counts.total, profile.samples.active);
    const shares = costs.endpoints.reduce((sum, { shareOfCpu }) => sum + shareOfCpu.value, 0);
    assert.ok(Math.abs(shares + (costs.unattributed?.share ?? Number.NaN) - 1) < 1e-9);
  });

test('with the companion, windows are seconds, and what it measured is the figure', async t => {
  const { costs, timeline, truth, profile } = await analyse(t, { companion: true });
  assert.equal(timeline.basis, 'seconds');
  assert.deepEqual(profile.table.edgesMs, timeline.edgesMs);
  for (const [index, { name, isMeasured, cpuMsPerRequest }] of costs.endpoints.entries()) {
    const meant = truth.cpuMsPerRequest[name] ?? 0;
    const { value = 0 } = cpuMsPerRequest ?? {};
    assert.ok(isMeasured && Math.abs(value / meant - 1) < 0.1, `${name} ${value}`);
    assert.ok((costs.endpoints[index]?.serverMsPerRequest ?? 0) >= value);
    const own = timeline.load?.endpoints.find(endpoint => endpoint.name === name)?.measured;
    const [cpuMs = 0, answers = 0] = [own?.cpuMs, own?.answers].map(values =>
      values?.reduce((sum, n) => sum + n, 0),
    );
    assert.equal(answers, truth.requests[name]);
    assert.ok(Math.abs(cpuMs / answers - value) < 1e-9);
  }
});

test('without the companion, windows are segments; a load second is in one of them', async t => {
  const { timeline, report, costs } = await analyse(t, { companion: false });
  assert.equal(timeline.basis, 'segments');
  const requests = timeline.load?.requests.reduce((sum, n) => sum + n, 0);
  assert.equal(requests, report.load?.http.requests);
  assert.equal(costs.tying.views.byName, 3);
  assert.ok(costs.endpoints.every(({ isMeasured }) => !isMeasured));
  assert.ok(timeline.load?.endpoints.every(({ measured }) => measured === null));
});

test('views whose names say nothing are tied by how their CPU follows the rates, or stay views', async t => {
  const spec = {
    companion: false,
    durationSec: 120,
    segmentMs: 2000,
    phases: [1, 3, 1, 2, 3, 1].map((factor, index) => ({
      name: `p${index}`,
      durationSec: 20,
      factor,
    })),
  };
  const nameless = ENDPOINTS.slice(0, 2).map((endpoint, index) => ({
    ...endpoint,
    view: `handle_${index}`,
    file: 'api/main.py',
  }));
  const { costs, truth } = await analyse(t, { ...spec, endpoints: nameless });
  assert.equal(costs.basis, 'least-squares');
  assert.equal(costs.tying.views.byRate, 2);
  for (const { name, cpuMsPerRequest, views } of costs.endpoints) {
    const index = nameless.findIndex(endpoint => endpoint.name === name);
    assert.deepEqual(
      views.map(view => view.function),
      [`handle_${index}`],
    );
    const off = (cpuMsPerRequest?.value ?? 0) / (truth.cpuMsPerRequest[name] ?? 1) - 1;
    assert.ok(Math.abs(off) <= 0.2, `${name}: ${off}`);
  }
  const short = await analyse(t, { companion: false, durationSec: 20, endpoints: nameless });
  assert.equal(short.costs.basis, 'view');
  assert.deepEqual(
    short.costs.endpoints.map(({ name, cpuMsPerRequest }) => [name, cpuMsPerRequest]).toSorted(),
    [
      ['handle_0 (api/main.py)', null],
      ['handle_1 (api/main.py)', null],
    ],
  );
  assert.equal(short.costs.tying.views.untied, 2);
});

for (const companion of [true, false])
  test(`what the server does around the application is the requests’ ${companion ? 'where nothing was measured' : 'without the companion'}`, async t => {
    /** @type {import('../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticEndpoint[]} */
    const endpoints = [
      { name: 'GET /light/', ratePerSec: 60, cpuMs: { server: 1.5, business: 0.5 } },
      { name: 'GET /dear/', ratePerSec: 10, cpuMs: { server: 1.5, 'database:load': 18.5 } },
    ];
    const run = makeRun({
      ...{ durationSec: 60, rateHz: 100, endpoints, companion },
      background: { 'dev:reloader': 60 },
    });
    for (const record of run.metrics)
      for (const part of Object.values(record.endpoints ?? {}))
        if (part.server) part.server.cpuMs = null;
    const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
    for (const { name, isMeasured, cpuMsPerRequest } of report.costs?.endpoints ?? []) {
      assert.equal(isMeasured, false);
      const off = (cpuMsPerRequest?.value ?? 0) / (run.truth.cpuMsPerRequest[name] ?? 0) - 1;
      assert.ok(Math.abs(off) < 0.2, `${name}: ${off}`);
    }
    const nobody = report.costs?.unattributed?.share ?? 0;
    const trueRest = run.truth.categoryShares['dev-tools'] ?? 0;
    assert.ok(Math.abs(nobody - trueRest) < 0.03, `${nobody}: the reloader is of no request`);
  });
