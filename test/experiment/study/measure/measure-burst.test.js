import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createRandom } from '../../../../lib/base/math/random.js';
import { Sketch } from '../../../../lib/base/math/sketch.js';
import { measureCell } from '../../../../lib/experiment/study/measure/measure-cell.js';
import { runFiles } from '../../../../lib/run/run-folder.js';
import { makeRun, writeRun } from '../../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

const START = 1_795_211_100_000;
const SIZE = 400;
/** Of the synthetic run: what comes after the burst is in it, too. */
const SECONDS = 40;

/**
 * A run in which so many were sent at once in its third second.
 * @param {import('node:test').TestContext} t
 * @param {{answerMs: (n: number) => number, doneSec?: (n: number) => number, pollMs?: number}} truth
 *   when the n-th is answered, and when it is done
 */
function writeBurst(t, { answerMs, doneSec, pollMs = 100 }) {
  const phases = [{ name: 'measured', durationSec: SECONDS }];
  const run = makeRun({ phases, profile: false, model: 'open' });
  const atMs = START + 2300;
  for (const record of run.metrics) {
    if (record.kind === 'phase-start') record.t = atMs;
    if (record.kind === 'second')
      Object.assign(record, { counters: {}, sketches: {}, endpoints: {} });
  }
  const second = run.metrics.find(({ kind, fromMs }) => kind === 'second' && fromMs > atMs);
  assert.ok(second);
  const times = new Sketch();
  for (let n = 1; n <= SIZE; n++) times.accept(answerMs(n));
  const sketches = { 'http.total_from_intended': times.toJson(), 'http.total': times.toJson() };
  const counters = { 'http.requests': SIZE, 'http.codes.202': SIZE, 'vusers.created': SIZE };
  Object.assign(second, { counters, sketches });
  const folder = writeRun(makeTempFolder(t), run);
  const polls = doneSec ? Math.floor((SECONDS * 1000) / pollMs) : 0;
  const lines = Array.from({ length: polls }, (_, poll) => {
    const at = START + 37 + poll * pollMs;
    let done = 0;
    while (done < SIZE && doneSec && doneSec(done + 1) * 1000 <= at - atMs) done++;
    const values = { completed: 7000 + done };
    return `${JSON.stringify({ t: at, kind: 'probe', name: 'tasks', tookMs: 3, values })}\n`;
  });
  writeFileSync(runFiles(folder).probes, lines.join(''));
  return folder;
}

const throughput = { probe: 'tasks', field: 'completed' };
const off = (/** @type {number} */ value, /** @type {number} */ truth) =>
  Math.abs(value / truth - 1);

test('reports the rates at which a burst is accepted and done, and the time until all is done', async t => {
  // answered at 160/s; the first is done after a second, then 25 a second
  const folder = writeBurst(t, { answerMs: n => (n * 1000) / 160, doneSec: n => 1 + n / 25 });
  const cell = await measureCell(folder, { throughput, burst: SIZE });
  assert.ok(off(cell.dispatchPerSec, 160) < 0.04, `${cell.dispatchPerSec}/s`);
  assert.ok(off(cell.throughputPerSec, 25) < 0.01, `${cell.throughputPerSec}/s`);
  assert.ok(off(cell.burst?.drainSec ?? 0, 17) < 0.01, `${cell.burst?.drainSec} s`);
  assert.equal(cell.burst?.done, SIZE);
  assert.deepEqual([cell.requests, cell.good, cell.errors], [SIZE, SIZE, 0]);
  // the middle 80 %, from 2.6 s to 15.4 s after the burst
  assert.ok(Math.abs(cell.seconds - 12.8) < 0.2, `${cell.seconds}`);
});

test('late starts and the rest at the end do not change the rate', async t => {
  // a tenth of it takes half of the time, at either end
  const slow = (/** @type {number} */ n) =>
    n <= 40 ? n / 5 : n <= 360 ? 8 + (n - 40) / 50 : 14.4 + (n - 360) / 5;
  const cell = await measureCell(writeBurst(t, { answerMs: () => 5, doneSec: slow }), {
    throughput,
    burst: SIZE,
  });
  assert.ok(off(cell.throughputPerSec, 50) < 0.02, `${cell.throughputPerSec}/s`);
  assert.ok(off(cell.burst?.drainSec ?? 0, 22.4) < 0.01);
});

test('a burst that is not done in its time has a rate and no drain', async t => {
  const cell = await measureCell(writeBurst(t, { answerMs: n => n, doneSec: n => n / 5 }), {
    throughput,
    burst: SIZE,
  });
  assert.equal(cell.burst?.drainSec, null);
  assert.ok(off(cell.burst?.done ?? 0, 188) < 0.02, `${cell.burst?.done}`);
  assert.ok(off(cell.throughputPerSec, 5) < 0.02, `${cell.throughputPerSec}/s`);
});

test('without a probe a burst is done when it gets its responses', async t => {
  const random = createRandom(3);
  const folder = writeBurst(t, { answerMs: n => n * 20 + 5 * random() });
  const cell = await measureCell(folder, { burst: SIZE });
  assert.ok(off(cell.throughputPerSec, 50) < 0.04, `${cell.throughputPerSec}/s`);
  assert.equal(cell.dispatchPerSec, cell.throughputPerSec);
  assert.ok(off(cell.burst?.drainSec ?? 0, 8) < 0.03, `${cell.burst?.drainSec}`);
});

test('a burst that ends between two samples has no rate', async t => {
  const folder = writeBurst(t, { answerMs: () => 5, doneSec: n => n / 4000, pollMs: 500 });
  await assert.rejects(measureCell(folder, { throughput, burst: SIZE }), {
    code: 'STUDY_PROBE_SILENT',
  });
});
