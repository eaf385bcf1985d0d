import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureCell } from '../../../../lib/experiment/study/measure/measure-cell.js';
import { makeRun, writeRun } from '../../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

const START = 1_795_211_100_000;
const PHASES = ['warm-up', 'before', 'measured', 'after'].map((name, index) => ({
  name,
  durationSec: index === 0 ? 2 : 6,
}));
const [SPIKE, SLOTS, NEAR] = ['POST /emails', 'GET /slots', 'GET /near'];
/** Seconds of the spike. */
const isIn = (/** @type {number} */ fromMs) => fromMs >= START + 8000 && fromMs < START + 14_000;

/** @param {number} count @param {number} ms */
const answers = (count, ms) => ({
  requests: count,
  errors: 0,
  statuses: {
    200: {
      count,
      total: { count, sum: count * ms, min: ms, max: ms, zero: 0, bins: [[key(ms), count]] },
    },
  },
});
/** The bin of a sketch that holds it. @param {number} ms */
const key = ms => Math.ceil(Math.log(ms) / Math.log(1.01 / 0.99));

test('reports each endpoint before, in and after the spike, and the latency of the others in it', async t => {
  const run = makeRun({ phases: PHASES, profile: false, model: 'open' });
  for (const record of run.metrics)
    if (record.kind === 'second')
      record.endpoints = {
        [SLOTS]: answers(20, isIn(record.fromMs) ? 400 : 20),
        [NEAR]: answers(20, 10),
        ...(record.fromMs >= START + 2000 && {
          [SPIKE]: answers(isIn(record.fromMs) ? 30 : 5, 900),
        }),
      };
  const { spike, latency, window, seconds } = await measureCell(writeRun(makeTempFolder(t), run), {
    isSpike: true,
  });
  assert.deepEqual(window, { startMs: START + 8000, endMs: START + 14_000 });
  assert.equal(seconds, 6);
  assert.equal(spike?.endpoint, SPIKE);
  const shown = spike?.endpoints.map(({ name, before, during, after }) => [
    name,
    ...[before, during, after].map(one => [
      one.requests,
      Math.round((one.latency?.p95Ms ?? 0) / 10) * 10,
    ]),
  ]);
  assert.deepEqual(shown, [
    [SLOTS, [120, 20], [120, 400], [120, 20]],
    [NEAR, [120, 10], [120, 10], [120, 10]],
    [SPIKE, [30, 900], [180, 900], [30, 900]],
  ]);
  assert.equal(latency?.count, 240, 'the e-mails are not in it');
  assert.ok((latency?.maxMs ?? 0) < 500);
});

test('a run that ended before the spike was over has no figures', async t => {
  const phases = PHASES.slice(0, 3);
  const folder = writeRun(makeTempFolder(t), makeRun({ phases, profile: false, model: 'open' }));
  await assert.rejects(measureCell(folder, { isSpike: true }), { code: 'STUDY_CELL_EMPTY' });
});
