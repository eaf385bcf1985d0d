import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cloneRun } from '../helpers/recorded-runs.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('without a script there is nothing to measure', async t => {
  const folder = makeTempFolder(t);
  const { exit, stderr } = await callLoadflame(folder, ['try', '--command', './serve.sh']);
  assert.equal(exit, 2, stderr);
  assert.equal(readError(stderr).code, 'TRY_NO_SCRIPT');
});

test('--fix without --command does not measure the demo after a run of another API', async t => {
  const run = cloneRun(t, 'users-fail');
  const folder = path.dirname(run);
  renameSync(run, path.join(folder, '20261101-101010-users-fail'));
  const args = ['try', '--fix', 'lazy-loading:Order.items', '--profiles', '.'];
  const { exit, stderr } = await callLoadflame(folder, args);
  assert.equal(exit, 2, stderr);
  const { code, hint } = readError(stderr);
  assert.equal(code, 'TRY_FIX_DEMO');
  assert.match(hint ?? '', /^add --command '<how you start your API>' and failing\.yaml/);
});

test('a time that is too short for a pair of runs is refused, and leaves no folder', async t => {
  const folder = makeTempFolder(t);
  const sides = ['--b-env', 'X=1', '--command', 'false', '--users', '1', 'http://127.0.0.1:9/'];
  const times = ['--duration', '30s', '--max', '45s'];
  const { exit, stderr } = await callLoadflame(folder, ['try', ...sides, ...times]);
  assert.equal(exit, 2, stderr);
  const { code, message, hint } = readError(stderr);
  assert.equal(code, 'TRY_TOO_SHORT');
  assert.match(message ?? '', /^--max 45 s is too short: a pair of runs takes about 76 s$/);
  assert.match(hint ?? '', /^use --max 3m, /);
  assert.deepEqual(readdirSync(path.join(folder, 'profiles')), []);
});
