/** Signals to each of two terminals, and a terminal that is closed. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before } from 'node:test';
import { startDemo } from '../../demo/start.js';
import { describePartial } from '../../lib/text/quality.js';
import { assertPartial } from '../helpers/check-report.js';
import { test } from '../helpers/quiet.js';
import { makeScene, SCRIPT } from '../helpers/scene.js';

const INTERRUPTED = 'the load test was interrupted (Ctrl+C or a signal)';

/** @type {import('../helpers/scene.js').Demo} */
let demo;
before(async () => {
  demo = await startDemo({ auth: 'cached' });
});
after(() => demo?.stop());

test('SIGTERM ends a load that joined with 130, SIGHUP the recording with 0, both with a report', async t => {
  const scene = makeScene(t, { ...demo.env, DURATION: '30' });
  const profile = scene.profile();
  const run = await scene.waitForRun();
  await run.waitForRecording();
  const load = scene.test();
  await run.waitForLoad();
  load.signalAlone('SIGTERM');
  assert.equal(await load.ended, 130, load.output());
  assertPartial(run, load.output(), [INTERRUPTED]);
  assert.equal(run.readManifest().status, 'running');
  profile.signalAlone('SIGHUP');
  assert.equal(await profile.ended, 0, profile.output());
  assertPartial(run, profile.output(), [INTERRUPTED]);
  assert.deepEqual(run.readManifest().reasons.map(describePartial), [INTERRUPTED]);
  assert.deepEqual(await scene.processes.listLeft(), []);
});

test('closing the terminal does not lose the report', async t => {
  const scene = makeScene(t, { ...demo.env, DURATION: '30' });
  const terminal = scene.loadflameInTerminal(['test', SCRIPT, '--profile']);
  const run = await scene.waitForRun();
  await run.waitForLoad();
  terminal.close();
  await terminal.ended;
  assert.deepEqual(await scene.processes.listLeft(20_000), []);
  const { status, reasons } = run.readReport().run;
  assert.deepEqual([status, reasons.map(describePartial)], ['partial', [INTERRUPTED]]);
  assert.ok(existsSync(run.files.reportHtml));
  assert.equal(run.readManifest().status, 'partial');
});
