/** A figure that a report has in two places is the same in both, whatever the run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { unpackSampleTable } from '../../lib/analysis/sample-table/unpack.js';
import { compute, makeModel } from '../../lib/report/page/compute/compute.js';
import { createStore } from '../../lib/report/page/state.js';
import { wordReport } from '../../lib/text/index.js';
import { cloneRun, RECORDED } from '../helpers/recorded-runs.js';
import { drawSpec } from '../helpers/synthetic-run/draw-spec.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { withoutStacks } from '../helpers/synthetic-run/without-stacks.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @import { Report } from '../../lib/run/facts/report.d.ts' */

const { get: getAll } = createStore({});

/** As many runs of each kind as a few seconds allow. */
const RUNS = 10;

const sum = (/** @type {(number | null | undefined)[]} */ values) =>
  values.reduce((/** @type {number} */ total, value) => total + (value ?? 0), 0);

/**
 * @param {Report} report
 * @returns {[what: string, one: number | null | undefined, other: number | null | undefined][]}
 */
function listPairs({ load, cpu, profile, timeline, costs, verdict }) {
  /** @type {ReturnType<typeof listPairs>} */
  const pairs = [];
  if (load) {
    const { http, users, seconds, endpoints, window } = load;
    const told = timeline?.load;
    const point = verdict.points.find(({ id }) => id === 'load');
    const facts = /** @type {any} */ (point?.facts);
    pairs.push(
      ['requests: verdict', facts?.requests ?? http.requests, http.requests],
      ['requests: seconds', sum(seconds.map(({ requests }) => requests)), http.requests],
      ['requests: endpoints', sum(endpoints.map(({ requests }) => requests)), http.requests],
      ['requests: timeline', sum(told?.requests ?? []), http.requests],
      ['responses: codes', sum(http.codes.map(({ count }) => count)), http.responses],
      ['responses: times', http.timeToFirstByte?.count ?? 0, http.responses],
      ['peak', Math.max(0, ...seconds.map(({ requests }) => requests)), http.peakRatePerSec],
      ['rate', (http.responses * 1000) / (window.endMs - window.startMs), http.meanRatePerSec],
      ['errors: timeline', sum(told?.errors ?? []), sum(seconds.map(({ errors }) => errors))],
      ['users failed', load.failures.users.failed, users.failed],
    );
    // Older recordings do not tell how the users of a scenario ended.
    if (users.byScenario.length > 0 && users.byScenario.every(({ ended }) => ended !== null))
      pairs.push([
        'users: scenarios',
        sum(users.byScenario.map(({ ended }) => ended)),
        users.completed + users.failed,
      ]);
    // unknown: those that a load that broke off left without an end
    if (!load.failures.unknown)
      pairs.push([
        'failed: seconds',
        sum(seconds.map(({ errors }) => errors)),
        sum(load.failures.kinds.filter(({ code }) => code !== 'unanswered-emit').map(countOf)),
      ]);
    for (const [index, { name, requests, errors, codes }] of endpoints.entries()) {
      const own = told?.endpoints[index];
      const refused = codes.filter(({ code }) => Number(code) >= 400);
      const unanswered = requests - sum(codes.map(countOf));
      pairs.push(
        [`${name}: requests in the timeline`, sum(own?.requests ?? []), requests],
        [`${name}: errors in the timeline`, sum(own?.errors ?? []), errors],
        [`${name}: codes`, sum(refused.map(countOf)) + unanswered, errors],
      );
    }
  }
  if (cpu?.perRequest)
    pairs.push(['CPU of workers', sum(cpu.workers.map(({ cpuMs }) => cpuMs ?? 0)), cpu.workersMs]);
  if (profile) {
    const { categories, samples } = profile;
    pairs.push(
      ['shares of categories', sum(categories.map(({ share }) => share.value)), 1],
      [
        'samples of workers',
        sum((cpu?.workers ?? []).map(one => one.samples ?? 0)),
        samples.active,
      ],
    );
    if (cpu?.perRequest)
      pairs.push(['CPU of categories', sum(categories.map(cpuOf)), cpu.perRequest.value]);
  }
  for (const endpoint of costs?.endpoints ?? []) {
    const { name, loadEndpoint, requests, shareOfCpu, cpuMsPerRequest, byCategory } = endpoint;
    const own = load?.endpoints.find(one => one.name === loadEndpoint);
    if (own) pairs.push([`${name}: answers of its cost`, requests, sum(own.codes.map(countOf))]);
    if (cpuMsPerRequest && byCategory.length > 0)
      pairs.push([
        `${name}: CPU by category`,
        sum(byCategory.map(part => part.cpuMsPerRequest)),
        cpuMsPerRequest.value,
      ]);
    if (cpuMsPerRequest && requests && cpu?.workersMs)
      pairs.push([
        `${name}: share of all CPU`,
        // two clocks: what was measured inside of requests may be a little more than all of the workers'
        Math.min(1, (cpuMsPerRequest.value * requests) / cpu.workersMs),
        shareOfCpu.value,
      ]);
  }
  if (costs && costs.endpoints.length > 0) {
    const shares = costs.endpoints.map(({ shareOfCpu }) => shareOfCpu.value);
    pairs.push(['shares of endpoints', sum(shares) + (costs.unattributed?.share ?? 0), 1]);
  }
  return pairs;
}

