import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before } from 'node:test';
import { startDemo } from '../../demo/start.js';
import { assertComplete, assertPartial } from '../helpers/check-report.js';
import { waitUntil } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';
import { makeScene, SCENARIOS } from '../helpers/scene.js';

/** @type {import('../helpers/scene.js').Demo} */
let demo;
before(async () => {
  demo = await startDemo({ auth: 'cached' });
});
after(() => demo?.stop());

const CSR_ALL = path.join(SCENARIOS, 'csr-all.yaml');
const SHORT_PHASES = { WARM_UP_DURATION: '1', RAMP_DURATION: '1', DURATION: '3' };

test('one Ctrl+C in the first terminal writes one report of the profile and of both loads', async t => {
  const scene = makeScene(t, { ...demo.env, ...SHORT_PHASES });
  const profile = scene.profile();
  const run = await scene.waitForRun(/-profile$/);
  await run.waitForRecording();

  const all = scene.test([CSR_ALL]);
  await run.waitForLoad();
  const meanwhile = scene.test(undefined, { DURATION: '1' });
  assert.equal(await meanwhile.ended, 0, meanwhile.output());
  assert.equal(await all.ended, 0, all.output());
  assert.match(all.output(), /joined the recording in /);
  assert.match(all.output(), /The profiler is still recording: Ctrl\+C there/);

  await t.test('a load that starts while another is in the recording gets a folder', async () => {
    assert.doesNotMatch(meanwhile.output(), /joined/);
    const own = await scene.waitForRun(/-short-load$/);
    assert.equal(own.readReport().run.kind, 'load');
    assertComplete(own);
  });

  const second = scene.test(undefined, { DURATION: '1' });
  assert.equal(await second.ended, 0, second.output());
  assert.match(second.output(), /joined the recording in /);

  profile.signal('SIGINT');
  assert.equal(await profile.ended, 0, profile.output());
  const report = run.readReport();
  assertComplete(run);
  assert.equal(report.run.kind, 'load+profile');
  const commands = report.run.command?.split(' + ') ?? [];
  assert.equal(commands.length, 3);
  assert.match(commands[0] ?? '', /^loadflame profile\b/);
  assert.match(commands[1] ?? '', /^loadflame test .*csr-all\.yaml/);
  assert.match(commands[2] ?? '', /^loadflame test .*short-load\.yaml/);
  assert.equal(report.run.settings.find(({ name }) => name === 'DURATION')?.value, '1');
  assert.equal(report.load?.windows.length, 2);
  const byScenario = report.load?.users.byScenario ?? [];
  // Which of the csr scenarios a user plays is chance.
  assert.ok(byScenario.some(({ name }) => name.startsWith('CSR – ')));
  assert.ok(byScenario.some(({ name }) => name === 'look around'));
  assert.ok((report.load?.http.requests ?? 0) > 30);
  // The load takes about half a second of CPU; how many samples that gives depends on the scenarios.
  assert.ok((report.profile?.samples.recorded ?? 0) > 20);
  assert.match(profile.output(), /requests of \d+ users/);
  assert.match(profile.output(), /Where the CPU time of a request goes/);
  assert.deepEqual(await scene.processes.listLeft(), []);
  assert.equal(scene.listRuns().length, 2);
});

test('Ctrl+C again and again still gives a report, which a load that lasts longer completes', async t => {
  // The load outlives the report of the recording, on a busy machine too.
  const scene = makeScene(t, { ...demo.env, DURATION: '15' });
  const profile = scene.profile();
  const run = await scene.waitForRun();
  await run.waitForRecording();
  const load = scene.test();
  await run.waitForLoad();

  for (const said of ['stopping the profiler …\n', 'still writing; nothing is lost\n']) {
    profile.signal('SIGINT');
    await waitUntil(() => profile.output().includes(said), said);
  }
  profile.signal('SIGINT');
  assert.equal(await profile.ended, 0, profile.output());
  assertPartial(run, profile.output(), ['a load test is still running']);
  assert.deepEqual(
    run.readManifest().reasons.map(({ id }) => id),
    ['load-running'],
  );
  const early = run.readReport();

  assert.equal(await load.ended, 0, load.output());
  assert.doesNotMatch(load.output(), /still recording/);
  assertComplete(run);
  const late = run.readReport();
  assert.ok((late.load?.http.requests ?? 0) > (early.load?.http.requests ?? 0));
  assert.equal(late.profile?.samples.recorded, early.profile?.samples.recorded);
  assert.deepEqual(await scene.processes.listLeft(), []);
});
