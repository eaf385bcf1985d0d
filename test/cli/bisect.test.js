/** What `bisect` refuses, and that no text of a repository reaches a shell, a terminal or an option of git. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findFreePort } from '../helpers/gunicorn.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SCRIPT = ['--target', 'http://127.0.0.1:9', 'http://127.0.0.1:9/'];

/** Commits \`one\` and \`two\`, and a branch beside them. @param {import('node:test').TestContext} t */
function makeRepository(t) {
  const folder = makeTempFolder(t);
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  for (const tag of ['one', 'two']) {
    writeFileSync(path.join(folder, 'app.py'), tag);
    git('add', '.');
    git('commit', '--quiet', '--message', `${tag} \u001b[31m$(touch pwned)`);
    git('tag', tag);
  }
  git('switch', '--quiet', '--orphan', 'other');
  git('commit', '--quiet', '--allow-empty', '--message', 'other');
  git('switch', '--quiet', 'main');
  return { folder, git };
}

test('refuses ends that are no commits, options of git, or no range', async t => {
  const { folder } = makeRepository(t);
  for (const [good, bad, code] of [
    ['two', 'one', 'BISECT_NO_RANGE'],
    ['one', 'one', 'BISECT_NO_RANGE'],
    ['other', 'two', 'BISECT_NO_RANGE'],
    ['.', 'two', 'BISECT_NO_RANGE'],
    ['--output=pwned', 'two', 'TRY_SIDE_UNKNOWN'],
    ['--upload-pack=touch pwned', 'two', 'TRY_SIDE_UNKNOWN'],
    ['$(touch pwned)', 'two', 'TRY_SIDE_UNKNOWN'],
    ['one..two', 'two', 'TRY_SIDE_UNKNOWN'],
    ['one', '\u001b[31m', 'TRY_SIDE_UNKNOWN'],
  ]) {
    const ends = [`--good=${good}`, `--bad=${bad}`, '--command', 'false'];
    const { exit, stderr } = await callLoadflame(folder, ['bisect', ...ends, ...SCRIPT]);
    assert.equal(readError(stderr).code, code, `${good} ${bad}: ${stderr}`);
    assert.equal(exit, 2);
    assert.ok(!stderr.includes('\u001b[31m'));
  }
  const noCommand = await callLoadflame(folder, ['bisect', '--good', 'one', ...SCRIPT]);
  assert.equal(readError(noCommand.stderr).code, 'TRY_NO_COMMAND');
  assert.ok(!existsSync(path.join(folder, 'pwned')) && !existsSync('pwned'));
});

test('the subject of a commit is text, and a version that does not start ends it and leaves nothing', async t => {
  const { folder, git } = makeRepository(t);
  const before = [git('worktree', 'list'), git('status', '--porcelain'), git('rev-parse', 'HEAD')];
  const ends = ['--good', 'one', '--bad', 'two', '--command', 'exit 7'];
  const { exit, stderr } = await callLoadflame(folder, ['bisect', ...ends, ...SCRIPT]);
  assert.equal(readError(stderr).code, 'TRY_SIDE_FAILED', stderr);
  assert.ok(exit !== 0);
  assert.match(stderr, /1 commit left, about 1 step: trying .*\$\(touch pwned\)/);
  assert.ok(!stderr.includes('\u001b[31m') && !existsSync(path.join(folder, 'pwned')));
  const after = [git('worktree', 'list'), git('status', '--porcelain'), git('rev-parse', 'HEAD')];
  assert.deepEqual(after, before);
});

test('a step that the time does not decide ends it, with what is left and how to go on', async t => {
  const { folder } = makeRepository(t);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = `exec python3 -m http.server ${port} --bind 127.0.0.1`;
  const ends = ['--good', 'one', '--bad', 'two', '--command', server, '--target', url];
  const script = path.join(makeTempFolder(t), 'script.json');
  const flow = [{ get: { url: '/' } }, { think: 0.1 }];
  writeFileSync(script, JSON.stringify({ config: { target: url }, scenarios: [{ flow }] }));
  const load = ['--users', '1', '--duration', '2s', '--max', '30s', script];
  const { exit, stderr } = await callLoadflame(folder, ['bisect', ...ends, ...load]);
  assert.equal(readError(stderr).code, 'BISECT_UNDECIDED', stderr);
  assert.ok(exit !== 0);
  assert.match(stderr, /^error: \w+ two .* is not clearly worse than \w+ one .*undecided/m);
  assert.match(stderr, /hint: +1 commit left: .* `--max 30m --continue /);
});