/**
 * What the page says of the whole run, and of all of its windows: the system counts workers' CPU time in
 * ticks, which a window can't divide.
 * @param {Report} report
 * @returns {Promise<ReturnType<typeof listPairs>>}
 */
async function listSelected(report) {
  const { profile, load } = report;
  if (!load) return [];
  const model = makeModel(wordReport(report));
  model.samples = profile && (await unpackSampleTable(profile.table));
  const whole = compute(model, getAll());
  const selected = compute(model, {
    ...getAll(),
    windows: { from: 0, to: model.windowCount },
  });
  const total = whole.counts?.total ?? 0;
  return [
    ['CPU per request', selected.estimateCost(total)?.value, whole.estimateCost(total)?.value],
    ...selected.endpoints.map(({ name, cpuMsPerRequest }, index) => {
      const own = whole.endpoints[index]?.cpuMsPerRequest;
      return /** @type {ReturnType<typeof listPairs>[number]} */ ([
        `CPU of ${name}`,
        cpuMsPerRequest?.value,
        own?.value,
      ]);
    }),
  ];
}

const countOf = (/** @type {{count: number}} */ { count }) => count;
const cpuOf = (/** @type {{cpuMsPerRequest: {value: number} | null}} */ one) =>
  one.cpuMsPerRequest?.value;

/** @param {Report} report @param {string} what */
async function assertAgree(report, what) {
  const pairs = listPairs(report);
  assert.ok(pairs.length > 0, what);
  for (const pair of pairs) assertSame(what, pair, 1e-6);
  for (const pair of await listSelected(report)) assertSame(`${what}, selected`, pair, 0.02);
}

/** @param {string} what @param {ReturnType<typeof listPairs>[number]} pair @param {number} tolerance */
function assertSame(what, [name, one, other], tolerance) {
  const text = `${what}, ${name}: ${one}, ${other}`;
  if (one === undefined && other === undefined) return;
  assert.ok(Number.isFinite(one) && Number.isFinite(other), text);
  assert.ok(Math.abs(Number(one) - Number(other)) <= tolerance * Math.max(1, Number(other)), text);
}

test('of recorded runs', async t => {
  for (const name of RECORDED)
    await assertAgree((await analyseRun(cloneRun(t, name))).report, name);
});

test('of runs of all kinds, with the companion and without', async t => {
  for (let seed = 1; seed <= RUNS; seed++) {
    for (const companion of [false, true]) {
      const run = makeRun({ ...drawSpec(seed), companion });
      const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
      await assertAgree(report, `seed ${seed}${companion ? ' with the companion' : ''}`);
      const { report: bare } = await analyseRun(writeRun(makeTempFolder(t), withoutStacks(run)));
      await assertAgree(bare, `seed ${seed}${companion ? ' with the companion' : ''}, no stacks`);
    }
  }
});
