/** What a command prints is fit for pipes: results on stdout alone, no escape codes, a closed pipe is no error. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { LOADFLAME, runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const PROFILE = path.resolve(
  import.meta.dirname,
  '../analysis/stacks/fixtures/gunicorn-gthread.raw',
);
/** The first byte of every escape sequence. */
const ESCAPE = '\x1b';

/** A folder with a profile in it. @param {import('node:test').TestContext} t */
function makeProfile(t) {
  const folder = makeTempFolder(t);
  copyFileSync(PROFILE, path.join(folder, 'a.raw'));
  return folder;
}

test('a report of loose files says where it is, without escape codes in a pipe; open --print prints that and nothing else', async t => {
  const folder = makeProfile(t);
  const ended = await runLoadflame(folder, ['report', 'a.raw']);
  const run = path.join('profiles', readdirSync(path.join(folder, 'profiles'))[0] ?? '');
  assert.equal(ended.exit, 0, ended.stderr);
  assert.ok(ended.stdout.endsWith(`report: ${run}/report.html`), ended.stdout.slice(-200));
  assert.ok(!(ended.stdout + ended.stderr).includes(ESCAPE));

  const { exit, stdout } = await runLoadflame(folder, ['open', run, '--print']);
  assert.equal(exit, 0);
  assert.equal(stdout, path.join(folder, run, 'speedscope.html'));
  const report = await runLoadflame(folder, ['open', '--report', '--print']);
  assert.equal(report.stdout, path.join(folder, run, 'report.html'));
});

test('FORCE_COLOR, TERM and NO_COLOR put no escape codes into a pipe', async t => {
  const folder = makeProfile(t);
  for (const [name, value] of [
    ['FORCE_COLOR', '1'],
    ['TERM', 'xterm-256color'],
    ['NO_COLOR', '1'],
  ]) {
    const env = { [String(name)]: String(value) };
    const { stdout, stderr } = await runLoadflame(folder, ['report', 'a.raw'], env);
    assert.ok(stdout.length > 100);
    assert.ok(!(stdout + stderr).includes(ESCAPE), JSON.stringify(env));
  }
});

test('doctor --print-config lists every setting with its source, secrets masked', async t => {
  const env = { OIDC_PASSWORD: 'hunter2-hunter2', TARGET: 'http://127.0.0.1:1' };
  const args = ['doctor', '--print-config'];
  const { exit, stdout, stderr } = await runLoadflame(makeTempFolder(t), args, env);
  assert.equal(exit, 0, stderr);
  assert.match(stdout, /^TARGET +http:\/\/127\.0\.0\.1:1 +\(environment\)$/m);
  assert.match(stdout, /^OIDC_PASSWORD +\*+ +\(environment\)$/m);
  assert.match(stdout, /^DURATION +30 +\(default\)$/m);
  assert.ok(!stdout.includes('hunter2'));
});

test('a reader that closes the pipe ends the command quietly', async t => {
  const folder = makeProfile(t);
  const child = spawn(process.execPath, [LOADFLAME, 'report', 'a.raw'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // As `head -1` does, but before there is anything to read.
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text;
  });
  const exit = await new Promise(resolve => child.on('close', resolve));
  assert.equal(exit, 0, stderr);
  assert.equal(stderr.replace(/^reading …\n/, ''), '');
});
