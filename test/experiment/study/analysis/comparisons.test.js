import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectCells } from '../../../../lib/experiment/study/analysis/cells.js';
import {
  compareVariants,
  listPairs,
} from '../../../../lib/experiment/study/analysis/comparisons.js';
import {
  buildPoints,
  createEstimator,
} from '../../../../lib/experiment/study/analysis/variant/points.js';
import { findSaturation } from '../../../../lib/experiment/study/analysis/variant/saturation.js';
import { contentStudy, serveByWorkers } from '../../../helpers/synthetic-study/examples.js';
import { makeStudy } from '../../../helpers/synthetic-study/index.js';
import { judgeSpec } from '../../../helpers/synthetic-study/judge-spec.js';

/** @import { StudySpec } from '../../../helpers/synthetic-study/study-spec.d.ts' */

/** Only the comparisons: no curve is fitted. @param {StudySpec} spec */
function compareSpec(spec) {
  const { plan, journal } = makeStudy(spec);
  const cells = collectCells(plan, journal);
  const estimatorOf = (/** @type {string} */ id) =>
    createEstimator(cells.measuredOf(id), ['workers']);
  const variants = plan.variants.map(variant => {
    const points = buildPoints(cells.measuredOf(variant.id), ['workers']);
    return { ...variant, points, saturation: findSaturation(points, estimatorOf(variant.id)) };
  });
  return compareVariants(variants, {
    factors: plan.study.factors,
    measuredOf: cells.measuredOf,
    estimatorOf,
    model: plan.study.load.model,
  });
}

const same = () => serveByWorkers(2, { demandMs: 2 });
const SEEDS = 200;

for (const { repeats, factors } of [
  { repeats: 3, factors: { setting: ['x', 'y'] } },
  { repeats: 3, factors: { setting: ['x', 'y'], other: ['p', 'q'] } },
  { repeats: 4, factors: { setting: ['x', 'y'] } },
  { repeats: 6, factors: { setting: ['x', 'y', 'z'] } },
])
  test(`variants without a difference are called different in at most 5 % of studies: ${repeats} repeats of ${Object.values(factors).flat().length} values`, () => {
    let called = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const comparisons = compareSpec({
        factors,
        repeats,
        seed,
        steps: [1, 4, 16, 32],
        durationSec: 6,
        noise: 0.05,
        truth: same,
      });
      if (comparisons.some(({ call }) => call !== 'none')) called++;
    }
    assert.ok(called <= SEEDS * 0.05, `${called} of ${SEEDS}`);
  });

test('a cache that makes a transaction cheaper is called, with an interval that holds the truth', () => {
  const { comparisons } = judgeSpec(contentStudy);
  const cache = comparisons.filter(({ factor }) => factor === 'cache');
  const perCore = cache.filter(({ measure }) => measure === 'perBusyCore');
  assert.equal(perCore.length, 3);
  for (const { call, relative } of perCore) {
    assert.equal(call, 'better');
    // 2.6 ms with the cache off, 1.6 ms with it
    assert.ok(
      (relative?.low ?? 0) < 2.6 / 1.6 - 1 + 0.02 && (relative?.high ?? 0) > 2.6 / 1.6 - 1 - 0.02,
    );
  }
  const cost = cache.find(({ measure }) => measure === 'cpuMsPerTransaction');
  assert.equal(cost?.call, 'better');
  assert.ok((cost?.relative?.value ?? 0) < 0);
});

test('each comparison says at which steps of both it was made', () => {
  const { comparisons, variants } = judgeSpec(contentStudy);
  const over = comparisons.filter(({ step }) => step === null);
  assert.ok(over.length > 0 && over.length < comparisons.length);
  for (const { step, steps, before, after } of comparisons) {
    if (step !== null) assert.deepEqual(steps, [[step], [step]]);
    for (const [index, id] of [before, after].entries()) {
      const measured = variants.find(variant => variant.id === id)?.points ?? [];
      assert.ok(steps[index]?.every(one => measured.some(point => point.step === one)));
    }
  }
});

test('one run a side gives neither an interval nor a decision', () => {
  const { comparisons } = judgeSpec({ ...contentStudy, repeats: 1 });
  assert.ok(comparisons.length > 0);
  for (const { call, p, relative } of comparisons)
    assert.deepEqual([call, p, relative?.low, relative?.high], ['none', null, null, null]);
});

test('with two runs a side nothing is called either', () => {
  const { comparisons } = judgeSpec({ ...contentStudy, repeats: 2 });
  assert.ok(comparisons.every(({ call }) => call === 'none'));
});

