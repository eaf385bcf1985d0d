import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPredictions } from '../../../lib/experiment/try/predictions.js';

/** @typedef {import('../../../lib/run/facts/report.d.ts').Report} Report */
/** @typedef {{id: string, share: number, partOf?: string | null, severity?: 'info'}} Cause */

const estimate = (/** @type {number} */ value) => ({ value, low: value - 0.1, high: value + 0.1 });

/**
 * A report as far as predictions read it.
 * @param {Cause[]} causes
 * @param {{bottleneck?: {id: string, fix?: {gain: object} | null} | null, together?: number}} [more] `together`: share of
 *   all causes
 * @returns {Report}
 */
function makeReport(causes, { bottleneck = null, together } = {}) {
  const noted = causes.flatMap(({ id, severity }) => (severity === 'info' ? [] : id));
  const worker = { cores: 1, livedShare: 1, queuedShare: null, wantedShare: null };
  const report = {
    run: { host: { cpus: 8 } },
    timeline: null,
    cpu: { workers: [worker, worker], perRequest: estimate(20), basis: 'process-cpu' },
    profile: {
      causes: causes.map(({ id, share, partOf = null, severity = 'bad' }) => ({
        ...{ id, partOf, severity, share: estimate(share), title: `title of ${id}` },
        cpuMsPerRequest: estimate(20 * share),
      })),
      causesTogether: together ? { causes: noted, share: estimate(together) } : null,
    },
    bottleneck: bottleneck && { component: null, facts: null, ...bottleneck },
  };
  return /** @type {any} */ (report);
}

/** @type {import('../../../lib/run/facts/try.d.ts').Decision[]} */
const DECISIONS = [
  { measure: 'throughputPerSec', pairs: 4, relative: estimate(3), call: 'better' },
  { measure: 'cpuMsPerRequest', pairs: 4, relative: estimate(-0.7), call: 'better' },
];
const AUTH = [
  { id: 'introspection', share: 0.75 },
  { id: 'tls', share: 0.5, partOf: 'introspection' },
];
/** The CPU of its workers is full. */
const FULL = { bottleneck: { id: 'workers' } };
const twice = (/** @type {Report} */ report) => [report, report];

test('compares the largest prediction of removed causes with the measurement', () => {
  const before = twice(makeReport([...AUTH, { id: 'logging', share: 0.1 }], FULL));
  const after = twice(makeReport([{ id: 'logging', share: 0.3 }]));
  const [prediction, ...more] = listPredictions(before, after, DECISIONS);
  assert.deepEqual(more, []);
  assert.deepEqual([prediction?.causes, prediction?.isPart], [['title of introspection'], false]);
  const [throughput, cpu] = prediction?.figures ?? [];
  assert.equal(throughput?.measure, 'throughputPerSec');
  assert.ok(Math.abs((throughput?.predicted.value ?? 0) - 3) < 1e-9);
  assert.deepEqual(cpu?.predicted, { value: -0.75, low: -0.85, high: -0.65 });
  assert.deepEqual(cpu?.measured, estimate(-0.7));
});

test('predicts only CPU per request if workers are not full', () => {
  const [prediction] = listPredictions(twice(makeReport(AUTH)), twice(makeReport([])), DECISIONS);
  assert.deepEqual(
    prediction?.figures.map(({ measure }) => measure),
    ['cpuMsPerRequest'],
  );
});

test('sums up causes that are gone, and counts once what lies inside another or overlaps it', () => {
  const removed = [
    ...AUTH.map(own => ({ ...own, share: own.share / 2 })),
    { id: 'm2m', share: 0.225 },
  ];
  const [rate, cost] = DECISIONS;
  const measured = /** @type {any} */ ([
    { ...rate, relative: estimate(1.4) },
    { ...cost, relative: estimate(-0.6) },
  ]);
  const predict = (/** @type {number} */ together, left = 0) => {
    const kept = left > 0 ? [{ id: 'logging', share: left }] : [];
    const before = twice(makeReport([...removed, ...kept], { ...FULL, together }));
    const [prediction, ...more] = listPredictions(before, twice(makeReport(kept)), measured);
    assert.deepEqual(more, []);
    assert.deepEqual(prediction?.causes, ['title of introspection', 'title of m2m']);
    const [throughput, cpu] = prediction?.figures ?? [];
    const round = (/** @type {number | null | undefined} */ own) => Number(own?.toFixed(3));
    return {
      cpu: [cpu?.predicted.low, cpu?.predicted.value, cpu?.predicted.high].map(round),
      throughput: round(throughput?.predicted.value),
      isPart: prediction?.isPart,
    };
  };
  // The errors of ±0.1 add up as those of independent causes.
  assert.deepEqual(predict(0.6), { cpu: [-0.741, -0.6, -0.459], throughput: 1.5, isPart: false });
  assert.deepEqual(predict(0.5).cpu, [-0.641, -0.5, -0.359], 'they overlap');
  assert.deepEqual(predict(0.7, 0.15).cpu, [-0.741, -0.6, -0.409], 'they may overlap by 0.05');
});

