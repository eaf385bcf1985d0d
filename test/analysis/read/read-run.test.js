import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { readRun } from '../../../lib/analysis/read/read-run.js';
import { runFiles } from '../../../lib/run/run-folder.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('a file of Artillery that was cut off is named, with what to do', async t => {
  const folder = writeRun(makeTempFolder(t), makeRun({ durationSec: 2, profile: false }));
  const { artillery } = runFiles(folder);
  writeFileSync(artillery, '{"aggregate": {"counters": {');
  await assert.rejects(readRun(folder), {
    code: 'RUN_FILE_UNREADABLE',
    message: /load\/artillery\.json: .*JSON/,
    hint: /delete it to report without it/,
  });
});
