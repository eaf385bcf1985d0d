import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { selectSamples } from '../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../lib/analysis/sample-table/unpack.js';
import { compute, makeModel } from '../../lib/report/page/compute/compute.js';
import { createStore } from '../../lib/report/page/state.js';
import { wordReport } from '../../lib/text/index.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @import { PageState } from '../../lib/report/page/state.js' */

const READ = 'GET /api/v1/services/';
const BOOK = 'POST /api/v1/appointments/';
/** @type {import('../helpers/synthetic-run/synthetic-run.d.ts').SyntheticEndpoint[]} */
const ENDPOINTS = [
  {
    name: READ,
    route: '/services/',
    ratePerSec: 20,
    cpuMs: { business: 2, serialization: 2 },
    waitMs: { database: 60, lock: 20 },
  },
  {
    name: BOOK,
    route: '/appointments/',
    ratePerSec: 10,
    cpuMs: { business: 3 },
    waitMs: { database: 30, 'external-call': 120 },
  },
];

/** @param {import('node:test').TestContext} t @param {Parameters<typeof makeRun>[0]} [more] */
async function prepare(t, more) {
  const run = makeRun({ durationSec: 80, endpoints: ENDPOINTS, threads: 8, ...more });
  const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
  assert.ok(report.profile?.waits);
  const { waits, table } = report.profile;
  const model = makeModel(wordReport(report));
  model.samples = await unpackSampleTable(table);
  model.waiting = await unpackSampleTable(waits.table);
  /** @param {Partial<PageState>} state */
  const select = state => {
    const { waiting } = compute(model, createStore({ flame: 'waiting', ...state }).get());
    assert.ok(waiting);
    return waiting;
  };
  return { waits, model, select };
}

/** @param {number | null | undefined} value @param {number} expected @param {number} part that it may be off */
function assertNear(value, expected, part) {
  assert.ok(
    value != null && Math.abs(value / expected - 1) <= part,
    `${value} is not about ${expected}`,
  );
}

for (const companion of [true, false])
  test(`${companion ? 'with' : 'without'} the companion each endpoint waits as long per request as it truly does`, async t => {
    const { waits, select } = await prepare(t, { companion });
    const kinds = waits.table.categories.map(({ id }) => id);
    assert.deepEqual([...kinds].sort(), ['database', 'external-call', 'lock', 'other']);
    for (const { name, waitMs } of ENDPOINTS)
      for (const [kind, ms] of Object.entries(waitMs ?? {})) {
        const { counts, msPerSample } = select({ endpoints: [name], kinds: [kind] });
        // 80 s × 5 looks see 160 to 480 samples of it
        assertNear(counts.total * (msPerSample ?? 0), ms, 0.2);
      }
    const { counts, rounds } = select({});
    // Little's law: 20/s × 80 ms and 10/s × 150 ms
    assertNear(counts.total / rounds, 3.1, 0.1);
  });

test('has every sample of a thread inside a request, and every sampling round in a window', async t => {
  const { waits, model } = await prepare(t);
  assert.ok(model.waiting);
  const { total } = selectSamples(model.waiting);
  const rounds = waits.table.rounds.reduce((sum, own) => sum + own, 0);
  assert.equal(rounds, 80 * 5);
  assertNear(total / rounds, waits.busyThreads, 1e-9);
  assert.equal(model.windowCount, waits.table.rounds.length);
  assert.deepEqual(waits.table.edgesMs, model.edgesMs);
});

test('the middle third of the time has a third of the rounds and of the waiting', async t => {
  const { model, select, waits } = await prepare(t);
  const { windowCount } = model;
  const third = { from: Math.round(windowCount / 3), to: Math.round((windowCount * 2) / 3) };
  const [part, all] = [select({ windows: third }), select({})];
  const share = (third.to - third.from) / windowCount;
  assertNear(part.rounds, all.rounds * share, 0.02);
  assertNear(part.counts.total, all.counts.total * share, 0.15);
  assert.deepEqual([part.isInRange, all.isInRange], [true, false]);
  assert.equal(waits.table.isTimed, false);
  const pid = waits.table.workers[0] ?? -1;
  const one = select({ workers: [pid] });
  assert.ok(one.counts.total > 0.3 * all.counts.total && one.counts.total < 0.7 * all.counts.total);
  assert.equal(one.msPerSample, null, 'what a worker serves is not known');
});

test('counts samples at places that no rule names separately, and leaves out those without an endpoint', async t => {
  const { select, waits, model } = await prepare(t, {
    endpoints: ENDPOINTS.map(own => ({ ...own, cpuMs: { ...own.cpuMs, 'auth:introspect': 4 } })),
  });
  assert.ok(model.waiting);
  const other = waits.table.categories.length - 1;
  const named = select({});
  const { categories } = selectSamples(model.waiting);
  assert.equal(named.unnamed, categories[other]);
  assert.ok(named.unnamed > 0);
  const only = select({ kinds: ['other'] });
  assert.deepEqual([only.counts.total, only.hasUnnamed], [named.unnamed, true]);
  const parts = [READ, BOOK].map(name => select({ endpoints: [name] }));
  const inside = parts.reduce((sum, { counts, unnamed }) => sum + counts.total + unnamed, 0);
  const [{ unattributed } = named] = parts;
  assert.ok(unattributed > 0, 'the validation of tokens is below no view');
  assert.equal(inside + unattributed, named.counts.total + named.unnamed);
});
