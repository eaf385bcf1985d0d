import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../../../lib/analysis/analyse-run.js';
import { analyseEnded, ENDPOINTS } from '../../../helpers/analyse-ended-threads.js';
import { makeRun, writeRun } from '../../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

/** @import { SyntheticEndpoint, SyntheticSpec } from '../../../helpers/synthetic-run/synthetic-run.d.ts' */

/** Its threads wake up and queue for a core: that is no CPU, but py-spy calls them active. @type {SyntheticEndpoint} */
const SLEEPER = {
  name: 'GET /sleep/',
  ratePerSec: 20,
  cpuMs: { business: 0.8 },
  waitMs: { lock: 300 },
};

/**
 * @param {import('node:test').TestContext} t
 * @param {number} samplesPerCpu of the endpoint that sleeps
 * @param {{spec?: SyntheticSpec, change?: (part: Record<string, any>, name: string) => void}} [options]
 *   `change`: edits the figures of an endpoint in a second
 */
async function analyse(t, samplesPerCpu, { spec, change } = {}) {
  const endpoints = [...ENDPOINTS, { ...SLEEPER, samplesPerCpu }];
  const run = makeRun({ seed: 7, durationSec: 40, companion: true, endpoints, ...spec });
  for (const record of run.metrics)
    for (const [name, part] of Object.entries(record.endpoints ?? {})) change?.(part, name);
  // Of a load alone nobody knows the processes that serve.
  if (spec?.profile === false)
    run.processes = run.processes.filter(({ role }) => role !== 'worker');
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  const { costs } = report;
  assert.ok(costs);
  /** @param {string} name */
  const row = name => {
    const found = costs.endpoints.find(({ loadEndpoint }) => loadEndpoint === name);
    assert.ok(found, name);
    return found;
  };
  return { costs, row, truth: run.truth, profile: report.profile, report };
}

/** @param {{costs: import('../../../../lib/run/facts/costs.d.ts').EndpointCosts}} analysed */
const sumShares = ({ costs }) =>
  costs.endpoints.reduce((sum, { shareOfCpu }) => sum + shareOfCpu.value, 0);

test('measures a sleeping endpoint by its thread clock, at no cost to other endpoints', async t => {
  const honest = await analyse(t, 1);
  const skewed = await analyse(t, 20);
  const { samples, isMeasured, cpuMsPerRequest, byCategory } = skewed.row('GET /sleep/');
  assert.ok(samples < 2 * honest.row('GET /sleep/').samples, `${samples}`);
  assert.ok(isMeasured && cpuMsPerRequest);
  const { value, low, high } = cpuMsPerRequest;
  assert.ok(Math.abs(value / (skewed.truth.cpuMsPerRequest['GET /sleep/'] ?? 0) - 1) < 0.1);
  assert.ok(low !== null && high !== null && low < value && value < high && high < 1.3 * value);
  assert.deepEqual(
    byCategory.map(
      ({ cpuMsPerRequest: own, share }) => Math.abs((own ?? 0) - value * share) < 1e-9,
    ),
    byCategory.map(() => true),
  );
  for (const { name } of [...ENDPOINTS, SLEEPER]) {
    assert.deepEqual(skewed.row(name).cpuMsPerRequest, honest.row(name).cpuMsPerRequest, name);
    assert.deepEqual(skewed.row(name).shareOfCpu, honest.row(name).shareOfCpu, name);
  }
  assert.equal(skewed.costs.tying.measured, 3);
  for (const analysed of [honest, skewed])
    assert.ok(
      Math.abs(sumShares(analysed) + (analysed.costs.unattributed?.share ?? Number.NaN) - 1) < 1e-9,
    );
});

test('it does not change the assignment of the CPU of the whole run', async t => {
  const shares = await Promise.all(
    [1, 20].map(async samplesPerCpu => {
      const { profile } = await analyse(t, samplesPerCpu);
      const own = profile?.categories.map(({ id, share }) => [id, share.value]) ?? [];
      return /** @type {Record<string, number>} */ (Object.fromEntries(own));
    }),
  );
  const [honest = {}, skewed = {}] = shares;
  for (const [id, share] of Object.entries(honest))
    assert.ok(Math.abs((skewed[id] ?? 0) - share) < 0.02, `${id}: ${skewed[id]}, ${share}`);
});

test('an endpoint without a sample has its row with what was measured, and no split', async t => {
  const { row } = await analyse(t, 0);
  const { samples, cpuMsPerRequest, shareOfCpu, byCategory } = row('GET /sleep/');
  assert.equal(samples, 0);
  assert.ok(Math.abs((cpuMsPerRequest?.value ?? 0) / 0.8 - 1) < 0.15);
  assert.ok(shareOfCpu.value > 0.02 && shareOfCpu.value < 0.1, `${shareOfCpu.value}`);
  assert.deepEqual(byCategory, []);
});

