import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('without a running run there is nothing to watch, and an ended run has a report', async t => {
  const folder = makeTempFolder(t);
  const none = await callLoadflame(folder, ['watch']);
  assert.equal(none.exit, 2);
  assert.equal(readError(none.stderr).code, 'WATCH_NOTHING');
  writeRun(path.join(folder, 'profiles/20261127-120000-shop'), makeRun({ durationSec: 5 }));
  assert.equal(readError((await callLoadflame(folder, ['watch'])).stderr).code, 'WATCH_NOTHING');
  const ended = await callLoadflame(folder, ['watch', '20261127-120000-shop']);
  assert.deepEqual([ended.exit, ended.stdout], [2, '']);
  const { code, hint } = readError(ended.stderr);
  assert.equal(code, 'WATCH_ENDED');
  assert.match(hint ?? '', /loadflame open profiles\/20261127-120000-shop --report/);
});
