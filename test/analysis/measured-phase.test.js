import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyse, analyseRun } from '../../lib/analysis/analyse-run.js';
import { readFolder } from '../../lib/analysis/read/read-folder.js';
import { sum } from '../../lib/base/math/summary.js';
import { writeCallsRun } from '../helpers/calls.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const [WARM_UP_SEC, MEASURED_SEC] = [6, 20];

test('a run that measures one phase is analysed without its warm-up, at every stage', async t => {
  const phases = [
    { name: 'warm-up', durationSec: WARM_UP_SEC, factor: 3 },
    { name: 'measured', durationSec: MEASURED_SEC },
  ];
  const run = makeRun({ phases, companion: true });
  const manifest = { ...run.manifest, measuredPhase: 'measured' };
  const { report } = await analyseRun(writeRun(makeTempFolder(t), { ...run, manifest }));
  const { load, timeline, costs } = report;
  const startMs = run.truth.startMs + WARM_UP_SEC * 1000;
  assert.deepEqual(load?.window, { startMs, endMs: startMs + MEASURED_SEC * 1000 });
  assert.equal(sum((timeline?.load?.requests ?? []).map(Number)), load?.http.requests);
  const costed = sum((costs?.endpoints ?? []).map(({ requests }) => Number(requests)));
  assert.ok(Math.abs(costed - (load?.http.requests ?? 0)) <= 2, `${costed}`);
});

test('calls of a part of a load are counted, and no others', async t => {
  const read = await readFolder(writeCallsRun(makeTempFolder(t)), { keepsSeconds: true });
  const [own] = read.records.load.tests;
  assert.ok(own?.busy);
  const window = { startMs: own.busy.startMs + 4000, endMs: own.busy.endMs };
  const seconds = /** @type {any[]} */ (own.records).filter(
    ({ kind, fromMs }) => kind === 'second' && fromMs >= window.startMs,
  );
  const { report } = await analyse(read, { part: { test: own, window, seconds } });
  assert.deepEqual(
    report.calls?.statements.map(({ id, requests, count }) => [id, requests, count]),
    [
      ['00000002', 12, 72],
      ['00000001', 12, 12],
      ['00000003', 12, 12],
    ],
  );
});
