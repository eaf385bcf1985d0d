import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison } from '../../../lib/experiment/compare/build-comparison.js';
import { isSignificant } from '../../../lib/experiment/compare/significance.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { reportsOfSynthetic } from './synthetic-reports.js';
import { alternate, variantReport } from './variant-report.js';

/** @import { CompareReport } from '../../../lib/run/facts/compare-report.d.ts' */

/** @param {CompareReport} comparison @param {string} scope @param {string} name @param {string} measure */
function find({ changes }, scope, name, measure) {
  const change = changes.find(
    item => item.scope === scope && item.name === name && item.measure === measure,
  );
  assert.ok(change, `${scope} ${name} ${measure}`);
  return change;
}

test('four runs a side: what changed is significant, with its interval, and the rest is not', async () => {
  const { before, after } = alternate(4, { auth: 0.2, throughput: 1.3 });
  const comparison = await buildComparison(before, after);
  assert.equal(comparison.basis, 'runs');
  assert.equal(comparison.sameGroupsP, 2 / 70);
  const auth = find(comparison, 'category', 'auth', 'cpuMsPerRequest');
  assert.equal(auth.call, 'better');
  assert.equal(auth.p, 2 / 70);
  assert.ok((auth.relative?.low ?? 0) < -0.8 && (auth.relative?.high ?? 0) > -0.83);
  const throughput = find(comparison, 'overall', '', 'throughputPerSec');
  assert.equal(throughput.call, 'better');
  assert.ok(Math.abs((throughput.relative?.value ?? 0) - 0.3) < 0.02);
  assert.equal(find(comparison, 'overall', '', 'total.p95Ms').call, 'none');
  assert.equal(comparison.verdict.level, 'better');
  assert.equal(comparison.verdict.headline.id, 'difference');
  assert.equal(comparison.verdict.spoiled, null);
  const point = comparison.verdict.points.find(({ id }) => id === 'categories');
  assert.ok(point?.id === 'categories');
  assert.equal(point.facts.changes[0]?.name, 'auth');
  assert.deepEqual(comparison.warnings, []);
  assert.ok(comparison.flame && comparison.flame.frame.length > 10);
});

test('CPU that moves from the workers into processes that they start shows as such', async () => {
  const { before, after } = alternate(4, { auth: 0.2 });
  const isShown = async () =>
    (await buildComparison(before, after)).changes.some(
      ({ measure }) => measure === 'childCpuMsPerRequest',
    );
  const setMs = (/** @type {typeof before} */ runs, /** @type {number} */ ms) =>
    runs.forEach(({ cpu }, index) => {
      if (cpu) cpu.childMsPerRequest = ms && ms + index / 10;
    });
  setMs([...before, ...after], 0);
  assert.equal(await isShown(), false);
  setMs(after, 40);
  const comparison = await buildComparison(before, after);
  assert.equal(find(comparison, 'overall', '', 'childCpuMsPerRequest').call, 'worse');
  assert.equal(comparison.verdict.level, 'worse');
});

test('distinguishes worse, better and both', async () => {
  const judge = async (/** @type {Parameters<typeof alternate>[1]} */ factors) => {
    const { before, after } = alternate(4, factors);
    return (await buildComparison(before, after)).verdict.level;
  };
  assert.equal(await judge({ latency: 1.5 }), 'worse');
  assert.equal(await judge({ latency: 0.7 }), 'better');
  assert.equal(await judge({ latency: 1.5, throughput: 1.5 }), 'mixed');
  assert.equal(await judge({}), 'none');
});

test('equal groups: nothing is significant, and the intervals say what is possible', async () => {
  const { before, after } = alternate(5);
  const { changes, verdict } = await buildComparison(before, after);
  assert.ok(!changes.some(isSignificant));
  assert.deepEqual(verdict.headline, { id: 'no-difference', facts: { before: 5, after: 5 } });
  const point = verdict.points.find(({ id }) => id === 'observed');
  assert.ok(point?.id === 'observed');
  assert.ok(point.facts.changes.every(({ relative }) => (relative?.high ?? 1) < 1));
});

test('with one run a side nothing is significant, and it says what its intervals are', async () => {
  const comparison = await buildComparison([variantReport(1)], [variantReport(2, { latency: 5 })]);
  assert.equal(comparison.basis, 'within-run');
  assert.equal(comparison.sameGroupsP, null);
  assert.ok(!comparison.changes.some(isSignificant));
  assert.equal(comparison.verdict.level, 'unknown');
  assert.equal(comparison.verdict.headline.id, 'one-run');
  assert.deepEqual(
    comparison.verdict.points.map(({ id }) => id),
    ['observed', 'least-runs'],
  );
  const auth = find(comparison, 'category', 'auth', 'cpuMsPerRequest');
  assert.equal(auth.intervalOf, 'within-run');
  assert.ok(auth.relative && auth.relative.low !== null && auth.relative.low < auth.relative.value);
  assert.equal(auth.p, null);
});

