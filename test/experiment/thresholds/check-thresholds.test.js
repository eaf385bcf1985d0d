import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison } from '../../../lib/experiment/compare/build-comparison.js';
import { checkThresholds, hasFailed } from '../../../lib/experiment/thresholds/check-thresholds.js';
import { METRICS, parseThresholds } from '../../../lib/experiment/thresholds/read-thresholds.js';
import { loadOnlyReport, noStacksReport } from '../../fixtures/reports/reports.js';
import { alternate, variantReport } from '../compare/variant-report.js';

/** @import { Report } from '../../../lib/run/facts/report.d.ts' */

const CATEGORIES = ['auth', 'business'].map(id => ({ id, label: id }));

/** @param {string} text @param {Report[]} [reports] @param {import('../../../lib/run/facts/compare-report.d.ts').CompareReport | null} [comparison] */
const check = (text, reports = [variantReport(1, { noise: 0 })], comparison = null) =>
  checkThresholds(parseThresholds(text, 't.yaml', CATEGORIES), { reports, comparison });

/** @param {string} text @param {Report[]} [reports] */
const statusOf = async (text, reports) =>
  (await check(`- ${text}`, reports)).map(({ status }) => status);

test('a value below, above, and too near to its limit', async () => {
  const cost = variantReport(1).cpu?.perRequest;
  assert.ok(cost?.low && cost.high && cost.low < cost.value);
  assert.deepEqual(await statusOf(`cpuMsPerRequest < ${(cost.high * 1.1).toFixed(2)}`), ['pass']);
  assert.deepEqual(await statusOf(`cpuMsPerRequest < ${(cost.low * 0.9).toFixed(2)}`), ['fail']);
  assert.deepEqual(await statusOf(`cpuMsPerRequest < ${cost.value.toFixed(4)}`), ['uncertain']);
  assert.deepEqual(await statusOf(`cpuMsPerRequest > ${(cost.low * 0.9).toFixed(2)}`), ['pass']);
  assert.deepEqual(await statusOf('requests >= 5'), ['pass']);
  assert.deepEqual(await statusOf('requests <= 5'), ['fail']);
});

test('only a sure failure counts', async () => {
  const cost = variantReport(1, { noise: 0 }).cpu?.perRequest?.value ?? 0;
  assert.equal(hasFailed(await check(`- cpuMsPerRequest < ${cost.toFixed(4)}`)), false);
  assert.equal(hasFailed(await check('- p95 < 1ms')), true);
  assert.equal(hasFailed(await check('- regression(p95) < 1%')), false);
});

test('no error among few requests does not prove a low error rate', async () => {
  const report = variantReport(1, { noise: 0 });
  assert.ok(report.load);
  report.timeline = null;
  report.load.http.errorRate = 0;
  report.load.http.requests = 100;
  assert.deepEqual(await statusOf('errors < 1%', [report]), ['uncertain']);
  report.load.http.requests = 1000;
  assert.deepEqual(await statusOf('errors < 1%', [report]), ['pass']);
});

test('no error in several such runs does not prove it either', async () => {
  const runs = (/** @type {number} */ requests) =>
    [1, 2, 3, 4].map(n => {
      const report = variantReport(n, { noise: 0 });
      assert.ok(report.load);
      Object.assign(report.load.http, { errorRate: 0, requests });
      return report;
    });
  const [few] = await check('- errors < 1%', runs(20));
  assert.equal(few?.status, 'uncertain');
  assert.equal(few?.value?.high?.toFixed(3), '0.046', 'Wilson, 0 of 80');
  assert.deepEqual(await statusOf('errors < 1%', runs(250)), ['pass']);
});

test('"*" asks every endpoint; an unknown endpoint and a run without a profile are not known, with the reason', async () => {
  const report = variantReport(1, { noise: 0 });
  const endpoints = report.load?.endpoints.length ?? 0;
  const all = await check('endpoints:\n  "*":\n    - p99 < 100s', [report]);
  assert.equal(all.length, endpoints);
  assert.ok(endpoints > 1 && all.every(({ status }) => status === 'pass'));
  const [unknown] = await check('endpoints:\n  GET /nowhere:\n    - p99 < 1s', [report]);
  assert.deepEqual(
    [unknown?.status, unknown?.missing],
    ['unknown', { id: 'no-endpoint', facts: { endpoint: 'GET /nowhere' } }],
  );
  const [cpu] = await check('- auth.cpuMsPerRequest < 2', [loadOnlyReport()]);
  assert.equal(cpu?.status, 'unknown');
  assert.equal(cpu?.missing?.id, 'no-profile');
});

test('without stacks the CPU of a request is known, and that of a category is not', async () => {
  const found = await check(
    '- cpuMsPerRequest < 100\n- worker.memory < 1GB\n- auth.cpuMsPerRequest < 2',
    [noStacksReport()],
  );
  assert.deepEqual(
    found.map(({ status, missing }) => [status, missing?.id]),
    [
      ['pass', undefined],
      ['pass', undefined],
      ['unknown', 'no-profile'],
    ],
  );
});

