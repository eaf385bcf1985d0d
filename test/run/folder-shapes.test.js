import assert from 'node:assert/strict';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @typedef {'metrics' | 'segments' | 'processes'} Name */

/**
 * The report of a small run whose first record of a kind was changed.
 * @param {import('node:test').TestContext} t @param {Name} name @param {string} kind @param {(record: any) => void} change
 */
async function analyse(t, name, kind, change) {
  const folder = writeRun(makeTempFolder(t), makeRun({ durationSec: 5 }));
  const file = runFiles(folder)[name];
  const records = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  change(records.find(record => record.kind === kind));
  writeFileSync(file, records.map(record => `${JSON.stringify(record)}\n`).join(''));
  const before = process.cpuUsage();
  const { report } = await analyseRun(folder);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 5e6, `${(user + system) / 1e6} s`);
  return report;
}

/** What a broken clock, a full disk or a hostile sender leaves. @type {[string, Name, string, (record: any) => void][]} */
const WRONG = [
  ['a second that is moved by 10¹³ ms', 'metrics', 'second', record => (record.fromMs += 1e13)],
  ['a segment that ends after 10¹³ ms', 'segments', 'segment', record => (record.endMs += 1e13)],
  ['a sample of another century', 'processes', 'sample', record => (record.t -= 4e12)],
  ['a bin at 10⁹', 'metrics', 'second', record => (firstSketch(record).bins[0][0] = 1e9)],
  ['a bin at −10⁹', 'metrics', 'second', record => (firstSketch(record).bins[0][0] = -1e9)],
  ['bins that are none', 'metrics', 'second', record => (firstSketch(record).bins = null)],
  ['a count that is no number', 'processes', 'sample', record => (record.cpuMs = '12')],
];

/** @param {any} record */
function firstSketch({ endpoints }) {
  const [{ statuses }] = /** @type {any[]} */ (Object.values(endpoints));
  return /** @type {any} */ (Object.values(statuses)[0]).timeToFirstByte;
}

for (const [title, name, kind, change] of WRONG) {
  test(`${title} is left out and reported`, async t => {
    const report = await analyse(t, name, kind, change);
    const torn = report.quality.find(({ id }) => id === 'torn');
    assert.deepEqual(torn?.facts, { records: 1 });
    assert.ok(report.load && report.load.http.requests > 0);
  });
}

test('leaves out and reports a login without an issuer', async t => {
  const folder = writeRun(makeTempFolder(t), makeRun({ durationSec: 5, profile: false }));
  const login = { t: 1795211099000, kind: 'configured', flow: 'password', mode: 'shared' };
  const add = (/** @type {object} */ record) =>
    writeFileSync(runFiles(folder).tokens, `${JSON.stringify(record)}\n`);
  add({ ...login, issuer: 'https://idp' });
  assert.equal((await analyseRun(folder)).report.load?.tokens?.issuer, 'https://idp');
  add(login);
  const { report } = await analyseRun(folder);
  assert.equal(report.load?.tokens, null);
  assert.deepEqual(report.quality.find(({ id }) => id === 'torn')?.facts, { records: 1 });
});

test('nothing of a run that is whole is left out', async t => {
  const report = await analyse(t, 'metrics', 'second', () => {});
  assert.ok(!report.quality.some(({ id }) => id === 'torn'));
});

for (const [what, target] of [
  ['a device', '/dev/zero'],
  ['itself', 'run.json'],
]) {
  test(`a manifest that is a link to ${what} is a named error at once`, async t => {
    const folder = writeRun(makeTempFolder(t), makeRun({ durationSec: 2 }));
    const { manifest } = runFiles(folder);
    rmSync(manifest);
    symlinkSync(/** @type {string} */ (target), manifest);
    await assert.rejects(analyseRun(folder), { code: 'RUN_FOLDER_NOT_ONE' });
  });
}
