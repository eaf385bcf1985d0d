import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../../../lib/analysis/analyse-run.js';
import { selectSamples } from '../../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../../lib/analysis/sample-table/unpack.js';
import { makeRun, writeRun } from '../../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

/** @typedef {import('../../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticSpec} SyntheticSpec */

/** @type {import('../../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticEndpoint[]} */
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

test('the route on the stack gives the true cost of a request', async t => {
  const { costs, truth, profile } = await analyse(t, { companion: true });
  assert.equal(costs.basis, 'companion');
  assert.deepEqual(
    costs.endpoints.map(({ name, loadEndpoint, basis }) => [name, loadEndpoint, basis]),
    ENDPOINTS.map(({ name }) => [name, name, 'companion']).toSorted(
      ([a = ''], [b = '']) => (truth.cpuMsPerRequest[b] ?? 0) - (truth.cpuMsPerRequest[a] ?? 0),
    ),
    'the most expensive first',
  );
  for (const { name, cpuMsPerRequest, samples, requests, byCategory } of costs.endpoints) {
    assert.ok(samples >= 300, `${name}: ${samples} samples`);
    assert.equal(requests, truth.requests[name]);
    const off = (cpuMsPerRequest?.value ?? 0) / (truth.cpuMsPerRequest[name] ?? 1) - 1;
    assert.ok(Math.abs(off) <= 0.1, `${name}: ${off}`);
    assert.ok(widthOf(cpuMsPerRequest) > 0.02 && widthOf(cpuMsPerRequest) < 0.6);
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

test('with the companion, windows are seconds and its measurements are the figures', async t => {
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

test('without the companion no endpoint has measured CPU', async t => {
  const { timeline, report, costs } = await analyse(t, { companion: false });
  assert.equal(timeline.basis, 'seconds');
  const requests = timeline.load?.requests.reduce((sum, n) => sum + n, 0);
  assert.equal(requests, report.load?.http.requests);
  assert.equal(costs.tying.views.untied, 3);
  assert.ok(costs.endpoints.every(({ isMeasured }) => !isMeasured));
  assert.ok(timeline.load?.endpoints.every(({ measured }) => measured === null));
});

test('without the companion a row is the view alone, matched by its route in the source', async t => {
  const endpoints = ENDPOINTS.map((endpoint, index) =>
    index === 1 ? { ...endpoint, route: '/services/' } : endpoint,
  );
  const { costs } = await analyse(t, { companion: false, endpoints });
  const rows = new Map(costs?.endpoints.map(row => [row.name, row]));
  assert.deepEqual([costs?.basis, costs?.tying.views], ['view', { bySource: 1, untied: 2 }]);
  assert.equal(rows.get('list_citizens (api/citizens.py)')?.cpuMsPerRequest, null);
  const row = rows.get('GET /api/v1/services/');
  const inView = 4;
  assert.ok(Math.abs((row?.cpuMsPerRequest?.value ?? 0) - inView) < 0.3 * inView);
  assert.equal(row?.basis, 'source');
});

test('all that the server does is for the one endpoint of a load', async t => {
  const endpoints = ENDPOINTS.slice(0, 1);
  const { costs, truth } = await analyse(t, {
    ...{ companion: false, endpoints, background: { 'dev:reloader': 60 } },
  });
  const [row] = costs.endpoints;
  assert.deepEqual([row?.name, row?.basis], [endpoints[0]?.name, 'only']);
  const meant = truth.cpuMsPerRequest[row?.name ?? ''] ?? 0;
  assert.ok(Math.abs((row?.cpuMsPerRequest?.value ?? 0) / meant - 1) < 0.2);
});

test('where nothing was measured, what the server does around requests is divided among them', async t => {
  /** @type {import('../../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticEndpoint[]} */
  const endpoints = [
    { name: 'GET /light/', ratePerSec: 60, cpuMs: { server: 1.5, business: 0.5 } },
    { name: 'GET /dear/', ratePerSec: 10, cpuMs: { server: 1.5, 'database:load': 18.5 } },
  ];
  const run = makeRun({
    ...{ durationSec: 60, rateHz: 100, endpoints, companion: true },
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
