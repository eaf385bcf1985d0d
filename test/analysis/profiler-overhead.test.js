import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateChange } from '../../lib/analysis/paired-changes.js';
import { measureOverhead } from '../../lib/analysis/profiler-overhead.js';
import { measureSegments } from '../../lib/analysis/read-run-profile.js';
import { createRandom } from '../../lib/random.js';
import { createSketch, sketchToJson } from '../../lib/run/sketch.js';

const WINDOW_MS = 5000;

/** Sum of twelve: near enough to a bell curve. @param {() => number} random */
const normal = random => Array.from({ length: 12 }, random).reduce((a, b) => a + b, -6);

test('an interval of eight pairs holds the true change in at least 92 of 100 experiments', () => {
  const random = createRandom(3);
  let held = 0;
  for (let run = 0; run < 300; run++) {
    const ratios = Array.from({ length: 8 }, () => Math.exp(-0.05 + 0.04 * normal(random)));
    const change = estimateChange(ratios);
    const truth = Math.expm1(-0.05);
    if (change?.low !== null && change && change.low <= truth && truth <= (change.high ?? 0))
      held++;
  }
  assert.ok(held >= 276, `${held} of 300`);
});

test('with five pairs there is a value and no interval, with none nothing', () => {
  assert.deepEqual(estimateChange([1.1, 1.1, 1.1, 1.1, 1.1]), {
    value: Math.expm1(Math.log(1.1)),
    low: null,
    high: null,
  });
  assert.equal(estimateChange([]), null);
  const many = estimateChange(Array.from({ length: 40 }, (_, n) => (n % 2 ? 1.1 : 1.12)));
  assert.ok(many && (many.low ?? 0) > 0.1 && (many.high ?? 1) < 0.12);
});

/**
 * A run whose profiler slows everything by a factor.
 * @param {{pairs: number, model?: 'open' | 'closed', slower?: number}} of
 */
function makeRun({ pairs, model = 'closed', slower = 1.05 }) {
  const random = createRandom(5);
  /** @type {Record<string, any>[]} */
  const segments = [{ kind: 'recording-start', alternate: { windowMs: WINDOW_MS, seed: 4 } }];
  /** @type {Record<string, any>[]} */
  const metrics = [];
  /** @type {Record<string, any>[]} */
  const processes = [{ kind: 'sample', t: 0, pid: 7, role: 'worker', startTicks: 1, cpuMs: 0 }];
  let cpuMs = 0;
  for (let n = 0; n < pairs * 2; n++) {
    const pair = Math.floor(n / 2) + 1;
    const isFirst = pair % 2 === 0;
    const profiled = n % 2 === 0 ? isFirst : !isFirst;
    const startMs = n * WINDOW_MS;
    // It samples a moment after the window began.
    const beganMs = startMs + (profiled ? 90 : 40);
    const endMs = startMs + WINDOW_MS;
    segments.push({ kind: 'window', pair, profiled, startMs: beganMs, endMs, isWhole: true });
    if (profiled) segments.push({ kind: 'segment', startMs: beganMs, endMs: startMs + WINDOW_MS });
    for (let second = 0; second < 5; second++) {
      const factor = (profiled ? slower : 1) * (1 + 0.01 * normal(random));
      const answers = Math.round(200 / factor);
      const sketch = createSketch();
      for (let k = 0; k < answers; k++) sketch.accept(10 * factor * (1 + (k % 10) / 10));
      cpuMs += answers * 4 * factor;
      const t = startMs + second * 1000;
      metrics.push({
        kind: 'second',
        fromMs: t,
        counters: { 'http.responses': answers },
        sketches: { 'http.total': sketchToJson(sketch) },
      });
      processes.push({ kind: 'sample', t: t + 1000, pid: 7, role: 'worker', startTicks: 1, cpuMs });
    }
  }
  const endMs = pairs * 2 * WINDOW_MS;
  const load = { phases: [{ model, startMs: 0, endMs }], windows: [{ startMs: 0, endMs }] };
  return {
    records: /** @type {any} */ ({ segments, metrics, processes }),
    load: /** @type {any} */ (load),
  };
}

/** @param {import('../../lib/analysis/report.d.ts').Estimate | null | undefined} change @param {number} truth */
function holds(change, truth) {
  assert.ok(change && change.low !== null && change.high !== null);
  assert.ok(change.low <= truth && truth <= change.high, `${JSON.stringify(change)} for ${truth}`);
  assert.ok(change.high - change.low < 0.03);
}

test('what the profiler costs is found in throughput, CPU per request and latency', () => {
  const { records, load } = makeRun({ pairs: 10 });
  const found = measureOverhead(records, load);
  assert.equal(found?.pairs, 10);
  holds(found?.throughput, 1 / 1.05 - 1);
  holds(found?.cpuPerRequest, 0.05);
  holds(found?.latencyP50, 0.05);
  holds(found?.latencyP95, 0.05);
  assert.match(found?.text ?? '', /10 pairs of 5 s .*throughput −4\.\d % \(−\d\.\d to −\d\.\d\)/);
});

test('where there is no difference none is told, and in an open load no throughput', () => {
  const { records, load } = makeRun({ pairs: 8, model: 'open', slower: 1 });
  const found = measureOverhead(records, load);
  assert.equal(found?.throughput, null);
  assert.ok(Math.abs(found?.cpuPerRequest?.value ?? 1) < 0.01);
  assert.match(found?.text ?? '', /: no difference that can be told;.*what the schedule says/);
});

test('a load that was too short, and pairs across two phases, say that nothing can be said', () => {
  const short = makeRun({ pairs: 4 });
  const found = measureOverhead(short.records, short.load);
  assert.match(found?.text ?? '', /can not be said: there are 4 pairs/);
  const { records, load } = makeRun({ pairs: 8 });
  load.phases = [
    { model: 'closed', startMs: 0, endMs: 35_000 },
    { model: 'closed', startMs: 35_000, endMs: null },
  ];
  assert.equal(measureOverhead(records, load)?.pairs, 7, 'the one over the edge does not count');
  assert.equal(measureOverhead({ ...records, segments: [] }, load), null);
});

test('a pause is told apart from what was not sampled', () => {
  const { records } = makeRun({ pairs: 2 });
  const whole = measureSegments(records.segments, { startMs: 0, endMs: 20_000 });
  // Two windows with the profiler stand side by side, and it started anew between them.
  assert.deepEqual([whole.unsampledMs, whole.pausedMs], [90, 10_090]);
  const lost = records.segments.filter(
    (/** @type {any} */ { kind, pair }) => kind !== 'window' || pair > 1,
  );
  const { unsampledMs, pausedMs } = measureSegments(lost, { startMs: 0, endMs: 20_000 });
  assert.equal(unsampledMs + pausedMs, 10_180);
  assert.ok(unsampledMs >= 5000);
});
