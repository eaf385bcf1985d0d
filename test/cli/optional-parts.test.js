/** What a report can do without never costs it. */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startFakeTarget } from '../helpers/fake-target.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeScene } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('a failing --explain-sql, collector and page cost neither the run nor its report', async t => {
  const target = await startFakeTarget(t, { '/': {} });
  const scene = makeScene(t, {
    EXPLAIN_DATABASE_URL: 'sqlite:///gone.db',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'no address',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz',
  });
  const load = scene.test([target, '--duration', '3', '--users', '1', '--explain-sql', '--live']);
  const run = await scene.waitForRun();
  await run.waitForAnswers(1);
  // Nothing is written through a link.
  symlinkSync('/nowhere', path.join(run.folder, 'load', 'plans.ndjson'));
  assert.equal(await load.ended, 0, load.output());
  assert.match(load.output(), /--explain-sql failed: /);
  assert.match(load.output(), /metrics could not be sent by OTLP/);
  assert.equal(run.readReport().run.status, 'complete');
});

test('a database address that cannot be read is refused before the load, without its value', async t => {
  const target = await startFakeTarget(t, { '/': {} });
  const folder = makeTempFolder(t);
  for (const url of [
    'postgresql://u:%zz@h/d',
    'postgresql://u:zz9secret@h:port/d',
    'oracle://u:zz9secret@h/d',
  ]) {
    const env = { EXPLAIN_DATABASE_URL: url };
    const { exit, stderr } = await callLoadflame(folder, ['test', target, '--explain-sql'], env);
    assert.equal(exit, 2);
    assert.equal(readError(stderr).code, 'SETTING_INVALID');
    assert.match(stderr, /EXPLAIN_DATABASE_URL/);
    assert.doesNotMatch(stderr, /zz/);
  }
});

test('a file for --explain-analyze is read before the load', async t => {
  const target = await startFakeTarget(t, { '/': {} });
  const env = { EXPLAIN_DATABASE_URL: 'sqlite:///a.db' };
  const args = ['test', target, '--explain-analyze', 'gone.sql'];
  const { exit, stderr } = await callLoadflame(makeTempFolder(t), args, env);
  assert.equal(exit, 2);
  assert.equal(readError(stderr).code, 'EXPLAIN_FILE_WRONG');
});