test('limits measured shares to all of the CPU, however little the system counted', async t => {
  const analysed = await analyse(t, 1, {
    change: ({ server }) => {
      server.cpuMs *= 3;
    },
  });
  assert.ok(Math.abs(sumShares(analysed) - 1) < 1e-9, `${sumShares(analysed)}`);
  assert.ok((analysed.costs.unattributed?.share ?? Number.NaN) < 1e-9);
});

for (const [title, change] of /** @type {const} */ ([
  ['with gevent', (/** @type {any} */ { server }) => Object.assign(server, { cpuMs: null })],
  [
    'of half of its answers',
    (/** @type {any} */ { server }) => Object.assign(server, { count: server.count / 2 }),
  ],
]))
  test(`splits the remaining CPU by samples for an endpoint without a thread CPU (${title})`, async t => {
    const { row, costs } = await analyse(t, 1, {
      spec: { background: {} },
      change: (part, name) => name === 'GET /dear/' && change(part),
    });
    const dear = row('GET /dear/');
    assert.equal(dear.isMeasured, false);
    assert.equal(costs.tying.measured, 2);
    const left = 1 - row('GET /cheap/').shareOfCpu.value - row('GET /sleep/').shareOfCpu.value;
    const own = dear.samples / (dear.samples + (costs.unattributed?.samples ?? Number.NaN));
    assert.ok(Math.abs(dear.shareOfCpu.value / (left * own) - 1) < 0.02);
    assert.ok(Math.abs((dear.cpuMsPerRequest?.value ?? 0) / 20 - 1) < 0.15);
  });

test('a run of a few seconds has the measured figure without an interval', async t => {
  const { row } = await analyse(t, 1, { spec: { durationSec: 4 } });
  const { isMeasured, cpuMsPerRequest } = row('GET /cheap/');
  assert.ok(isMeasured);
  assert.deepEqual([cpuMsPerRequest?.low, cpuMsPerRequest?.high], [null, null]);
});

test("separates the server's CPU around requests, and divides it by measured requests", async t => {
  const aroundMs = 1.5;
  /** @type {SyntheticEndpoint[]} */
  const endpoints = [
    { name: 'GET /light/', ratePerSec: 60, cpuMs: { server: aroundMs, business: 0.5 } },
    { name: 'GET /dear/', ratePerSec: 10, cpuMs: { server: aroundMs, 'database:load': 18.5 } },
  ];
  const { row, costs, profile, truth } = await analyse(t, 0, {
    spec: { endpoints, background: { 'dev:reloader': 60 } },
    change: ({ server }) => {
      server.aroundMs = server.count * aroundMs;
      server.cpuMs -= server.aroundMs;
    },
  });
  for (const { name } of endpoints) {
    const { cpuMsPerRequest: all, aroundMsPerRequest: around, byCategory } = row(name);
    const trueMs = truth.cpuMsPerRequest[name] ?? 0;
    assert.ok(all && Math.abs(all.value / trueMs - 1) < 0.1, `${name}: ${all?.value}`);
    assert.ok(around && Math.abs(around.value - aroundMs) < 1e-6 && around.low !== null);
    const { share = 0 } = byCategory.find(({ category }) => category === 'server') ?? {};
    assert.ok(Math.abs(share - aroundMs / all.value) < 0.01, `${name}: ${share} is the server's`);
    assert.ok(Math.abs(byCategory.reduce((sum, one) => sum + one.share, 0) - 1) < 1e-9);
  }
  for (const [id, share] of Object.entries(truth.categoryShares)) {
    const told = profile?.categories.find(one => one.id === id)?.share.value ?? 0;
    assert.ok(Math.abs(told - share) < 0.05, `${id}: ${told}, ${share}`);
  }
  const trueRest = truth.categoryShares['dev-tools'] ?? 0;
  assert.ok(
    Math.abs((costs.unattributed?.share ?? 1) - trueRest) < 0.03,
    `${costs.unattributed?.share}`,
  );
});

test('divides CPU around requests among no endpoint if requests are not known', async t => {
  const endpoints = [{ name: 'GET /a/', ratePerSec: 40, cpuMs: { server: 2, business: 2 } }];
  const run = makeRun({ seed: 7, durationSec: 10, companion: true, endpoints });
  const folder = writeRun(makeTempFolder(t), { ...run, metrics: [] });
  const { costs } = (await analyseRun(folder)).report;
  assert.ok(costs && costs.tying.inside > 0.3 && costs.tying.inside < 0.7);
  assert.equal(costs.tying.shared, 0);
  assert.equal(costs.tying.hasLoad, false);
});

