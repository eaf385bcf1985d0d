import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { placeHistory } from '../../lib/cli/commands/history.js';
import { appendEntry } from '../../lib/experiment/history/history-file.js';
import { makeEntries } from '../experiment/history/synthetic-history.js';
import { cloneRun } from '../helpers/recorded-runs.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  return execFileSync('git', ['-C', folder, ...who, ...args], { encoding: 'utf8' }).trim();
}

/** A repository with a commit for each entry, and a history in it. @param {string} folder @param {number} count */
function makeRepository(folder, count) {
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  return Array.from({ length: count }, (_, at) => {
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', `Change ${at}`);
    return git(folder, 'rev-parse', 'HEAD');
  });
}

test('names the commits between the runs around a change, and exits with 5 if asked to', async t => {
  const folder = makeTempFolder(t);
  const commits = makeRepository(folder, 24);
  for (const [at, entry] of makeEntries({ count: 24, seed: 5, shifts: [[12, 1.4]] }).entries())
    appendEntry(path.join(folder, 'h.ndjson'), { ...entry, commit: commits[at] ?? null });
  const shown = await callLoadflame(folder, ['history', 'h.ndjson', '--fail-on-change']);
  assert.equal(shown.exit, 5, shown.stderr);
  assert.match(shown.stdout, /1 change in 24 runs/);
  assert.match(shown.stdout, /Change 12/);
  assert.doesNotMatch(shown.stdout, /Change 3\b/);
  assert.match(shown.stdout, /[▁▂▃]+│[▄▅▆▇█]+/);
  const json = await callLoadflame(folder, ['history', 'h.ndjson', '--json']);
  assert.equal(json.exit, 0);
  assert.equal(JSON.parse(json.stdout).series[0].changes[0].at, 12);
});

test('adds an earlier run with the commit that the user names', async t => {
  const run = cloneRun(t, 'users-fail');
  const folder = path.dirname(run);
  makeRepository(folder, 1);
  const add = (/** @type {string[]} */ ...more) =>
    callLoadflame(folder, ['report', run, '--history', 'perf/h.ndjson', ...more]);
  const first = await add();
  assert.equal(first.exit, 0, first.stderr);
  assert.match(first.stdout, /history: perf\/h\.ndjson/);
  const second = await add('--commit', 'abcdef012345', '--branch', 'main');
  assert.equal(second.exit, 0, second.stderr);
  const lines = readFileSync(path.join(folder, 'perf/h.ndjson'), 'utf8').trim().split('\n');
  const [unknown, named] = lines.map(line => JSON.parse(line));
  assert.deepEqual([unknown.commit, unknown.branch], [null, null]);
  assert.deepEqual([named.commit, named.branch], ['abcdef012345', 'main']);
  assert.ok(named.measures.throughputPerSec > 0);
  const shown = await callLoadflame(folder, ['history', 'perf/h.ndjson']);
  assert.match(shown.stdout, /1 run\b.*cannot show a change/s);
});

test('reads commit, branch and changes of its folder, not of the history', async t => {
  const folder = makeTempFolder(t);
  const [commit] = makeRepository(folder, 1);
  writeFileSync(path.join(folder, 'h.ndjson'), '');
  writeFileSync(path.join(folder, 'app.py'), '');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '-m', 'Add files');
  appendFileSync(path.join(folder, 'h.ndjson'), '\n');
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(before));
  const place = await placeHistory('h.ndjson', {}, {});
  const head = git(folder, 'rev-parse', 'HEAD');
  assert.notEqual(head, commit);
  assert.deepEqual(place, { file: 'h.ndjson', commit: head, branch: 'main', isDirty: false });
  appendFileSync(path.join(folder, 'app.py'), 'x = 1\n');
  assert.equal((await placeHistory('h.ndjson', {}, {})).isDirty, true);
  git(folder, 'checkout', '--quiet', '--detach');
  const inBuild = await placeHistory('h.ndjson', {}, { CI_COMMIT_REF_NAME: 'topic' });
  assert.equal(inBuild.branch, 'topic');
  process.chdir(makeTempFolder(t));
  assert.equal((await placeHistory('h.ndjson', {}, {})).commit, null);
});

test('says what to do if the history cannot be written or read', async t => {
  const run = cloneRun(t, 'users-fail');
  const folder = path.dirname(run);
  const none = await callLoadflame(folder, ['history', 'h.ndjson']);
  assert.equal(none.exit, 2);
  assert.equal(readError(none.stderr).code, 'HISTORY_UNREADABLE');
  writeFileSync(path.join(folder, 'file'), '');
  const bad = await callLoadflame(folder, ['report', run, '--history', 'file/h.ndjson']);
  assert.equal(readError(bad.stderr).code, 'REPORT_UNWRITABLE');
  assert.match(bad.stderr, /loadflame report \S+ --history file\/h\.ndjson/);
});
