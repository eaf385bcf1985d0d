import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { checkOutSides, readSides } from '../../../lib/experiment/try/sides.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const COMMAND = { command: './serve.sh' };
const OURS = { isDemo: false, redactText: createRedactor().redactText };

/** A repository with a commit on main, another one on `fast`, and a folder in it. @param {import('node:test').TestContext} t */
function makeRepository(t) {
  const folder = makeTempFolder(t);
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      encoding: 'utf8',
    });
  git('init', '--quiet', '--initial-branch=main');
  mkdirSync(path.join(folder, 'api'));
  for (const [branch, text] of [
    ['main', 'slow'],
    ['fast', 'fast'],
  ]) {
    if (branch !== 'main') git('switch', '--quiet', '--create', `${branch}`);
    writeFileSync(path.join(folder, 'api', 'app.py'), `${text}\n`);
    git('add', '.');
    git('commit', '--quiet', '--message', `${text}`);
  }
  const before = process.cwd();
  process.chdir(path.join(folder, 'api'));
  t.after(() => process.chdir(before));
  return { folder, git };
}

test('checks a reference out into a worktree, in the same folder of the repository', async t => {
  const { git } = makeRepository(t);
  const sides = await readSides({ ...COMMAND, a: 'main', b: '.' }, OURS);
  assert.deepEqual([sides.a.label, sides.b.label], ['main', 'this folder']);
  const work = makeTempFolder(t);
  const { sides: out, remove } = await checkOutSides(sides, work);
  assert.equal(out.b.folder, process.cwd());
  assert.equal(out.a.folder, path.join(work, 'a', 'api'));
  assert.equal(readFileSync(path.join(out.a.folder, 'app.py'), 'utf8'), 'slow\n');
  assert.equal(git('worktree', 'list').trim().split('\n').length, 2);
  await remove();
  assert.equal(git('worktree', 'list').trim().split('\n').length, 1);
  assert.equal(existsSync(out.a.folder), false);
});

test('removes what the worktree of a killed process left', async t => {
  const { git, folder } = makeRepository(t);
  git('worktree', 'add', '--quiet', '--detach', path.join(folder, 'gone'), 'main');
  execFileSync('rm', ['-r', path.join(folder, 'gone')]);
  const sides = await readSides({ ...COMMAND, a: 'main' }, OURS);
  const { remove } = await checkOutSides(sides, makeTempFolder(t));
  await remove();
  assert.equal(git('worktree', 'list').trim().split('\n').length, 1);
});

test('says why a reference can not be checked out, and leaves nothing behind', async t => {
  const { git, folder } = makeRepository(t);
  const sides = await readSides({ ...COMMAND, a: 'main', b: 'fast' }, OURS);
  const work = makeTempFolder(t);
  mkdirSync(path.join(work, 'b'));
  writeFileSync(path.join(work, 'b', 'in-the-way'), '');
  await assert.rejects(checkOutSides(sides, work), { code: 'TRY_NO_CHECKOUT', message: /fast/ });
  assert.equal(git('worktree', 'list').trim().split('\n').length, 1, folder);
});

test('refuses a name that is neither a folder nor a reference, and two equal sides', async t => {
  makeRepository(t);
  /** @param {import('../../../lib/experiment/try/sides.js').SideOptions} options @param {RegExp} message @param {string} [code] */
  const refuses = (options, message, code = 'TRY_SAME') =>
    assert.rejects(readSides({ ...COMMAND, ...options }, OURS), { code, message });
  await refuses(
    { a: 'mian' },
    /^--a mian is neither a folder nor a git reference: git knows no such name$/,
    'TRY_SIDE_UNKNOWN',
  );
  await refuses({ b: '--upload-pack=x' }, /nor a git reference/, 'TRY_SIDE_UNKNOWN');
  await refuses({}, /^side A and side B are the same \(this folder\)$/);
  await refuses({ a: 'fast', b: 'HEAD' }, /are the same \(fast\)/);
  await refuses({ a: 'fast', b: '.' }, /are the same/);
  await refuses({ aEnv: { X: '1' }, bEnv: { X: '1' } }, /are the same/);
  writeFileSync('app.py', 'changed\n');
  assert.ok(await readSides({ ...COMMAND, a: 'fast', b: '.' }, OURS));
  process.chdir(makeTempFolder(t));
  await refuses({ a: 'main' }, /not a git repository/, 'TRY_SIDE_UNKNOWN');
});

test('names sides by their difference', async t => {
  process.chdir(makeRepository(t).folder);
  /** @param {import('../../../lib/experiment/try/sides.js').SideOptions} options */
  const labels = async options => {
    const { a, b } = await readSides({ ...COMMAND, ...options }, OURS);
    return [a.label, b.label];
  };
  assert.deepEqual(await labels({ bEnv: { CACHE: 'on' } }), ['unchanged', 'CACHE=on']);
  assert.deepEqual(await labels({ bCommand: './other.sh' }), ['./serve.sh', './other.sh']);
  assert.deepEqual(await labels({ b: 'api' }), ['this folder', 'api']);
  const named = { b: 'api', labels: { before: 'old', after: 'new' } };
  assert.deepEqual(await labels(named), ['old', 'new']);
});

test('a side needs a command, and takes no secret from the command line', async t => {
  makeRepository(t);
  await assert.rejects(readSides({ aCommand: './serve.sh' }, OURS), {
    code: 'TRY_NO_COMMAND',
    message: 'side B has no command that starts its server',
  });
  await assert.rejects(readSides({ ...COMMAND, bEnv: { DB_PASSWORD: 'kn0wn-Zebra-17' } }, OURS), {
    code: 'SETTING_SECRET',
  });
});
