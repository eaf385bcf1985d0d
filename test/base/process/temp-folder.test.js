import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { makeTempFolder as makeOurs } from '../../../lib/base/process/temp-folder.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const MODULE = new URL('../../../lib/base/process/temp-folder.js', import.meta.url).href;

/** A process that makes a temporary folder and lives on. @param {import('node:test').TestContext} t */
async function startOther(t) {
  const code = `import { makeTempFolder } from '${MODULE}'; console.log(makeTempFolder()); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [folder] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, folder: String(folder).trim() };
}

/** @param {import('node:test').TestContext} t */
function makeNext(t) {
  const folder = makeOurs();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('the temporary folder of a killed run is removed by the next; those of living ones stay', async t => {
  const [killed, living] = await Promise.all([startOther(t), startOther(t)]);
  writeFileSync(path.join(killed.folder, 'script.json'), '{"password": "hunter2"}');
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  const mine = makeNext(t);
  assert.deepEqual(
    [killed.folder, living.folder, mine].map(folder => existsSync(folder)),
    [false, true, true],
  );
  assert.equal(statSync(mine).mode & 0o777, 0o700);
});

test('keeps a folder that only resembles ours', async t => {
  const { child, folder } = await startOther(t);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const name = path.basename(folder);
  const victim = makeTempFolder(t);
  writeFileSync(path.join(victim, 'mine'), '');
  /** @param {(parts: string[]) => void} change */
  const rename = change => {
    const parts = name.split('-');
    change(parts);
    return path.join(os.tmpdir(), parts.join('-'));
  };
  const link = rename(parts => parts.splice(-1, 1, '00000001'));
  symlinkSync(victim, link);
  // Its process has ended, and another has its number.
  const ended = rename(parts => parts.splice(1, 2, process.pid.toString(36), '1'));
  const ofOtherContainer = rename(parts => parts.splice(3, 1, '1'));
  const named = rename(parts => parts.splice(-1, 1, 'my-notes'));
  const strangers = rename(parts => parts.splice(-1, 1, '00000002'));
  for (const made of [ended, ofOtherContainer, named, strangers]) mkdirSync(made);
  const isRoot = spawnSync('chown', ['65534', strangers]).status === 0;
  t.after(() => {
    for (const made of [link, ended, ofOtherContainer, named, strangers])
      rmSync(made, { recursive: true, force: true });
  });
  makeNext(t);
  assert.ok(existsSync(path.join(victim, 'mine')));
  const there = [link, ofOtherContainer, named, ended].map(made => existsSync(made));
  assert.deepEqual(there, [true, true, true, false]);
  if (isRoot) assert.ok(existsSync(strangers), 'of another user');
});
