/** A folder that somebody sent is read, and nothing in it is run: not by who stands in it either. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const PROFILE = path.resolve(import.meta.dirname, '../profile/fixtures/gunicorn-gthread.raw');

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

test('a folder does not say which program opens it', async t => {
  const { home, folder } = await makeReceived(t);
  const browser = path.join(home, 'profiles', 'started');
  writeFileSync(path.join(folder, 'browser'), `#!/bin/sh\ntouch ${browser}\n`, { mode: 0o755 });
  const { stdout } = await callLoadflame(folder, ['open', '.', '--report']);
  assert.match(stdout, /report\.html$/, 'without a desktop the page is named');
});

test('open writes into no folder that a link in place of its own leads to', async t => {
  const { home, folder } = await makeReceived(t);
  const elsewhere = makeTempFolder(t);
  symlinkSync(elsewhere, path.join(folder, 'speedscope'));
  const { exit, stdout } = await callLoadflame(home, ['open', folder, '--print']);
  assert.equal(exit, 0);
  assert.equal(path.dirname(stdout), folder);
  assert.deepEqual(readdirSync(elsewhere), []);
});
