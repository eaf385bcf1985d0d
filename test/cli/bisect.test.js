/** What `bisect` refuses, and that no text of a repository reaches a shell, a terminal or an option of git. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeRepository } from '../helpers/two-commits.js';

const SCRIPT = ['--target', 'http://127.0.0.1:9', 'http://127.0.0.1:9/'];

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
