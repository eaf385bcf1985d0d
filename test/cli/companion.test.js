import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { joinCompanion } from '../../lib/cli/commands/companion.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SOURCE = joinCompanion();

test('copies the companion and shows what to type next', async t => {
  const folder = makeTempFolder(t);
  mkdirSync(path.join(folder, 'api'));
  const clone = { npm_lifecycle_event: 'loadflame', npm_package_name: 'loadflame' };
  const { exit, stdout } = await callLoadflame(folder, ['companion', 'api'], clone);
  assert.match(stdout, /^then: npm run loadflame -- doctor /m);
  assert.equal(exit, 0);
  assert.match(stdout, /^wrote +api\/loadflame_companion\.py$/m);
  assert.match(stdout, /LOADFLAME=1 gunicorn -c loadflame_companion\.py app:app/);
  assert.match(stdout, /"import loadflame_companion"/);
  assert.match(stdout, /from loadflame_companion import wrap/);
  const copy = path.join(folder, 'api/loadflame_companion.py');
  assert.deepEqual(readFileSync(copy, 'utf8'), SOURCE);
  assert.match((await callLoadflame(folder, ['companion', 'api'])).stdout, /^kept /);
});

test('replaces a companion with its old name, or another file, only with --force', async t => {
  const folder = makeTempFolder(t);
  const file = path.join(folder, 'loadflame_gunicorn.py');
  writeFileSync(file, '# mine\n');
  const refused = await callLoadflame(folder, ['companion']);
  assert.equal(refused.exit, 2);
  assert.equal(readError(refused.stderr).code, 'COMPANION_DIFFERS');
  assert.equal(readFileSync(file, 'utf8'), '# mine\n');
  const forced = await callLoadflame(folder, ['companion', '--force']);
  assert.match(forced.stdout, /LOADFLAME=1 gunicorn -c loadflame_gunicorn\.py app:app/);
  assert.deepEqual(readFileSync(file, 'utf8'), SOURCE);
  assert.deepEqual(readdirSync(folder), ['loadflame_gunicorn.py'], 'one file, not two');
});

test('reports a missing folder', async t => {
  const refused = await callLoadflame(makeTempFolder(t), ['companion', 'nowhere']);
  assert.equal(refused.exit, 2);
  assert.equal(readError(refused.stderr).code, 'COMPANION_UNWRITABLE');
});

test('it has the version of loadflame', () => {
  const [, version] = /^__version__ = "(.*)"/m.exec(SOURCE) ?? [];
  const manifest = path.resolve(import.meta.dirname, '../../package.json');
  assert.equal(version, JSON.parse(readFileSync(manifest, 'utf8')).version);
});

test('doctor says whether the API has it, of this version, and whether it measures', async t => {
  const folder = makeTempFolder(t);
  /** @param {string} url */
  const ask = async url => {
    const { stdout } = await callLoadflame(folder, ['doctor', '--json'], { TARGET: url });
    return JSON.parse(stdout).find((/** @type {any} */ { id }) => id === 'companion');
  };
  const args = ['-c', path.resolve(import.meta.dirname, '../../companion/loadflame_companion.py')];
  const older = path.join(folder, 'loadflame_companion.py');
  writeFileSync(older, SOURCE.replace(/^__version__ = .*/m, '__version__ = "0.0.9"'));
  const unclocked = path.join(makeTempFolder(t), 'loadflame_companion.py');
  const clocked = /^thread_time = .*/m;
  assert.match(SOURCE, clocked);
  writeFileSync(unclocked, SOURCE.replace(clocked, 'thread_time = None'));
  const [having, lacking, outdated, unmeasured] = await Promise.all([
    startGunicorn(t, { workers: 1, args, env: { LOADFLAME: '1' } }),
    startGunicorn(t, { workers: 1, args }),
    startGunicorn(t, { workers: 1, args: ['-c', older], env: { LOADFLAME: '1' } }),
    startGunicorn(t, { workers: 1, args: ['-c', unclocked], env: { LOADFLAME: '1' } }),
  ]);
  const yes = await ask(having.url);
  assert.equal(yes.level, 'ok');
  assert.match(yes.text, /^installed in the API: worker [0-9a-f]{8}-\d+\.\d+ /);
  const no = await ask(lacking.url);
  assert.equal(no.level, 'skip');
  assert.match(no.hint, /loadflame companion/);
  const old = await ask(outdated.url);
  assert.equal(old.level, 'warn');
  assert.match(old.text, /0\.0\.9/);
  const without = await ask(unmeasured.url);
  assert.equal(without.level, 'warn');
  assert.match(without.text, /does not report CPU time/);
});
