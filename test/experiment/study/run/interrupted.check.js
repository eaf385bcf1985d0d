import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from '../../../helpers/quiet.js';
import { readError } from '../../../helpers/run-loadflame.js';
import { assertRunsMatch, makeStudyScene } from '../../../helpers/study-scene.js';

/** All cells of the study that `makeStudyFile` writes. */
const ALL = ['workers=1 r1 1', 'workers=1 r1 2', 'workers=2 r1 1', 'workers=2 r1 2'];

test('Ctrl+C stops a study within seconds and says how to go on; the same command does', async t => {
  const scene = makeStudyScene(t);
  const first = scene.run();
  await scene.waitForRecord('cell-end');
  await scene.waitForRecord('cell-start', 2);
  const stoppedMs = Date.now();
  first.signal('SIGINT');
  assert.equal(await first.ended, 130, first.output());
  assert.ok(Date.now() - stoppedMs < 10_000, `${Date.now() - stoppedMs} ms`);
  assert.match(first.output(), /stopped; to resume, type: .*\bstudy run .*burn\.yaml/);
  assert.deepEqual(await scene.processes.listLeft(), []);
  assert.equal((await scene.cells()).length, 1);
  await assertRunsMatch(scene);

  const second = scene.run();
  assert.equal(await second.ended, 0, second.output());
  assert.match(second.output(), /resuming .*: 1 cell ended before \(--new starts over\)/);
  assert.deepEqual(await scene.cells(), ALL);
  assert.equal(scene.folders().length, 1);
  await assertRunsMatch(scene);
  assert.deepEqual(await scene.processes.listLeft(), []);
});

test('kill -9 while services start, while a cell is measured and between two: no cell is lost, none twice', async t => {
  const scene = makeStudyScene(t);
  /** @type {[string, number, number][]} kind of the record, how many of it, and how long after it in ms */
  const moments = [
    ['block-start', 1, 20],
    ['cell-start', 1, 2000],
    ['cell-end', 1, 10],
    ['cell-start', 3, 300],
  ];
  for (const [index, [kind, count, delayMs]] of moments.entries()) {
    const study = scene.run();
    // What it waits for may have been written before it.
    await scene.waitForRecord('attempt', index + 1);
    await scene.waitForRecord(kind, count);
    await sleep(delayMs);
    study.signalAlone('SIGKILL');
    assert.equal(await study.ended, 'SIGKILL');
    assert.deepEqual(await scene.processes.listLeft(), [], `after ${kind}`);
  }
  const last = scene.run();
  assert.equal(await last.ended, 0, last.output());
  assert.deepEqual(await scene.cells(), ALL);
  assert.equal(scene.folders().length, 1);
  await assertRunsMatch(scene);
  const attempts = (await scene.records()).flatMap(record =>
    record.kind === 'attempt' ? `-${record.pid.toString(36)}-` : [],
  );
  assert.equal(attempts.length, moments.length + 1);
  const left = readdirSync(os.tmpdir()).filter(name =>
    attempts.some(pid => name.startsWith(`loadflame${pid}`)),
  );
  assert.deepEqual(left, []);
});

test('a study is run by one process at a time', async t => {
  const scene = makeStudyScene(t);
  const first = scene.run();
  await scene.waitForRecord('cell-start');
  for (const args of [[], ['--new']]) {
    const second = scene.run(...args);
    assert.equal(await second.ended, 2, second.output());
    assert.equal(readError(second.output()).code, 'ALREADY_RUNNING');
  }
  assert.equal(scene.folders().length, 1);
  first.signal('SIGINT');
  assert.equal(await first.ended, 130);
});