test('measures the cost per endpoint with the companion alone, without a profile', async t => {
  const spec = { profile: false };
  /** @param {Record<string, any>} part @param {string} name */
  const change = (part, name) => {
    if (name === 'GET /cheap/') delete part.server;
  };
  const { costs, row, truth, profile } = await analyse(t, 1, { spec, change });
  assert.equal(profile, null);
  assert.deepEqual(
    costs.endpoints.map(({ name }) => name),
    ['GET /dear/', 'GET /sleep/'],
    'not what told nothing',
  );
  for (const name of ['GET /dear/', 'GET /sleep/']) {
    const { cpuMsPerRequest, isMeasured, samples, byCategory } = row(name);
    const { value = 0, low = 0, high = 0 } = cpuMsPerRequest ?? {};
    assert.deepEqual([isMeasured, samples, byCategory], [true, 0, []]);
    assert.ok(Math.abs(value / (truth.cpuMsPerRequest[name] ?? 0) - 1) < 0.1, name);
    assert.ok((low ?? 0) > 0.8 * value && (low ?? 0) < value && value < (high ?? 0), name);
  }
  assert.equal(costs.unattributed, null, 'what else the workers did is not known');
  assert.ok(Math.abs(sumShares({ costs }) - 1) < 1e-9);
});

test('measures nothing if a thread serves several requests at once', async t => {
  const run = makeRun({ seed: 7, durationSec: 10, companion: true, profile: false });
  for (const { endpoints } of run.metrics)
    for (const part of Object.values(endpoints ?? {})) part.server.cpuMs = null;
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  assert.equal(report.costs, null);
});

test('CPU of threads that end is of the requests that were alone meanwhile', async t => {
  const { rowOf, trueMs, shareOf, costs } = await analyseEnded(t, true);
  const [cheap, dear] = [rowOf('GET /cheap/'), rowOf('GET /dear/')];
  const toldMs = dear.cpuMsPerRequest?.value ?? 0;
  assert.ok(Math.abs(toldMs / (trueMs('GET /dear/') + 60) - 1) < 0.05, `${toldMs}`);
  const cheapMs = cheap.cpuMsPerRequest?.value ?? 0;
  assert.ok(Math.abs(cheapMs / trueMs('GET /cheap/') - 1) < 0.1, `${cheapMs}`);
  const native = dear.byCategory.find(({ category }) => category === 'native')?.share ?? 0;
  assert.ok(Math.abs(native - 60 / toldMs) < 0.1, `${native} of it`);
  assert.ok(shareOf('native') > 0.5 && !costs.unattributed?.nativeShare, `${shareOf('native')}`);
});

test('CPU of threads that end makes the cost of a request a lower limit if it is not known whose it is', async t => {
  const { rowOf, trueMs, shareOf, costs, profile } = await analyseEnded(t, false);
  const { cpuMsPerRequest, leastMsPerRequest = 0 } = rowOf('GET /dear/');
  assert.equal(cpuMsPerRequest, null);
  assert.ok(Math.abs(leastMsPerRequest / trueMs('GET /dear/') - 1) < 0.1, `${leastMsPerRequest}`);
  const { nativeShare = 0 } = costs.unattributed ?? {};
  assert.ok(
    nativeShare > 0.4 && Math.abs(shareOf('native') - nativeShare) < 0.05,
    `${nativeShare}`,
  );
  const { active, native = 0, inWindow } = profile.samples;
  assert.ok(native > 0.4 * active && active - native <= inWindow, `${native} of ${active}`);
});

test('threads of Python that end are no threads of C code', async t => {
  const run = makeRun({
    seed: 7,
    durationSec: 40,
    companion: true,
    threads: 1,
    endpoints: ENDPOINTS,
  });
  for (const { t: at, pid, startTicks } of run.processes.filter(({ role }) => role === 'worker'))
    run.processes.push({
      t: at,
      kind: 'threads',
      pid,
      startTicks,
      threads: [[pid, (at % 1e6) / 1000, 0, 1]],
    });
  run.processes.sort((a, b) => a.t - b.t);
  const { costs, profile } = (await analyseRun(writeRun(makeTempFolder(t), run))).report;
  assert.equal(costs?.unattributed?.nativeShare, undefined);
  assert.ok(!profile?.categories.some(({ id }) => id === 'native'));
});