test('"*" is not known where no endpoint is, instead of keeping silent', async () => {
  const report = variantReport(1, { noise: 0 });
  Object.assign(report.load ?? {}, { endpoints: [] });
  const text = 'endpoints:\n  "*":\n    - p95 < 300ms';
  const idsOf = async (/** @type {Report[]} */ reports) =>
    (await check(text, reports)).map(({ status, missing }) => [status, missing?.id]);
  assert.deepEqual(await idsOf([report]), [['unknown', 'no-endpoints']]);
  assert.deepEqual(await idsOf([{ ...report, load: null }]), [['unknown', 'no-load']]);
  assert.deepEqual(await idsOf([]), [['unknown', 'no-valid-run']]);
});

test('a regression needs a baseline, and knows which direction is worse', async () => {
  const text =
    '- regression(p95) < 10%\n- regression(throughput) < 10%\n- regression(auth.cpuMsPerRequest) < 10%';
  const [alone] = await check(text);
  assert.equal(alone?.missing?.id, 'no-baseline');
  const { before, after } = alternate(4, { latency: 1.3, throughput: 1.4, auth: 0.5 });
  const comparison = await buildComparison(before, after);
  const results = await check(text, after, comparison);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fail', 'pass', 'pass'],
  );
  const slower = alternate(4, { throughput: 0.6 });
  const [, throughput] = await check(
    text,
    slower.after,
    await buildComparison(slower.before, slower.after),
  );
  assert.equal(throughput?.status, 'fail');
  assert.ok(Math.abs((throughput?.value?.value ?? 0) - 0.4) < 0.02);
});

test('errors in only some runs are not a regression from 0', async () => {
  const { before, after } = alternate(5, {});
  const setErrors = (/** @type {number[]} */ rates) => {
    for (const [index, { load }] of after.entries())
      Object.assign(load?.http ?? {}, { errorRate: rates[index] });
  };
  for (const { load } of before) Object.assign(load?.http ?? {}, { errorRate: 0 });
  const judge = async () =>
    (await check('- regression(errors) < 5%', after, await buildComparison(before, after)))[0];
  setErrors([0, 0, 0, 0.4, 0.5]);
  const some = await judge();
  assert.deepEqual([some?.status, some?.missing?.id], ['unknown', 'zero-run']);
  setErrors([0, 0, 0, 0, 0]);
  const none = await judge();
  assert.equal(none?.status, 'pass');
});

test('several runs of one program are judged by their mean', async () => {
  const runs = [1, 2, 3].map(n => variantReport(n));
  const [result] = await check('- p95 < 100s', runs);
  const values = runs.map(({ load }) => load?.http.totalTime?.p95Ms ?? 0);
  assert.equal(result?.status, 'pass');
  assert.ok(Math.abs((result?.value?.value ?? 0) - values.reduce((a, b) => a + b) / 3) < 1e-9);
  assert.ok((result?.value?.low ?? Infinity) < Math.min(...values));
});

test('every metric is read from a whole report, or says why not', async () => {
  const report = variantReport(1, { noise: 0 });
  for (const [name, { unit }] of METRICS) {
    const limit = { ms: '9999s', perSec: '99999', share: '100%', count: '999999', bytes: '99GB' }[
      unit
    ];
    const [result] = await check(`- ${name.replace('*', 'auth')} <= ${limit}`, [report]);
    assert.ok(result?.status === 'pass' || result?.missing, name);
  }
});

test('a run of WebSocket messages alone has no errors and no throughput of HTTP, and says so', async () => {
  const report = variantReport(1, { noise: 0 });
  assert.ok(report.load);
  Object.assign(report.load, { websocket: {}, socketio: null, endpoints: [] });
  Object.assign(report.load.http, { requests: 0, throughputPerSec: 0, errorRate: 0 });
  Object.assign(report.load.http, { totalTime: null, timeToFirstByte: null });
  for (const line of ['errors < 1%', 'throughput > 5/s', 'p95 < 1s']) {
    const [result] = await check(`- ${line}`, [report]);
    assert.deepEqual(result?.missing, { id: 'no-requests', facts: {} }, line);
  }
});

test('times from the schedule are unknown in a closed loop, and with engines that do not report them', async () => {
  const report = variantReport(1, { noise: 0 });
  assert.ok(report.load);
  report.load.http.totalFromIntended = null;
  const missing = async () => (await check('- intended.p95 < 1s', [report]))[0]?.missing;
  assert.deepEqual(await missing(), { id: 'no-schedule', facts: { isClosed: false } });
  for (const phase of report.load.phases) phase.model = 'closed';
  assert.deepEqual(await missing(), { id: 'no-schedule', facts: { isClosed: true } });
});

test('no interval leaves what is possible', async () => {
  const few = [1, 2, 3].map(n => variantReport(n));
  for (const [index, report] of few.entries()) {
    assert.ok(report.load && report.profile);
    report.load.http.errorRate = [0.1, 0.9, 1][index] ?? 0;
    for (const category of report.profile.categories)
      Object.assign(category.cpuMsPerRequest ?? {}, { value: [0.01, 2, 0.02][index] });
  }
  const results = await check('- errors < 1%\n- auth.cpuMsPerRequest < 9\n- p95 < 9s', few);
  for (const { value, unit } of results) {
    assert.ok(value && value.low !== null && value.high !== null);
    assert.ok(value.low >= 0 && value.high <= (unit === 'share' ? 1 : Infinity));
  }
});
