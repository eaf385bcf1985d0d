/** A real gunicorn recorded without stacks, where no py-spy is: `--profiler none`. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { readThreadTimes } from '../../lib/base/process/process-table.js';
import { listWorkers } from '../../lib/record/target/process-family.js';
import { assertComplete, assertPartial } from '../helpers/check-report.js';
import { FIXTURES, startGunicorn } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';
import { makeScene } from '../helpers/scene.js';

const BURN = path.join(FIXTURES, 'burn-load.yaml');
const NONE = ['--profiler', 'none'];
const NO_PYSPY = { PYSPY: '/nowhere/py-spy' };

/** CPU time by the scheduler's own accounts. @param {number} masterPid */
const readCpuMs = masterPid =>
  listWorkers(masterPid)
    .flatMap(pid => readThreadTimes(pid))
    .reduce((sum, { runMs }) => sum + runMs, 0);

test('a load in another terminal has the CPU of the server, and no stacks', async t => {
  const { url, masterPid } = await startGunicorn(t);
  const scene = makeScene(t, {
    TARGET: url,
    SERVER_PID: `${masterPid}`,
    // CPU time is sampled once a second, and shared out evenly within that second: at both ends of the
    // load that is up to 0.25 s of its work, 12 % of 4 s.
    DURATION: '12',
    ...NO_PYSPY,
  });
  const profile = scene.profile(NONE);
  await profile.waitFor(/no stacks/);
  const before = readCpuMs(masterPid);
  const load = scene.test([BURN]);
  assert.equal(await load.ended, 0, load.output());
  const spentMs = readCpuMs(masterPid) - before;
  profile.signal('SIGINT');
  assert.equal(await profile.ended, 0, profile.output());
  const run = await scene.waitForRun();
  assertComplete(run);
  const { cpu, load: sent, profile: stacks, bottleneck, timeline, run: info } = run.readReport();
  assert.equal(stacks, null);
  assert.equal(info.versions['py-spy'], undefined);
  assert.equal(cpu?.workers.length, 2);
  assert.ok(Math.abs((cpu.workersMs ?? 0) / spentMs - 1) < 0.1, `${cpu.workersMs}, ${spentMs} ms`);
  assert.equal(cpu.requests, sent?.http.responses);
  assert.ok((cpu.hostCores ?? 0) > 0 && (cpu.generatorCores ?? 0) > 0);
  assert.ok(bottleneck?.facts.workers?.processes === 2);
  assert.equal(timeline?.workers.length, 2);
  assert.match(profile.output(), /\n +2 workers used 0\.\d+ cores; a request/);
  assert.match(profile.output(), /No stacks were\s+recorded/);
});

test('one command records both, and a killed recording keeps its data', async t => {
  const { url, masterPid } = await startGunicorn(t);
  const scene = makeScene(t, {
    TARGET: url,
    SERVER_PID: `${masterPid}`,
    DURATION: '2',
    ...NO_PYSPY,
  });
  const both = scene.test([BURN, '--profile', ...NONE]);
  assert.equal(await both.ended, 0, both.output());
  const run = await scene.waitForRun(/burn/);
  assertComplete(run);
  assert.ok((run.readReport().cpu?.perRequest?.value ?? 0) > 2);

  const profile = scene.profile(NONE);
  await profile.waitFor(/recording · [2-9]/);
  profile.signalAlone('SIGKILL');
  await profile.ended;
  const killed = await scene.waitForRun(/-profile$/);
  const report = scene.start(['report', killed.folder]);
  assert.equal(await report.ended, 0, report.output());
  assertPartial(killed, report.output(), [/killed/]);
  assert.equal(killed.readReport().cpu?.workers.length, 2);
});
