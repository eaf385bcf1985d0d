import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../../../lib/base/math/random.js';
import { fitUsl } from '../../../../../lib/experiment/study/analysis/variant/fit-usl.js';
import {
  cornerTarget,
  DOUBLING,
  holds,
  measureCells,
  shareOf,
  uslTarget,
} from '../simulated-target.js';

/** Enough to notice what is broken; `truth.check.js` measures the shares themselves. */
const SEEDS = 20;
const LAW = { lambda: 40, sigma: 0.05, kappa: 0.001 };
const PEAK = Math.sqrt((1 - LAW.sigma) / LAW.kappa);
const target = uslTarget(LAW.lambda, LAW.sigma, LAW.kappa);

/** @param {number} seed @param {import('../simulated-target.js').Target} of @param {number} [repeats] */
const fitSeed = (seed, of, repeats = 3) =>
  fitUsl(measureCells(of, DOUBLING, repeats, createRandom(seed)), { random: createRandom(seed) });

test('without noise the parameters are those of the target', () => {
  const fit = fitUsl(DOUBLING.map(n => ({ n, x: target(n) })));
  assert.equal(fit.state, 'fitted');
  for (const name of /** @type {const} */ (['lambda', 'sigma', 'kappa']))
    assert.ok(Math.abs((fit[name]?.value ?? 0) / LAW[name] - 1) < 1e-6, name);
  assert.ok(Math.abs((fit.nMax?.value ?? 0) - PEAK) < 1e-3);
  assert.ok(Math.abs((fit.xMax?.value ?? 0) - target(PEAK)) < 1e-3);
});

test('with 5 % of noise the peak is within 10 % of the true one, and its interval holds it', () => {
  const peaks = Array.from({ length: SEEDS }, (_, index) => fitSeed(1000 * index, target).nMax);
  const near = peaks.filter(peak => peak && Math.abs(peak.value / PEAK - 1) <= 0.1);
  assert.ok(near.length >= 0.88 * SEEDS, `${near.length} of ${SEEDS} within 10 %`);
  const missed = peaks.filter(peak => peak && !holds(peak, PEAK));
  assert.ok(missed.length <= 0.12 * SEEDS, `${missed.length} of ${SEEDS} intervals miss it`);
});

for (const [name, of] of /** @type {const} */ ([
  ['that levels off softly', uslTarget(40, 0.3, 0)],
  ['that grows in a straight line', uslTarget(40, 0, 0)],
  ['whose servers are all busy from four on', cornerTarget(4)],
  ['with a single server', cornerTarget(1)],
])) {
  test(`no peak is seen in a target ${name}`, () => {
    const seen = shareOf(SEEDS, seed => fitSeed(seed, of).nMax !== null);
    assert.ok(seen <= 0.1, `${seen}`);
    const fit = fitSeed(1, of);
    assert.equal(fit.nMax, null);
    assert.equal(fit.largestN, 64);
    assert.equal(fit.kappa?.low, 0);
    assert.equal(fit.xMax, null);
  });
}

test('finds no peak in points of a curve without one', () => {
  for (const of of [
    uslTarget(40, 0, 0),
    uslTarget(40, 1, 0),
    uslTarget(40, 0.2, 0),
    cornerTarget(4),
  ]) {
    const fit = fitUsl(DOUBLING.map(n => ({ n, x: of(n) })));
    assert.equal(fit.nMax, null);
  }
});

test('predicts nothing past twice the largest N', () => {
  const fit = fitSeed(3, target);
  assert.equal(fit.validToN, 128);
  // a true peak at 309 is out of sight of steps up to 64
  assert.equal(fitUsl(DOUBLING.map(n => ({ n, x: uslTarget(40, 0.05, 0.00001)(n) }))).nMax, null);
});

test('the same points and seed give the same figures', () => {
  assert.deepEqual(fitSeed(5, target), fitSeed(5, target));
});

test('five steps are too few, however many repeats they have', () => {
  const fit = fitUsl(measureCells(target, [1, 2, 4, 8, 16], 5, createRandom(1)));
  assert.equal(fit.state, 'too-few-points');
  assert.equal(fit.lambda, null);
  assert.deepEqual([fit.state, fit.leastPoints, fit.points], ['too-few-points', 6, 5]);
});

test('repeats of a step with slightly different concurrency are one step', () => {
  const points = measureCells(target, [1, 2, 4, 8, 16], 3, createRandom(1)).map(
    ({ n, x }, index) => ({
      n: n * (1 + index / 1000),
      x,
      step: n,
    }),
  );
  assert.equal(fitUsl(points).state, 'too-few-points');
});

test('steps at which the generator was the limit are left out, and refused where too few remain', () => {
  const points = measureCells(target, DOUBLING, 3, createRandom(1));
  const limitedFrom = (/** @type {number} */ from) =>
    points.map(point => ({ ...point, isGeneratorLimit: point.n >= from }));
  const fit = fitUsl(limitedFrom(32));
  assert.deepEqual([fit.state, fit.leastPoints, fit.points], ['too-few-points', 6, 5]);
  assert.deepEqual(fitUsl(limitedFrom(64)), fitUsl(points.filter(({ n }) => n < 64)));
});

test('points that the law does not describe give no fit', () => {
  const fit = fitUsl(DOUBLING.map((n, index) => ({ n, x: index % 2 ? 10 : 1000 })));
  assert.equal(fit.state, 'no-fit');
});