test('four runs a side are tested exactly', () => {
  const comparisons = compareSpec({
    ...contentStudy,
    factors: { cache: ['off', 'redis'] },
    repeats: 4,
    truth: ({ cache }) => serveByWorkers(2, { demandMs: cache === 'redis' ? 1.6 : 2.6 }),
  });
  const throughput = comparisons.find(({ measure }) => measure === 'throughputPerSec');
  assert.equal(throughput?.call, 'better');
  assert.ok(Math.abs((throughput?.p ?? 1) - 2 / 70) < 1e-9);
});

test('what the generator could not send is not compared', () => {
  const sign = () => ({ id: /** @type {const} */ ('busy') });
  const { comparisons } = judgeSpec({
    factors: { setting: ['x', 'y'] },
    truth: ({ setting }) => ({ ...same(), ...(setting === 'y' ? { sign } : {}) }),
  });
  assert.deepEqual(comparisons, []);
});

test('arrivals that are all served have no throughput to compare, but a latency and a cost', () => {
  const { comparisons } = judgeSpec({
    factors: { setting: ['x', 'y'] },
    model: 'open',
    steps: [10, 20, 40],
    cpus: 4,
    truth: ({ setting }) => ({
      throughput: step => step,
      latencyMs: () => (setting === 'x' ? 10 : 20),
      components: { workers: { demandMs: 2, processes: 2 } },
    }),
  });
  assert.ok(comparisons.every(({ measure }) => measure !== 'throughputPerSec'));
  const p95 = comparisons.find(({ measure }) => measure === 'p95Ms');
  assert.equal(p95?.step, 40);
  assert.equal(p95?.call, 'worse');
});

test('latencies are compared at a step that both were measured at, before the weaker one is at its end', () => {
  const comparisons = compareSpec({
    factors: { workers: ['1', '2'] },
    cpus: 8,
    truth: ({ workers }) => serveByWorkers(Number(workers), { demandMs: 5, cpus: 8 }),
  });
  const p95 = comparisons.find(({ measure }) => measure === 'p95Ms');
  assert.ok((p95?.step ?? 99) <= 2);
});

test('numbers are compared with their neighbours, other values with each other, all else being equal', () => {
  const factors = [
    { name: 'workers', values: ['4', '1', '2'].map(label => ({ label, fields: {} })) },
    { name: 'cache', values: ['off', 'on'].map(label => ({ label, fields: {} })) },
  ];
  const variants = ['1', '2', '4'].flatMap(workers =>
    ['off', 'on'].map(cache => ({ id: `${workers}${cache}`, factors: { workers, cache } })),
  );
  const pairs = listPairs(variants, factors).map(({ before, after }) => `${before.id} ${after.id}`);
  assert.deepEqual(pairs.sort(), [
    '1off 1on',
    '1off 2off',
    '1on 2on',
    '2off 2on',
    '2off 4off',
    '2on 4on',
    '4off 4on',
  ]);
});

test('a latency of few lucky users is not called better', () => {
  const { comparisons } = judgeSpec({
    factors: { maxconn: ['6', '60'] },
    cpus: 4,
    truth: ({ maxconn }) => ({
      throughput: () => 240,
      latencyMs: step => (maxconn === '6' ? 10 : step * 4),
      components: { haproxy: { demandMs: 0.5, most: 1 } },
      shares: { users: maxconn === '6' ? [1, 1, 0, 0, 0] : [1, 1, 1, 1, 1] },
    }),
  });
  const p95 = comparisons.find(({ measure }) => measure === 'p95Ms');
  assert.equal(p95?.call, 'none');
  assert.deepEqual(p95?.unserved, { users: 3, of: 5 });
});

test('what is asked of the target is not compared, and the objective may be of one of it only', () => {
  const report = judgeSpec({
    ...contentStudy,
    study: {
      ...contentStudy.study,
      workloads: ['cache'],
      objective: /** @type {import('../../../../lib/run/facts/study-file.d.ts').Objective} */ ({
        ...contentStudy.study?.objective,
        when: { cache: ['off'] },
      }),
    },
  });
  assert.deepEqual(new Set(report.comparisons.map(({ factor }) => factor)), new Set(['workers']));
  assert.deepEqual(
    report.capacity?.variants.map(({ variant }) => variant),
    ['workers=1,cache=off', 'workers=2,cache=off', 'workers=4,cache=off'],
  );
});
