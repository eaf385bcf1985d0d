import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPredictions } from '../../lib/try/predictions.js';

/** @typedef {import('../../lib/facts/report.d.ts').Report} Report */
/** @typedef {{id: string, share: number, partOf?: string | null}} Cause */

const estimate = (/** @type {number} */ value) => ({ value, low: value - 0.1, high: value + 0.1 });

/**
 * A report as far as predictions read it.
 * @param {Cause[]} causes
 * @param {{bottleneck?: {id: string, fix: {gain: object} | null} | null, isBound?: boolean}} [more] `isBound`: the CPU
 *   of its workers is full
 * @returns {Report}
 */
function makeReport(causes, { bottleneck = null, isBound = false } = {}) {
  const whatIf = causes.map(({ id, share }) => ({
    ...{ causes: [id], titles: [`title of ${id}`], share: estimate(share) },
    gain: isBound ? estimate(1 / (1 - share) - 1) : null,
  }));
  const report = {
    profile: {
      causes: causes.map(({ id, share, partOf = null }) => ({
        ...{ id, partOf, severity: 'bad', share: estimate(share) },
        cpuMsPerRequest: estimate(20 * share),
      })),
    },
    ...{ whatIf, bottleneck: bottleneck && { component: null, ...bottleneck } },
  };
  return /** @type {any} */ (report);
}

/** @type {import('../../lib/facts/try.d.ts').Decision[]} */
const DECISIONS = [
  { measure: 'throughputPerSec', pairs: 4, relative: estimate(3), call: 'better' },
  { measure: 'cpuMsPerRequest', pairs: 4, relative: estimate(-0.7), call: 'better' },
];
const AUTH = [
  { id: 'introspection', share: 0.75 },
  { id: 'tls', share: 0.5, partOf: 'introspection' },
];
const twice = (/** @type {Report} */ report) => [report, report];

test('compares the largest prediction of removed causes with the measurement', () => {
  const before = twice(makeReport([...AUTH, { id: 'logging', share: 0.1 }], { isBound: true }));
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

test('a second removed cause makes the prediction a part of the change', () => {
  const before = twice(makeReport([...AUTH, { id: 'n-plus-one', share: 0.2 }]));
  const [prediction] = listPredictions(before, twice(makeReport([])), DECISIONS);
  assert.deepEqual([prediction?.causes, prediction?.isPart], [['title of introspection'], true]);
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
  // One run of four is no rule.
  assert.deepEqual(listPredictions([locked, free, free, free], twice(free), DECISIONS), []);
});
