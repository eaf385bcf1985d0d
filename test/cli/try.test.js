import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cloneRun } from '../helpers/recorded-runs.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';

test('--fix without --command does not measure the demo after a run of another API', async t => {
  const run = cloneRun(t, 'users-fail');
  const folder = path.dirname(run);
  renameSync(run, path.join(folder, '20261101-101010-users-fail'));
  const args = ['try', '--fix', 'lazy-loading:Order.items', '--profiles', '.'];
  const { exit, stderr } = await callLoadflame(folder, args);
  assert.equal(exit, 2, stderr);
  const { code, hint } = readError(stderr);
  assert.equal(code, 'TRY_SIDES');
  assert.match(hint ?? '', /^add --command '<how you start your API>' and failing\.yaml/);
});
