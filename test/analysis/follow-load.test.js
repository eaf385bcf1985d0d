import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { createLoadFollower } from '../../lib/analysis/follow-load.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const PHASES = [
  { name: 'slow', durationSec: 130, factor: 0.3 },
  { name: 'pause', durationSec: 8, factor: 0 },
  { name: 'fast', durationSec: 130 },
];

/** A run whose lines come bit by bit, in the middle of characters, too. @param {import('node:test').TestContext} t */
function startRun(t) {
  const folder = writeRun(makeTempFolder(t), makeRun({ phases: PHASES, profile: false }));
  const files = runFiles(folder);
  const parts = [files.metrics, files.processes].map(file => {
    const bytes = readFileSync(file);
    writeFileSync(file, '');
    return { file, bytes, done: 0 };
  });
  /** @param {number} share of each file that is there then */
  const write = share => {
    for (const part of parts) {
      const end = Math.round(part.bytes.length * share);
      appendFileSync(part.file, part.bytes.subarray(part.done, end));
      part.done = end;
    }
  };
  return { folder, write };
}

test('reading in parts gives the same as a full analysis, also while windows become longer', async t => {
  const { folder, write } = startRun(t);
  const follow = createLoadFollower(folder);
  for (let step = 1; step < 40; step++) {
    write(step / 40);
    await follow(null);
  }
  write(1);
  const { load, timeline } = await follow(null);
  const { report } = await analyseRun(folder);
  assert.ok((report.timeline?.edgesMs.length ?? 0) > 130, 'windows of two seconds');
  assert.deepEqual(timeline, report.timeline);
  assert.deepEqual(load?.http, report.load?.http);
  assert.deepEqual(load?.endpoints, report.load?.endpoints);
  assert.deepEqual(load?.failures, report.load?.failures);
  assert.deepEqual(load?.window, report.load?.window);
});

test('windows go on like those of the last analysis, and each step finds what an analysis would', async t => {
  const { folder, write } = startRun(t);
  const follow = createLoadFollower(folder);
  write(0.3);
  const { report } = await analyseRun(folder);
  const like = report.timeline?.edgesMs ?? [];
  write(1);
  const { timeline } = await follow(like);
  const edges = timeline?.edgesMs ?? [];
  assert.deepEqual(edges.slice(0, like.length - 1), like.slice(0, -1));
  assert.equal((edges[2] ?? 0) - (edges[1] ?? 0), 1000);
  const sum = (/** @type {number[] | undefined} */ list) => list?.reduce((all, n) => all + n, 0);
  const whole = (await analyseRun(folder)).report;
  assert.equal(sum(timeline?.load?.requests), whole.load?.http.requests);
  assert.equal(edges.at(-1), whole.timeline?.edgesMs.at(-1));
});

test('half a line is left for the next time, and is not torn', async t => {
  const { folder, write } = startRun(t);
  const follow = createLoadFollower(folder);
  const file = runFiles(folder).metrics;
  write(0.5);
  const text = readFileSync(file, 'utf8');
  const whole = text.split('\n').slice(0, -1).length;
  assert.ok(!text.endsWith('\n'));
  const before = await follow(null);
  write(0.5001);
  assert.deepEqual(await follow(null), before);
  assert.ok(whole > 50);
});
