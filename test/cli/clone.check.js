/** The README's first commands, in a clone in which nothing is installed. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { makeTempFolder } from '../helpers/temp-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('npm start in a bare clone installs what it needs, ends with a report, and repeats its load after the fix', async t => {
  const folder = path.join(makeTempFolder(t), 'clone');
  await execa('git', ['clone', '--quiet', ROOT, folder]);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = async (/** @type {string} */ command) => {
    const options = { cwd: folder, env, extendEnv: false, reject: false, shell: true };
    const { exitCode, stdout, stderr } = await execa(command, options);
    assert.equal(exitCode, 0, stderr + stdout);
    return stdout;
  };
  await run('npm start');
  assert.equal(globSync('profiles/2*/report.html', { cwd: folder }).length, 1);
  assert.ok(!existsSync(path.join(folder, 'node_modules/artillery')), 'only for tests');

  const readme = readFileSync(path.join(folder, 'README.md'), 'utf8');
  const commands = readme.match(
    /(?<=`)(?:DEMO_AUTH=cached npm start|npm run compare -- last[^`]*)/g,
  );
  assert.equal(commands?.length, 2, 'the story after the fix');
  await run(commands[0] ?? '');
  const compared = await run(commands[1] ?? '');
  assert.doesNotMatch(compared, /not comparable/i);
  const [, change] = /CPU per request .*~ −([\d.]+) %/.exec(compared) ?? [];
  assert.ok(Number(change) > 40, compared);
});
