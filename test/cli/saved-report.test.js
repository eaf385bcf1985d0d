/** The saved report is used as long as a new analysis would give the same one. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readSavedReport } from '../../lib/cli/saved-report.js';
import { updateManifest } from '../../lib/run/manifest.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { cloneRun } from '../helpers/recorded-runs.js';
import { callLoadflame } from '../helpers/run-loadflame.js';

/** A run with its report. @param {import('node:test').TestContext} t @param {...string} flags */
async function makeReported(t, ...flags) {
  const folder = cloneRun(t, 'users-fail');
  const { stdout, stderr } = await callLoadflame(folder, ['report', '.', ...flags]);
  assert.match(stdout, /report: /, stderr);
  return folder;
}

test('explain, report and compare read the report that is there', async t => {
  const folder = await makeReported(t);
  const fresh = await callLoadflame(folder, ['report', '.']);
  const { reportJson } = runFiles(folder);
  const report = JSON.parse(readFileSync(reportJson, 'utf8'));
  assert.deepEqual(readSavedReport(folder, null), report);
  const { name } = report.load.endpoints[0];
  writeFileSync(reportJson, JSON.stringify(report).replaceAll(name, 'GET /planted'));
  for (const args of [
    ['explain', '.', 'GET /planted'],
    ['report', '.', '--full'],
  ]) {
    const { stdout, stderr } = await callLoadflame(folder, args);
    assert.match(stdout, /GET \/planted/, stderr);
  }
  appendFileSync(runFiles(folder).metrics, '\n');
  const again = await callLoadflame(folder, ['report', '.']);
  assert.equal(again.stdout, fresh.stdout, 'a record that changed is read again');
});

test('a report is made again after any change of its sources', async t => {
  const changes = {
    'a record that changed': (/** @type {string} */ folder) =>
      appendFileSync(runFiles(folder).metrics, '\n'),
    'a record that was removed': (/** @type {string} */ folder) => rmSync(runFiles(folder).errors),
    'a manifest that changed': (/** @type {string} */ folder) =>
      updateManifest(runFiles(folder).manifest, {}),
    'a new event': (/** @type {string} */ folder) => appendFileSync(runFiles(folder).events, '\n'),
    'a manifest that was removed': (/** @type {string} */ folder) =>
      rmSync(runFiles(folder).manifest),
    'a page that was removed': (/** @type {string} */ folder) =>
      rmSync(runFiles(folder).reportHtml),
    'a report that is no JSON': (/** @type {string} */ folder) =>
      writeFileSync(runFiles(folder).reportJson, '{'),
    'a report without a time': (/** @type {string} */ folder) =>
      writeFileSync(runFiles(folder).reportJson, '{"run": {"files": 1}}'),
    'another version': (/** @type {string} */ folder) =>
      edit(folder, '"version":"', '"version":"0'),
  };
  const made = await makeReported(t);
  assert.ok(readSavedReport(made, null));
  for (const [name, change] of Object.entries(changes)) {
    const folder = await makeReported(t);
    /** @type {(folder: string) => void} */ (change)(folder);
    assert.equal(readSavedReport(folder, null), null, name);
  }
  updateManifest(runFiles(made).manifest, { status: 'running' });
  await callLoadflame(made, ['report', '.']);
  assert.equal(readSavedReport(made, null), null, 'a run that is under way');
});

test('a report from elsewhere is not trusted, whatever time it claims', async t => {
  const folder = await makeReported(t);
  const copy = path.join(folder, '..', 'copy');
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  assert.equal(readSavedReport(copy, null), null);
  const later = Date.now() + 3600e3;
  edit(copy, /"createdAtMs":\d+/, `"createdAtMs":${later}`);
  assert.equal(readSavedReport(copy, null), null);
});

test('a report belongs to the content of its rules', async t => {
  const rules = path.join(await makeReported(t), '..', 'rules.yaml');
  writeFileSync(rules, 'frames: []\n');
  const folder = await makeReported(t, '--rules-file', rules);
  assert.ok(readSavedReport(folder, rules));
  assert.equal(readSavedReport(folder, null), null);
  writeFileSync(rules, 'frames: [] # changed\n');
  assert.equal(readSavedReport(folder, rules), null);
});

/** @param {string} folder @param {string | RegExp} from @param {string} to */
function edit(folder, from, to) {
  const { reportJson } = runFiles(folder);
  writeFileSync(reportJson, readFileSync(reportJson, 'utf8').replace(from, to));
}