test('three runs a side, or one against four, show nothing; intervals are Student’s', async () => {
  const { before, after } = alternate(4, { latency: 3 });
  for (const [a, b] of [
    [before.slice(0, 3), after.slice(0, 3)],
    [before, after.slice(0, 1)],
  ]) {
    const comparison = await buildComparison(a ?? [], b ?? []);
    assert.equal(comparison.basis, 'few-runs');
    assert.ok(!comparison.changes.some(isSignificant));
    const p95 = find(comparison, 'overall', '', 'total.p95Ms');
    assert.equal(p95.intervalOf, 'student');
    assert.ok((p95.relative?.low ?? 0) > 1.5 && (p95.relative?.high ?? 9) < 3);
  }
});

test('an invalid run is left out; without a valid one the comparison is not valid', async () => {
  const { before, after } = alternate(5);
  const broken = before[0];
  assert.ok(broken);
  broken.reliability = {
    level: 'invalid',
    reasons: [
      {
        id: 'invalid',
        level: 'bad',
        facts: { reason: { id: 'no-response', facts: { requests: 1240, error: null } } },
      },
    ],
  };
  const comparison = await buildComparison(before, after);
  assert.deepEqual(comparison.verdict.spoiled, {
    id: 'unreliable-runs',
    facts: { runs: 10, invalid: 1, doubtful: 0, partial: 0 },
  });
  assert.deepEqual(
    comparison.before.runs.map(({ isUsed }) => isUsed),
    [false, true, true, true, true],
  );
  assert.equal(find(comparison, 'overall', '', 'errorRate').before.values.length, 4);
  const nothing = await buildComparison([broken], after);
  assert.equal(nothing.verdict.level, 'invalid');
  assert.equal(nothing.verdict.headline.id, 'no-valid-run');
  assert.deepEqual(nothing.verdict.headline.facts, {
    side: 'before',
    reason: broken.reliability.reasons[0],
  });
  assert.deepEqual(nothing.changes, []);
});

test('doubtful runs are used, and the headline counts them', async () => {
  const { before, after } = alternate(4);
  for (const report of after) {
    report.reliability = {
      level: 'doubtful',
      reasons: [{ id: 'torn', level: 'warn', facts: { records: 2 } }],
    };
  }
  const comparison = await buildComparison(before, after);
  assert.equal(comparison.after.runs[0]?.reasons[0]?.id, 'torn');
  assert.deepEqual(comparison.verdict.spoiled, {
    id: 'unreliable-runs',
    facts: { runs: 8, invalid: 0, doubtful: 4, partial: 0 },
  });
});

test('an endpoint of one side only can not be compared', async () => {
  const { before, after } = alternate(4);
  for (const { load } of after) load?.endpoints.shift();
  const gone = before[0]?.load?.endpoints[0]?.name ?? '';
  const change = find(await buildComparison(before, after), 'endpoint', gone, 'total.p50Ms');
  assert.equal(change.call, 'incomparable');
  assert.equal(change.after.center, null);
});

test('percentiles of too few responses are left out: they are the slowest one by another name', async () => {
  const { before, after } = alternate(4);
  for (const { load } of [...before, ...after]) {
    const latency = load?.endpoints[0]?.totalTime;
    if (latency) latency.count = 50;
  }
  const name = before[0]?.load?.endpoints[0]?.name ?? '';
  const { changes } = await buildComparison(before, after);
  const measures = changes.filter(change => change.name === name).map(({ measure }) => measure);
  assert.ok(measures.includes('total.p95Ms'));
  assert.ok(!measures.includes('total.p99Ms'));
});

test('reports of profiles alone are compared by their shares', async () => {
  const { before, after } = alternate(4);
  for (const report of [...before, ...after]) {
    report.load = null;
    report.costs = null;
    if (report.cpu) report.cpu.basis = 'none';
  }
  const comparison = await buildComparison(before, after);
  assert.deepEqual([...new Set(comparison.changes.map(({ measure }) => measure))], ['cpuShare']);
  assert.equal(comparison.flame?.unit, 'share');
});

test('CPU per request from samples is not compared with CPU time, also per endpoint', async () => {
  const { before, after } = alternate(4);
  for (const { cpu } of after) if (cpu) cpu.basis = 'samples-upper-bound';
  const comparison = await buildComparison(before, after);
  const name = before[0]?.costs?.endpoints[0]?.loadEndpoint ?? '';
  for (const [scope, of] of [
    ['overall', ''],
    ['category', 'auth'],
    ['endpoint', name],
  ])
    assert.equal(find(comparison, scope ?? '', of ?? '', 'cpuMsPerRequest').call, 'incomparable');
});