test('a cause of any severity counts, unless it is so small that it may be gone by chance', () => {
  const removed = [
    { id: 'gc', share: 0.3 },
    { id: 'regex', share: 0.2 },
    { id: 'deepcopy', share: 0.05, severity: /** @type {const} */ ('info') },
    { id: 'logging', share: 0.01, severity: /** @type {const} */ ('info') },
  ];
  // With few samples the last run is not sure of a cause.
  const unsure = removed.map(own => ({ ...own, severity: /** @type {const} */ ('info') }));
  const before = [makeReport(removed, { together: 0.5 }), makeReport(unsure)];
  const [prediction] = listPredictions(before, twice(makeReport([])), DECISIONS);
  assert.deepEqual(prediction?.causes, ['title of gc', 'title of regex', 'title of deepcopy']);
  assert.equal(prediction?.figures[0]?.predicted.value.toFixed(3), '-0.550');
});

test('a cause that few runs show is no part of the sum, which is then a part of the change', () => {
  const seldom = makeReport([...AUTH, { id: 'm2m', share: 0.2 }]);
  const before = [seldom, ...Array.from({ length: 3 }, () => makeReport(AUTH))];
  const [prediction] = listPredictions(before, twice(makeReport([])), DECISIONS);
  assert.deepEqual([prediction?.causes, prediction?.isPart], [['title of introspection'], true]);
  const [remedy] = listPredictions(before, twice(makeReport([])), DECISIONS, 'introspection');
  assert.deepEqual([remedy?.causes, remedy?.isPart], [['title of introspection'], true]);
});

test('a change that is surely larger than predicted is more than the cause', () => {
  const before = twice(makeReport([{ id: 'access-log', share: 0.14 }]));
  const predictFor = (/** @type {object} */ relative) => {
    const measured = /** @type {any} */ ([{ ...DECISIONS[1], relative }]);
    return listPredictions(before, twice(makeReport([])), measured)[0]?.isPart;
  };
  assert.equal(predictFor({ value: -0.66, low: -0.7, high: -0.6 }), true);
  assert.equal(predictFor({ value: -0.3, low: -0.5, high: -0.1 }), false);
  assert.equal(predictFor({ value: 0.66, low: 0.6, high: 0.7 }), false, 'the other direction');
  assert.equal(predictFor({ value: -0.3, low: -0.9, high: 0.9 }), false);
});

test('a remaining cause predicts nothing', () => {
  const before = twice(makeReport(AUTH));
  assert.deepEqual(listPredictions(before, before, DECISIONS), []);
  // A fifth of it is left.
  const less = twice(
    makeReport([
      { id: 'introspection', share: 0.2 },
      { id: 'tls', share: 0.2 },
    ]),
  );
  assert.deepEqual(listPredictions(before, less, DECISIONS), []);
});

test('a bottleneck that only side A has predicts throughput', () => {
  const locked = makeReport([], { bottleneck: { id: 'lock', fix: { gain: estimate(2.5) } } });
  const free = makeReport([], { bottleneck: { id: 'none', fix: null } });
  const [prediction] = listPredictions(twice(locked), twice(free), DECISIONS);
  assert.deepEqual(prediction?.bottleneck, { id: 'lock', component: null });
  assert.deepEqual(prediction?.figures, [
    { measure: 'throughputPerSec', predicted: estimate(2.5), measured: estimate(3) },
  ]);
  assert.deepEqual(listPredictions(twice(locked), twice(locked), DECISIONS), []);
  // Its fix is more workers: code that takes less CPU is another one.
  const full = makeReport([], { bottleneck: { id: 'gil', fix: { gain: estimate(1) } } });
  assert.deepEqual(listPredictions(twice(full), twice(free), DECISIONS), []);
  const fix = { gain: estimate(9), isVague: true };
  const vague = makeReport([], { bottleneck: { id: 'lock', fix } });
  assert.deepEqual(listPredictions(twice(vague), twice(free), DECISIONS), []);
  // One run of four is no rule.
  assert.deepEqual(listPredictions([locked, free, free, free], twice(free), DECISIONS), []);
});
