import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGrowth, findHopeless, judgeStep } from '../../../lib/experiment/find/judge-step.js';
import { readLimits } from '../../../lib/experiment/thresholds/read-thresholds.js';
import { loadOnlyReport } from '../../fixtures/reports/reports.js';

const limits = await readLimits(['http.p95 < 250ms'], { rulesFile: null });
const asked = { limits, level: 40, isOpen: true };
const progress = {
  ...{ phaseIndex: 1, phaseName: 'measured', phases: 2, elapsedMs: 6000, usersActive: 10 },
  ...{ started: 220, requests: 220, inFlight: 10, requestsPerSec: 40, p95Ms: 130, errors: 0 },
};

test('does not stop a step that runs as expected', () => {
  assert.equal(findHopeless(progress, asked), null);
  // The first seconds, in which connections are made
  assert.equal(findHopeless({ ...progress, elapsedMs: 3000, inFlight: 400 }, asked), null);
});

test('a step is stopped by a queue that takes many times what the limit allows', () => {
  assert.equal(findHopeless({ ...progress, inFlight: 60 }, asked)?.id, 'queue');
  const slow = { ...asked, limits: [{ ...limits[0], limit: 5000 }] };
  assert.equal(findHopeless({ ...progress, inFlight: 60 }, /** @type {any} */ (slow)), null);
});

test('a step is not stopped for streams that stay open', async () => {
  const ofFirst = await readLimits(['ttfb.p95 < 250ms'], { rulesFile: null });
  assert.equal(findHopeless({ ...progress, inFlight: 600 }, { ...asked, limits: ofFirst }), null);
});

test('a step is stopped by failures, unless its limits allow them', async () => {
  const failing = { ...progress, errors: 150 };
  assert.equal(findHopeless(failing, asked)?.id, 'failures');
  const allowed = await readLimits(['errors < 90%'], { rulesFile: null });
  assert.equal(findHopeless(failing, { ...asked, limits: allowed }), null);
});

test('a step is stopped by a generator that starts less than half of its users', () => {
  const behind = { ...progress, started: 30, requests: 30 };
  assert.equal(findHopeless(behind, asked)?.id, 'generator');
  assert.equal(findHopeless(behind, { ...asked, isOpen: false }), null);
});

test('a queue grows where more requests come than end, and not by chance', () => {
  const rising = Array.from({ length: 20 }, (_, second) => 5 + 6 * second);
  assert.deepEqual(findGrowth(rising, 40), { growth: 84 });
  const noisy = Array.from({ length: 20 }, (_, second) => 20 + 15 * Math.sin(second));
  assert.equal(findGrowth(noisy, 40), null);
  assert.equal(findGrowth([1, 100], 40), null);
});

test('a limit is one line of a thresholds file, and needs no baseline', async () => {
  const refuses = (/** @type {string} */ text, /** @type {RegExp} */ why) =>
    assert.rejects(readLimits([text], { rulesFile: null }), why);
  await refuses('http.p96 < 250ms', /--find: invalid limit: unknown metric/);
  await refuses('http.p95', /is not a threshold/);
  await refuses('regression(http.p95) < 10%', /needs a baseline/);
});

/** @param {string[]} texts @param {(load: import('../../../lib/run/facts/load-report.d.ts').LoadReport) => void} [change] */
async function judge(texts, change) {
  const report = loadOnlyReport();
  assert.ok(report.load);
  Object.assign(report.load.failures, { isTooMany: false, share: 0 });
  report.load.generator = null;
  report.bottleneck = null;
  report.load.users.skipped = 0;
  change?.(report.load);
  const own = await readLimits(texts, { rulesFile: null });
  return judgeStep(report, { limits: own, level: 1, isOpen: false, stopped: null });
}

test('the worst figure of a step is its margin, as a share of the limit', async () => {
  const p95 = loadOnlyReport().load?.http.totalTime?.p95Ms ?? 0;
  const { margin, problem } = await judge([`http.p95 < ${2 * p95}ms`, `http.p95 < ${4 * p95}ms`]);
  assert.equal(problem, null);
  assert.ok(margin && Math.abs(margin.value + 0.5) < 0.01, JSON.stringify(margin));
  const lower = await judge(['throughput > 0.0001/s']);
  assert.ok((lower.margin?.value ?? 0) < -1);
});

test('a step without an error keeps a limit on errors', async () => {
  const errors = (/** @type {number} */ rate) =>
    judge(['errors < 0.1%', 'http.p95 < 3600s'], load => {
      load.http.errorRate = rate;
    });
  assert.ok(((await errors(0)).margin?.high ?? 0) < 0);
  assert.ok(((await errors(0.5)).margin?.low ?? 0) > 0);
});

test('of few responses, both sides of a limit are possible', async () => {
  const { margin } = await judge(['http.p95 < 3600s'], load => {
    if (load.http.totalTime) load.http.totalTime.count = 19;
  });
  assert.equal(margin?.high, 1);
});

test('failures and dropped arrivals fail a step, and a generator at its limit says nothing', async () => {
  const ofFailures = await judge(['http.p95 < 60s'], ({ failures }) => {
    failures.isTooMany = true;
  });
  assert.deepEqual([ofFailures.problem?.id, ofFailures.margin?.low], ['failures', 1]);
  const dropped = await judge(['http.p95 < 60s'], ({ users }) => {
    users.skipped = users.created;
  });
  assert.equal(dropped.problem?.id, 'dropped');
  const behind = await judge(['http.p95 < 60s'], load => {
    load.generator = /** @type {any} */ ({ signs: [{ id: 'late', isLimit: true }] });
  });
  assert.deepEqual([behind.problem?.id, behind.margin], ['generator', null]);
});

test('a limit on what no step knows ends the search', async () => {
  await assert.rejects(judge(['cpuMsPerRequest < 5ms']), { code: 'FIND_UNKNOWN' });
});
