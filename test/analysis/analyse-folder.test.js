import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyseFolder } from '../../lib/analysis/analyse-folder.js';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { LoadflameError } from '../../lib/base/errors.js';
import { sum } from '../../lib/base/math/summary.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { asArtillery } from '../helpers/split-run.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @typedef {import('../../lib/analysis/stacks/profile.d.ts').Profile} Profile */

/** More than is read in the thread that asks. */
const MANY_BYTES = 11e6;

/** @param {import('node:test').TestContext} t @param {{companion?: boolean}} [spec] */
function writeSynthetic(t, spec) {
  return writeRun(makeTempFolder(t), makeRun({ durationSec: 20, ...spec }));
}

/** @param {string} file @param {(text: string) => string} change */
function rewrite(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

test('a long run is the same in its own thread, with its profile first', async t => {
  const folder = writeSynthetic(t);
  const { report, profile } = await analyseRun(folder);
  const line = `${JSON.stringify({ t: 1, kind: 'before-the-load', text: 'x'.repeat(1e6) })}\n`;
  rewrite(runFiles(folder).metrics, text => line.repeat(MANY_BYTES / 1e6) + text);
  /** @type {unknown[]} */
  const told = [];
  const again = await analyseFolder(folder, {
    onProfile: recorded => told.push('profile', structuredClone(recorded)),
  }).finally(() => told.push('all'));
  assert.deepEqual(told, ['profile', profile, 'all']);
  assert.deepEqual(again.profile, profile);
  assert.deepEqual(again.report, { ...report, createdAtMs: again.report.createdAtMs });
  await assert.rejects(
    analyseFolder(folder, { rulesFile: `${folder}/none.yaml` }),
    error =>
      error instanceof LoadflameError && error.code === 'RULES_UNREADABLE' && error.exitCode > 1,
  );
});

test('windows are seconds if stacks have routes, even if no response shows the companion', async t => {
  const folder = writeSynthetic(t, { companion: true });
  const { report } = await analyseRun(folder);
  assert.equal(report.timeline?.basis, 'seconds');
  rewrite(runFiles(folder).metrics, text => text.replaceAll('"server":', '"unknown":'));
  const { report: silent } = await analyseRun(folder);
  for (const endpoint of report.timeline.load?.endpoints ?? []) {
    assert.ok(endpoint.measured);
    endpoint.measured = null;
  }
  assert.deepEqual(silent.timeline, report.timeline);
});

test('windows are Artillery’s periods if it sent the load, also for samples and CPU time', async t => {
  const run = makeRun({ durationSec: 30, companion: true });
  const folder = writeRun(makeTempFolder(t), run);
  const { report: ours } = await analyseRun(folder);
  asArtillery(folder);
  const { report } = await analyseRun(folder);
  assert.equal(report.timeline?.basis, 'periods');
  const { edgesMs, workers } = report.timeline;
  assert.deepEqual(report.profile?.table?.edgesMs, edgesMs);
  assert.equal(report.profile.samples.active, ours.profile?.samples.active);
  const cpuOf = (/** @type {typeof workers} */ list) =>
    Math.round(sum(list.flatMap(({ cpuMs }) => cpuMs.map(Number))));
  assert.equal(cpuOf(workers), cpuOf(ours.timeline?.workers ?? []));
});