test('of endpoints errors come first, and among them new ones, however little CPU they cost', async () => {
  const { before, after } = alternate(5, { latency: 1.2, cpu: 1.9 });
  for (const [index, { load }] of [...before, ...after].entries())
    for (const [place, endpoint] of load?.endpoints.entries() ?? [])
      endpoint.errors = index < 5 ? Number(place === 0) : index;
  const { verdict } = await buildComparison(before, after);
  const point = verdict.points.find(({ id }) => id === 'endpoints');
  assert.ok(point?.id === 'endpoints');
  const { changes } = point.facts;
  assert.deepEqual([...new Set(changes.map(({ measure }) => measure))], ['errorRate']);
  assert.ok(
    changes.every(({ relative }) => relative === null),
    'where there were none before',
  );
});

test('the order of trust: what spoils the measurement, what users felt, throughput', async () => {
  const { before, after } = alternate(4, { latency: 0.5, throughput: 1.5, auth: 0.1 });
  for (const { run } of after)
    Object.assign(run, { script: { name: 'other.yaml', sha256: 'ab'.repeat(32) } });
  const comparison = await buildComparison(before, after);
  const { spoiled, headline } = comparison.verdict;
  assert.deepEqual(spoiled, { id: 'not-comparable', facts: { warnings: ['other-script'] } });
  assert.ok(headline.id === 'difference');
  assert.deepEqual(
    headline.facts.changes.map(({ measure }) => measure),
    ['total.p95Ms', 'throughputPerSec'],
  );
});

test('runs of the same code differ in no cost of an endpoint, however many false samples one side has', async t => {
  const sides = [20, 8].map((samplesPerCpu, side) =>
    reportsOfSynthetic(makeTempFolder(t), 4, 1 + 10 * side, {
      companion: true,
      endpoints: [
        { name: 'GET /dear/', ratePerSec: 20, cpuMs: { 'auth:local': 2, 'database:load': 18 } },
        { name: 'GET /sleep/', ratePerSec: 20, cpuMs: { business: 0.8 }, samplesPerCpu },
      ],
    }),
  );
  const [before = [], after = []] = await Promise.all(sides);
  const { changes } = await buildComparison(before, after);
  for (const name of ['GET /dear/', 'GET /sleep/']) {
    const change = changes.find(own => own.name === name && own.measure === 'cpuMsPerRequest');
    assert.ok(change && !isSignificant(change), `${name} ${change?.call}`);
    const { value = 1 } = change.relative ?? {};
    assert.ok(Math.abs(value) < 0.1, `${name} ${value}`);
  }
});

test('what the workers measured of an endpoint is compared where the CPU time of processes is not known', async () => {
  const { before, after } = alternate(4, {});
  for (const { cpu } of [...before, ...after]) if (cpu) cpu.basis = 'samples-upper-bound';
  const endpoints = [...before, ...after].map(({ costs }) => costs?.endpoints[0]);
  const name = endpoints[0]?.loadEndpoint ?? '';
  const isCompared = async () => {
    const { changes } = await buildComparison(before, after);
    return changes.some(own => own.name === name && own.measure === 'cpuMsPerRequest');
  };
  for (const endpoint of endpoints) if (endpoint) endpoint.isMeasured = false;
  assert.equal(await isCompared(), false);
  for (const endpoint of endpoints) if (endpoint) endpoint.isMeasured = true;
  assert.equal(await isCompared(), true);
});

test('a package that one side does not load costs nothing in it; a sliver is no row', async () => {
  const { before, after } = alternate(4, { auth: 0.2 });
  const exact = (/** @type {number} */ value) => ({ value, low: value, high: value });
  for (const [index, { profile }] of [...before, ...after].entries()) {
    assert.ok(profile);
    const agent = { name: 'sentry_sdk', kind: /** @type {const} */ ('observability'), samples: 90 };
    const share = 0.3 + index / 100;
    profile.packages = [
      ...(index < 4 ? [{ ...agent, share: exact(share), cpuMsPerRequest: exact(10 * share) }] : []),
      { ...agent, name: 'rare', share: exact(0.001), cpuMsPerRequest: exact(0.01) },
    ];
  }
  const comparison = await buildComparison(before, after);
  const agent = find(comparison, 'package', 'sentry_sdk', 'cpuMsPerRequest');
  assert.equal(agent.call, 'better');
  assert.deepEqual(agent.after.values, [0, 0, 0, 0]);
  assert.ok(!comparison.changes.some(({ name }) => name === 'rare'));
  const point = comparison.verdict.points.find(({ id }) => id === 'packages');
  assert.ok(point?.id === 'packages');
  assert.ok(point.facts.changes.some(({ name }) => name === 'sentry_sdk'));
});
