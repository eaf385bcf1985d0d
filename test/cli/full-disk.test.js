import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemo } from '../../demo/start.js';
import { mergeFolders } from '../../lib/cli/merge-folders.js';
import { writeOutputs } from '../../lib/cli/write-outputs.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { assertPartial } from '../helpers/check-report.js';
import { test } from '../helpers/quiet.js';
import { makeScene, SCRIPT } from '../helpers/scene.js';
import { splitRun } from '../helpers/split-run.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @type {import('../helpers/scene.js').Demo} */
let demo;
before(async () => {
  demo = await startDemo({ auth: 'cached' });
});
after(() => demo?.stop());

/**
 * A disk of its own, of 4 MB; null where mounting is not allowed.
 * @param {import('node:test').TestContext} t
 */
function mountDisk(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-test-disk-'));
  t.after(() => {
    spawnSync('umount', [folder]);
    rmdirSync(folder);
  });
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]);
  return mount.status === 0 ? folder : null;
}

/** Leaves not one byte. @param {string} file */
function fillDisk(file) {
  for (let size = 1 << 20; size >= 1; size = size > 1 ? size >> 1 : 0) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch (error) {
      assert.equal(/** @type {NodeJS.ErrnoException} */ (error).code, 'ENOSPC');
    }
  }
}

test('a full disk is told, and costs nothing that was written before', async t => {
  const disk = mountDisk(t);
  if (!disk) return t.skip('only root may mount a small disk here');
  const scene = makeScene(t, { ...demo.env, DURATION: '30' }, { root: path.join(disk, 'runs') });
  const load = scene.test([SCRIPT, '--profile']);
  const run = await scene.waitForRun();
  await run.waitForLoad();
  await run.waitForSegments();
  // Not before a whole second was recorded: the disk fills within one.
  await run.waitForAnswers(10);
  const junk = path.join(disk, 'junk');
  fillDisk(junk);
  await load.waitFor(/cannot write the run folder: ENOSPC/);
  await sleep(1500);
  load.signal('SIGINT');
  assert.equal(await load.ended, 3, load.output());
  assert.match(load.output(), /code: {2}REPORT_UNWRITABLE/);
  // What can't be kept can be read at least, and says why it is not whole.
  assert.match(load.output(), /\d+ requests of \d+ users?/);
  assert.match(load.output(), /killed or could not write/);
  assert.match(load.output(), /No space left on device/);
  assert.doesNotMatch(load.output(), /still running/);
  assert.deepEqual(await scene.processes.listLeft(), []);
  assert.ok(!existsSync(run.files.reportHtml));

  rmSync(junk);
  const report = scene.start(['report', '--profiles', scene.root]);
  assert.equal(await report.ended, 0, report.output());
  assertPartial(run, report.output(), [
    /^loadflame itself was killed or could not write/,
    /^the load test was killed, or its end could not be written$/,
    /^1 profile segment was lost$/,
    'py-spy ended with code 1: No space left on device (os error 28)',
  ]);
  assert.ok((run.readReport().load?.http.responses ?? 0) > 0);
  assert.ok(run.readReport().profile);
});

test('a disk that has no room for all of a report keeps the page, not the copy of the stacks', async t => {
  const disk = mountDisk(t);
  if (!disk) return t.skip('only root may mount a small disk here');
  const folder = writeRun(path.join(disk, 'run'), makeRun({ durationSec: 10 }));
  const files = runFiles(folder);
  const io = { stdout: { write: () => {} }, stderr: { write: () => {} }, env: {} };
  await writeOutputs(folder, { rulesFile: null, io });
  const sizeOf = (/** @type {string} */ file) => statSync(file).size;
  const room = sizeOf(files.reportJson) + sizeOf(files.reportHtml) + sizeOf(files.raw) / 2;
  for (const file of [files.reportJson, files.reportHtml, files.raw]) rmSync(file);
  const junk = path.join(disk, 'junk');
  fillDisk(junk);
  truncateSync(junk, sizeOf(junk) - Math.round(room));
  await assert.rejects(writeOutputs(folder, { rulesFile: null, io }), {
    code: 'REPORT_UNWRITABLE',
  });
  assert.ok(existsSync(files.reportHtml) && existsSync(files.reportJson));
  assert.ok(!existsSync(files.raw));
});

test('a disk that has no room for the run that two are made into is told, and nothing of it stays', async t => {
  const disk = mountDisk(t);
  if (!disk) return t.skip('only root may mount a small disk here');
  const run = makeRun({ companion: true, durationSec: 10 });
  const { load, recording } = splitRun(makeTempFolder(t), run, { behindMs: () => 0 });
  const junk = path.join(disk, 'junk');
  fillDisk(junk);
  truncateSync(junk, statSync(junk).size - 100_000);
  await assert.rejects(mergeFolders([load, recording], { profiles: disk }), {
    code: 'RUN_FOLDER_UNWRITABLE',
    message: /ENOSPC/,
  });
  assert.deepEqual(readdirSync(disk), ['junk']);
});
