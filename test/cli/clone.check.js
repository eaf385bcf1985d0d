/** The README's first command, in a clone in which nothing is installed. */
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { makeTempFolder } from '../helpers/temp-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('npm start in a bare clone installs what it needs, no more, and ends with a report', async t => {
  const folder = path.join(makeTempFolder(t), 'clone');
  await execa('git', ['clone', '--quiet', ROOT, folder]);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const started = await execa('npm', ['start'], {
    cwd: folder,
    env,
    extendEnv: false,
    reject: false,
  });
  assert.equal(started.exitCode, 0, started.stderr + started.stdout);
  assert.equal(globSync('profiles/2*/report.html', { cwd: folder }).length, 1);
  assert.ok(!existsSync(path.join(folder, 'node_modules/artillery')), 'only for tests');
});
