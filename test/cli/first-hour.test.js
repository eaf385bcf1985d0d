import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readError, runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { serve } from '../record/load/helpers.js';

test('an address is a script: so many users ask for it, at that address and no other', async t => {
  const target = await serve(t, (_, response) => response.end('ok'));
  const folder = makeTempFolder(t);
  const args = ['test', `${target}/items?page=2`, '--users', '2', '--duration', '1s'];
  const run = await runLoadflame(folder, args, { TARGET: 'http://127.0.0.1:1' });
  assert.equal(run.exit, 0, run.stderr);
  const place = path.dirname(/^report: (.*)$/m.exec(run.stdout)?.[1] ?? '');
  const report = JSON.parse(readFileSync(path.join(folder, place, 'report.json'), 'utf8'));
  assert.equal(report.run.target, target);
  assert.deepEqual(
    report.load.endpoints.map((/** @type {{name: string}} */ { name }) => name),
    ['GET /items'],
  );
  assert.deepEqual(
    report.load.phases.map((/** @type {{name: string}} */ { name }) => name),
    ['users'],
  );
  // The advice is the command that was typed, and what is missing in it.
  const again = `loadflame test '${target}/items?page=2' --duration 1s --users 2`;
  assert.equal(report.run.command, again);
  assert.match(run.stdout.replace(/\s+/g, ' '), /type: loadflame test '.*' .*--users 2 --profile/);
});

test('an address with a password is refused: it would be in every report', async t => {
  const run = await runLoadflame(makeTempFolder(t), ['test', 'http://a:secret@127.0.0.1:1/']);
  assert.equal(run.exit, 2);
  assert.equal(readError(run.stderr).code, 'SETTING_INVALID');
});
