import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { mergeFolders } from '../../lib/cli/merge-folders.js';
import { writeOutputs } from '../../lib/cli/write-outputs.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { fillDisk, mountDisk } from '../helpers/small-disk.js';
import { splitRun } from '../helpers/split-run.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('a nearly full disk keeps the page, not the copy of the stacks', async t => {
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

test('reports a disk without space for a merged run, and leaves nothing behind', async t => {
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
