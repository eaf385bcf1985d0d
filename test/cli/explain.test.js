import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { cloneRun } from '../helpers/recorded-runs.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';

test('explains a run as text and as JSON, and lists the names for an unknown one', async t => {
  const run = cloneRun(t, 'users-fail');
  const folder = path.dirname(run);
  const json = await callLoadflame(folder, ['explain', 'users-fail', '--json', '--profiles', '.']);
  assert.equal(json.exit, 0, json.stderr);
  assert.ok(Buffer.byteLength(json.stdout) <= 4096);
  const { verdict, items } = JSON.parse(json.stdout);
  const [{ name, title }] = items;
  const text = await callLoadflame(folder, ['explain', run, name]);
  assert.ok(text.stdout.startsWith(verdict));
  assert.ok(text.stdout.includes(title));
  const wrong = await callLoadflame(folder, ['explain', run, 'no_such_name']);
  assert.equal(wrong.exit, 2);
  assert.equal(readError(wrong.stderr).code, 'EXPLAIN_UNKNOWN');
  assert.ok(wrong.stderr.includes(name));
});
