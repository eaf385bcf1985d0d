import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startQueueServer } from '../../../research/find/queue-server.js';
import { test } from '../../helpers/quiet.js';
import { makeScene } from '../../helpers/scene.js';

/** Four places of 100 ms: eight users wait 200 ms for each response, and nine up to 300 ms. */
const QUEUE = { servers: 4, serviceMs: 100 };

/** @param {import('node:test').TestContext} t @param {string[]} args */
async function makeSearch(t, args) {
  const server = await startQueueServer(QUEUE);
  t.after(() => server.stop());
  const scene = makeScene(t, {});
  const limits = ['--find', 'http.p95 < 250ms', '--find', 'errors < 5%'];
  const typed = ['test', server.url, ...limits, ...args, '--profiles', scene.root];
  const run = scene.start(typed);
  const readResult = () => {
    const [name = ''] = readdirSync(scene.root);
    const folder = path.join(scene.root, name);
    const report = JSON.parse(readFileSync(path.join(folder, 'find.json'), 'utf8'));
    return { report, runs: readdirSync(path.join(folder, 'runs')) };
  };
  return { run, scene, readResult, args: typed };
}

test('finds the users of a queue with a known limit, and keeps each step as a run', async t => {
  const { run, readResult } = await makeSearch(t, ['--users', '4', '--markdown', 'find.md']);
  assert.equal(await run.ended, 0, run.output());
  assert.match(
    run.output(),
    /✔ 8 users is the highest number of users that keeps http\.p95 < 250ms/,
  );
  const { report, runs } = readResult();
  assert.deepEqual([report.end, report.below.runs, report.above.level], ['found', 3, 9]);
  assert.deepEqual(report.steps.map((/** @type {any} */ step) => step.folder).sort(), runs.sort());
});

test('Ctrl+C keeps the steps, reports the known result, and the search resumes with them', async t => {
  const { run, scene, readResult, args } = await makeSearch(t, ['--arrival-rate', '20']);
  while (!/^step 1: /m.test(run.output())) await sleep(200);
  await sleep(5000);
  run.signal('SIGINT');
  assert.equal(await run.ended, 130, run.output());
  assert.match(
    run.output(),
    /Interrupted\. The target keeps [\s\S]* at 20\s+users\/s; the highest load is not\s+known/,
  );
  const before = readResult();
  assert.deepEqual(
    before.runs,
    before.report.steps.map((/** @type {any} */ step) => step.folder),
    'the run that was cut off does not stay',
  );
  const [, folder = ''] = /--continue (\S+)/.exec(run.output()) ?? [];
  const again = scene.start([...args, '--continue', path.resolve(scene.home, folder)]);
  const next = new RegExp(`^step ${before.runs.length + 1}: `, 'm');
  while (!next.test(again.output())) await sleep(200);
  again.signal('SIGINT');
  assert.equal(await again.ended, 130, again.output());
  const after = readResult();
  assert.deepEqual(after.report.steps.slice(0, before.runs.length), before.report.steps);
  assert.ok(after.report.elapsedMs > before.report.elapsedMs);
  assert.deepEqual(await scene.processes.listLeft(), []);
});

test('a target that does not keep the limit at the lowest load', async t => {
  const limit = ['--find', 'http.p95 < 50ms', '--max-duration', '2m'];
  const { run } = await makeSearch(t, [...limit, '--arrival-rate', '4']);
  assert.equal(await run.ended, 5, run.output());
  assert.match(run.output(), /✖ The target does not keep .* at .*, the lowest load\./);
});
