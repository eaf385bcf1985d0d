import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/build-report.js';
import {
  compareCosts,
  readThreadCpu,
  renderCosts,
} from '../../scripts/check-costs/compare-costs.js';
import { copyWithoutCompanion } from '../../scripts/check-costs/without-companion.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('a run without what the companion wrote is judged by what it measured', async t => {
  const root = makeTempFolder(t);
  const folder = writeRun(path.join(root, 'run'), makeRun({ companion: true, rateHz: 100 }));
  copyWithoutCompanion(folder, path.join(root, 'copy'));
  const { report } = await analyseRun(folder);
  const { report: without } = await analyseRun(path.join(root, 'copy'));
  assert.equal(report.costs?.basis, 'companion');
  assert.equal(without.costs?.basis, 'name');
  assert.equal(without.profile?.samples.inWindow, report.profile?.samples.inWindow);
  assert.equal(readThreadCpu(without).size, 0);
  const measured = readThreadCpu(report);
  assert.equal(measured.size, 2);
  const rows = compareCosts(without, measured, 0.2);
  assert.equal(rows.length, 2);
  assert.ok(
    rows.every(({ isJudged, isGood }) => isJudged && isGood),
    renderCosts(rows),
  );
});

test('a cost that is too far off is no good, unless there are too few samples to say so', async t => {
  const folder = writeRun(makeTempFolder(t), makeRun({ companion: true, rateHz: 100 }));
  const { report } = await analyseRun(folder);
  const twice = new Map([...readThreadCpu(report)].map(([name, ms]) => [name, ms * 2]));
  const rows = compareCosts(report, twice, 0.2);
  assert.ok(rows.every(({ isGood }) => !isGood));
  assert.match(renderCosts(rows), /^✖ GET .*-\d\d\.\d %$/m);
  for (const endpoint of report.costs?.endpoints ?? []) endpoint.samples = 299;
  assert.ok(compareCosts(report, twice, 0.2).every(({ isGood, isJudged }) => isGood && !isJudged));
});
