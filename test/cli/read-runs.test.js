import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { LoadflameError } from '../../lib/base/errors.js';
import { checkTwice, expandRuns, readReports } from '../../lib/cli/read-runs.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @param {string} code @param {RegExp} message */
const failsWith = (code, message) => (/** @type {unknown} */ error) =>
  error instanceof LoadflameError && error.code === code && message.test(error.message);

/** @param {string} root */
function makeRuns(root) {
  for (const name of ['a', 'b'])
    writeRun(path.join(root, 'main', name), makeRun({ id: name, durationSec: 5, profile: false }));
  mkdirSync(path.join(root, 'main', 'notes'));
  return path.join(root, 'main');
}

test('a run folder is one run, a folder of runs is all of them', t => {
  const main = makeRuns(makeTempFolder(t));
  const runs = ['a', 'b'].map(name => path.join(main, name));
  assert.deepEqual(expandRuns([main]), runs);
  assert.deepEqual(expandRuns([path.join(main, 'b')]), [path.join(main, 'b')]);
});

test('refuses a path without a run, and a run that is named twice', async t => {
  const root = makeTempFolder(t);
  const main = makeRuns(root);
  writeFileSync(path.join(root, 'file'), '');
  assert.throws(
    () => expandRuns([path.join(root, 'none')]),
    failsWith('COMPARE_NO_RUN', /no such folder/),
  );
  assert.throws(
    () => expandRuns([path.join(root, 'file')]),
    failsWith('COMPARE_NO_RUN', /is a file/),
  );
  assert.throws(
    () => expandRuns([path.join(main, 'notes')]),
    failsWith('COMPARE_NO_RUN', /neither a run/),
  );
  assert.throws(
    () => expandRuns([main, path.join(main, 'a')]),
    failsWith('COMPARE_RUN_TWICE', /a is named twice/),
  );
  assert.throws(() => checkTwice(['/x', '/x']), failsWith('COMPARE_RUN_TWICE', /x is named twice/));
});

test('refuses a report.json that lacks a part, instead of failing within the comparison', async t => {
  const folder = makeTempFolder(t);
  const file = path.join(folder, 'report.json');
  for (const [text, reason] of /** @type {[string, RegExp][]} */ ([
    ['{"schema":"loadflame-report/2"}', /has no `run`/],
    ['{"schema":"loadflame-report/2","run":{},"findings":[]}', /has no `verdict`/],
    ['{"schema":"loadflame-report/3","run":{}}', /has the schema "loadflame-report\/3"/],
    ['{"schema":"loadflame-report/2","run":', /cannot be read/],
  ])) {
    writeFileSync(file, text);
    await assert.rejects(
      readReports([folder], { rulesFile: null }),
      failsWith('COMPARE_NO_RUN', reason),
    );
  }
});

test('a load and the same load merged with a recording count as one', t => {
  const main = makeRuns(makeTempFolder(t));
  /** @param {string} name @param {string} load @param {string} recording */
  const merge = (name, load, recording) => {
    const folder = path.join(main, name);
    cpSync(path.join(main, 'a'), folder, { recursive: true });
    const file = path.join(folder, 'run.json');
    const run = JSON.parse(readFileSync(file, 'utf8'));
    const clock = { from: 'unknown', startMs: 0, endMs: 0, uncertaintyMs: null, answers: 0 };
    const mergedFrom = { load, recording, host: run.host, clock };
    writeFileSync(file, JSON.stringify({ ...run, id: name, mergedFrom }));
    return folder;
  };
  const [a, b] = [path.join(main, 'a'), path.join(main, 'b')];
  const merged = merge('ab', 'a', 'b');
  assert.throws(() => checkTwice([a, merged]), failsWith('COMPARE_RUN_TWICE', /run a is/));
  // One recording may be of several loads.
  checkTwice([b, merged, merge('cb', 'c', 'b')]);
});

test('analyses runs again, and uses a report of loose files unchanged', async t => {
  const main = makeRuns(makeTempFolder(t));
  const loose = path.join(main, 'notes');
  const [report] = await readReports([path.join(main, 'a')], { rulesFile: null });
  assert.equal(report?.run.id, 'a');
  writeFileSync(path.join(loose, 'report.json'), JSON.stringify({ ...report, createdAtMs: 7 }));
  const [taken] = await readReports(expandRuns([loose]), { rulesFile: null });
  assert.equal(taken?.createdAtMs, 7);
  for (const [text, reason] of /** @type {const} */ ([
    ['{"schema": "other/2"}', /has the schema "other\/2"/],
    ['{', /report\.json cannot be read|cannot read its report\.json/],
  ])) {
    writeFileSync(path.join(loose, 'report.json'), text);
    await assert.rejects(
      readReports([loose], { rulesFile: null }),
      failsWith('COMPARE_NO_RUN', reason),
    );
  }
  rmSync(path.join(loose, 'report.json'));
  symlinkSync('/dev/full', path.join(loose, 'report.json'));
  await assert.rejects(
    readReports([loose], { rulesFile: null }),
    failsWith('COMPARE_NO_RUN', /no regular file/),
  );
});
