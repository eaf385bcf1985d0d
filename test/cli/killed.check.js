import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { startDemo } from '../../demo/start.js';
import { listWorkers } from '../../lib/record/target/process-family.js';
import { assertPartial } from '../helpers/check-report.js';
import { waitUntil } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';
import { GENERATOR, makeScene, PY_SPY, SCRIPT } from '../helpers/scene.js';

const KILLED =
  'loadflame itself was killed or could not write: the data that it was about to record is missing';
const LOAD_KILLED = 'the load test was killed, or its end could not be written';

/** @type {import('../helpers/scene.js').Demo} */
let demo;
before(async () => {
  demo = await startDemo({ auth: 'cached' });
});
after(() => demo?.stop());

/** @param {ReturnType<typeof makeScene>} scene @param {RegExp} command */
function kill(scene, command) {
  const found = scene.processes.find(command);
  assert.ok(found.length > 0, `no process ${command}`);
  for (const { pid } of found) process.kill(pid, 'SIGKILL');
}

test('kill -9 of py-spy and of a worker: the load continues, and the report shows what is missing', async t => {
  // A request that the worker was at fails with it: one user of twelve.
  const scene = makeScene(t, { ...demo.env, DURATION: '3', ALLOWED_FAILURES: '50%' });
  const load = scene.test([SCRIPT, '--profile']);
  const run = await scene.waitForRun();
  await run.waitForLoad();
  const [worker = 0, ...others] = listWorkers(demo.gunicornPid);
  kill(scene, PY_SPY);
  process.kill(worker, 'SIGKILL');
  assert.equal(await load.ended, 0, load.output());

  assertPartial(run, load.output(), [
    /^1 profile segment was lost$/,
    /^py-spy was ended by SIGKILL$/,
    `worker ${worker} ended during the recording`,
  ]);
  assert.ok((run.readReport().profile?.samples.recorded ?? 0) > 0, 'py-spy was started again');
  assert.deepEqual(await scene.processes.listLeft(), []);
  assert.ok(others.every(pid => listWorkers(demo.gunicornPid).includes(pid)));
});

test('kill -9 of the load generator: exit code 6, and a report up to then', async t => {
  const scene = makeScene(t, { ...demo.env, DURATION: '30' });
  const load = scene.test([SCRIPT, '--profile']);
  const run = await scene.waitForRun();
  await run.waitForLoad();
  kill(scene, GENERATOR);
  assert.equal(await load.ended, 6, load.output());
  assertPartial(run, load.output(), [
    'the load generator was ended by SIGKILL before the load test was over',
  ]);
  assert.equal(run.readManifest().status, 'partial');
  assert.ok((run.readReport().load?.http.responses ?? 0) > 0);
  assert.deepEqual(await scene.processes.listLeft(), []);
});

test('kill -9 of `loadflame test --profile`: its children end, `report` builds the rest', async t => {
  const scene = makeScene(t, { ...demo.env, DURATION: '30' });
  const load = scene.test([SCRIPT, '--profile']);
  const run = await scene.waitForRun();
  await run.waitForLoad();
  await run.waitForSegments();
  load.signalAlone('SIGKILL');
  assert.equal(await load.ended, 'SIGKILL');
  assert.deepEqual(await scene.processes.listLeft(), []);

  const report = scene.start(['report', '--profiles', scene.root]);
  assert.equal(await report.ended, 0, report.output());
  assertPartial(run, report.output(), [KILLED, LOAD_KILLED]);
  assert.ok((run.readReport().load?.http.responses ?? 0) > 0);
  assert.ok(run.readReport().profile);
});

test('kill -9 of a load that joined leaves the recording; of the recording, the next load', async t => {
  const scene = makeScene(t, { ...demo.env, DURATION: '30' });
  const profile = scene.profile();
  const run = await scene.waitForRun();
  await run.waitForRecording();
  const first = scene.test();
  await run.waitForLoad();
  first.signalAlone('SIGKILL');
  assert.equal(await first.ended, 'SIGKILL');
  await waitUntil(
    () => scene.processes.find(GENERATOR).length === 0,
    'the end of the load generator',
  );

  const second = scene.test(undefined, { DURATION: '8' });
  await run.waitForLoad(2);
  // What was recorded before the kill is what the report has to show.
  await run.waitForSegments();
  profile.signalAlone('SIGKILL');
  assert.equal(await profile.ended, 'SIGKILL');
  await waitUntil(() => scene.processes.find(PY_SPY).length === 0, 'the end of py-spy');
  assert.equal(await second.ended, 0, second.output());
  assert.deepEqual(await scene.processes.listLeft(), []);

  assertPartial(run, second.output(), [KILLED, LOAD_KILLED]);
  const report = run.readReport();
  assert.equal(report.load?.windows.length, 2);
  assert.ok((report.profile?.samples.recorded ?? 0) > 0);
  assert.equal(scene.listRuns().length, 1);
});

test('kill -9 of the master: the recording ends, the load is not valid, a new recording has nothing', async t => {
  const own = await startDemo({ auth: 'cached' });
  t.after(() => own.stop());
  // The load outlives the report of the recording, on a busy machine too.
  const scene = makeScene(t, { ...own.env, DURATION: '20' });
  const profile = scene.profile();
  const run = await scene.waitForRun();
  await run.waitForRecording();
  const load = scene.test();
  await run.waitForLoad();
  process.kill(own.gunicornPid, 'SIGKILL');
  assert.equal(await profile.ended, 0, profile.output());
  const gone = `the server is gone (process ${own.gunicornPid})`;
  assertPartial(run, profile.output(), ['a load test is still running', gone]);
  // All that came after was refused.
  assert.equal(await load.ended, 6, load.output());
  assertPartial(run, load.output(), [gone]);
  assert.deepEqual(await scene.processes.listLeft(), []);
  assert.equal(run.readManifest().status, 'partial');

  const nothing = makeScene(t, own.env);
  const late = nothing.profile();
  assert.equal(await late.ended, 2, late.output());
  assert.match(late.output(), /SERVER_PID_WRONG/);
  assert.deepEqual(nothing.listRuns(), []);
});
