/** A folder that somebody sent is read, and nothing in it is run: not by who stands in it either. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { contentStudy } from '../helpers/synthetic-study/examples.js';
import { makeStudy, writeStudy } from '../helpers/synthetic-study/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const PROFILE = path.resolve(
  import.meta.dirname,
  '../analysis/stacks/fixtures/gunicorn-gthread.raw',
);

/** A report of somebody else's, with programs in it. @param {import('node:test').TestContext} t */
async function makeReceived(t) {
  const home = makeTempFolder(t);
  copyFileSync(PROFILE, path.join(home, 'a.raw'));
  await callLoadflame(home, ['report', 'a.raw']);
  const folder = path.join(home, 'profiles', readdirSync(path.join(home, 'profiles'))[0] ?? '');
  const pwned = path.join(home, 'pwned');
  writeFileSync(path.join(folder, 'envs.sh'), `touch ${pwned}\n`);
  writeFileSync(path.join(folder, '.env'), 'CHROME_PATH=./browser\n');
  return { home, folder, pwned };
}

test('no command that reads a folder runs the envs.sh in it', async t => {
  const { home, folder, pwned } = await makeReceived(t);
  for (const args of [
    ['open', '.', '--print'],
    ['open', '--report', '--print', '.'],
    ['report', '.'],
    ['report', path.basename(folder), '--profiles', '..'],
    ['compare', '.', folder],
  ]) {
    await callLoadflame(folder, args);
    assert.ok(!existsSync(pwned), args.join(' '));
  }
  writeFileSync(path.join(home, 'envs.sh'), `touch ${pwned}\n`);
  await callLoadflame(home, ['report', 'a.raw']);
  assert.ok(existsSync(pwned), 'the envs.sh of a project is run');
});

test('no command in the folder of a study or a run runs its envs.sh', async t => {
  const home = makeTempFolder(t);
  const outside = path.join(home, 'outside');
  const study = path.join(home, 'study');
  writeStudy(study, makeStudy(contentStudy));
  const run = writeRun(path.join(study, 'runs', 'a'), makeRun({ durationSec: 5, profile: false }));
  copyFileSync(PROFILE, path.join(run, 'profile', 'a.raw'));
  for (const folder of [study, run, path.join(run, 'profile')])
    writeFileSync(path.join(folder, 'envs.sh'), `touch ${outside}\n`);
  for (const [folder, ...args] of [
    [study, 'report', 'runs/a'],
    [run, 'report', 'profile/a.raw', '--profiles', home],
    [path.join(run, 'profile'), 'test', 'none.yaml'],
    [study, 'compare', 'runs/none', 'runs/a'],
  ]) {
    await callLoadflame(String(folder), args);
    assert.ok(!existsSync(outside), args.join(' '));
  }
  // A file of this name is no study: it is of the project, whose envs.sh is a part of it.
  writeFileSync(path.join(home, 'plan.json'), '{"schema": "of/1"}');
  writeFileSync(path.join(home, 'envs.sh'), `touch ${outside}\n`);
  await callLoadflame(home, ['test', 'none.yaml']);
  assert.ok(existsSync(outside));
});

test('a folder cannot choose the program that opens it', async t => {
  const { home, folder } = await makeReceived(t);
  const browser = path.join(home, 'profiles', 'started');
  writeFileSync(path.join(folder, 'browser'), `#!/bin/sh\ntouch ${browser}\n`, { mode: 0o755 });
  const { stdout } = await callLoadflame(folder, ['open', '.', '--report']);
  assert.match(stdout, /report\.html$/, 'without a desktop the page is named');
});

test('open does not write through a link to another folder', async t => {
  const { home, folder } = await makeReceived(t);
  const elsewhere = makeTempFolder(t);
  symlinkSync(elsewhere, path.join(folder, 'speedscope'));
  const { exit, stdout } = await callLoadflame(home, ['open', folder, '--print']);
  assert.equal(exit, 0);
  assert.equal(path.dirname(stdout), folder);
  assert.deepEqual(readdirSync(elsewhere), []);
});
