/**
 * What the models of a study promise, on simulated targets and over many seeds:
 * `node test/experiment/study/model/truth.check.js` takes about five minutes and tells each share. The tests beside it ask the same
 * with fewer seeds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../../lib/base/math/random.js';
import { judgeStop } from '../../../../lib/experiment/study/analysis/stop-rule.js';
import { fitUsl } from '../../../../lib/experiment/study/analysis/variant/fit-usl.js';
import {
  cornerTarget,
  DOUBLING,
  holds,
  measure,
  measureCells,
  measureSteps,
  saturationOf,
  shareOf,
  uslTarget,
} from './simulated-target.js';

const SEEDS = Number(process.env.SEEDS ?? 400);
const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;

/** σ, κ, highest step, repeats, the least share of peaks within 10 % that is promised (none: it is only told). */
const DESIGNS = /** @type {const} */ ([
  [0.05, 0.001, 64, 3, 0.95],
  [0.05, 0.003, 64, 3, 0.95],
  [0.1, 0.002, 64, 3, 0.95],
  [0.2, 0.01, 64, 3, 0.95],
  [0.05, 0.001, 128, 3, 0.95],
  [0.05, 0.001, 64, 5, 0.95],
  [0.05, 0.001, 64, 2, 0],
  [0.05, 0.001, 64, 1, 0],
  [0.02, 0.0005, 64, 3, 0],
  [0.3, 0.001, 64, 3, 0],
  [0.3, 0.001, 128, 3, 0],
  [0.05, 0.0003, 64, 3, 0],
  [0.05, 0.001, 32, 3, 0],
]);

for (const [sigma, kappa, most, repeats, promised] of DESIGNS) {
  const peak = Math.sqrt((1 - sigma) / kappa);
  const steps = [...DOUBLING, 128].filter(step => step <= most);
  test(`σ ${sigma}, κ ${kappa}: a peak at ${peak.toFixed(0)}, steps to ${most} × ${repeats}`, t => {
    const fits = Array.from({ length: SEEDS }, (_, index) => {
      const random = createRandom(7919 * (index + 1));
      const cells = measureCells(uslTarget(40, sigma, kappa), steps, repeats, random);
      return fitUsl(cells, { random });
    });
    const share = (/** @type {(fit: typeof fits[number]) => boolean} */ isSo) =>
      fits.filter(isSo).length / SEEDS;
    const seen = fits.filter(({ nMax }) => nMax);
    const within = share(({ nMax }) => nMax !== null && Math.abs(nMax.value / peak - 1) <= 0.1);
    const coverage = seen.filter(({ nMax }) => holds(nMax, peak)).length / seen.length;
    const truths = /** @type {const} */ ({ lambda: 40, sigma, kappa });
    const covers = /** @type {const} */ (['lambda', 'sigma', 'kappa']).map(name =>
      share(fit => holds(fit[name], truths[name])),
    );
    t.diagnostic(
      `N_max within 10 %: ${percent(within)}, seen: ${percent(seen.length / SEEDS)}, its interval holds it: ${percent(coverage)}; λ, σ, κ: ${covers.map(percent).join(', ')}`,
    );
    assert.ok(within >= promised, `within 10 %: ${percent(within)}`);
    assert.ok(Math.min(coverage, ...covers) >= 0.9, 'an interval holds too seldom');
  });
}

for (const [name, target] of /** @type {const} */ ([
  ['straight line', uslTarget(40, 0, 0)],
  ['σ 0.05', uslTarget(40, 0.05, 0)],
  ['σ 0.3', uslTarget(40, 0.3, 0)],
  ['one server', cornerTarget(1)],
  ['two servers', cornerTarget(2)],
  ['four servers', cornerTarget(4)],
  ['eight servers', cornerTarget(8)],
]))
  for (const repeats of [1, 3])
    test(`κ = 0, ${name}, ${repeats} repeats: no peak`, t => {
      const seen = shareOf(SEEDS, seed => {
        const random = createRandom(seed);
        return fitUsl(measureCells(target, DOUBLING, repeats, random), { random }).nMax !== null;
      });
      t.diagnostic(`false peaks: ${percent(seen)}`);
      assert.ok(seen <= 0.05, percent(seen));
    });

const rule = { gain: 0.05, p95Ms: null, errors: 0.01, skipped: 0.01 };
const MANY = Array.from({ length: 11 }, (_, index) => 2 ** index);

/** Where the steps end. @param {import('./simulated-target.js').Target} target @param {number[]} steps @param {() => number} random */
function endOf(target, steps, random) {
  const done = [];
  for (const step of steps) {
    const throughputPerSec = measure(target, step, random);
    done.push({
      step,
      throughputPerSec,
      p95Ms: 1,
      errorRate: 0,
      skippedRate: 0,
      isGeneratorLimit: false,
    });
    if (judgeStop(done, rule)) break;
  }
  return done.length - 1;
}

for (const [name, target, steps, knee] of /** @type {const} */ ([
  ['two servers', cornerTarget(2), MANY, 2],
  ['four servers', cornerTarget(4), MANY, 4],
  ['sixteen servers', cornerTarget(16), MANY, 16],
  ['a peak at 31', uslTarget(40, 0.05, 0.001), MANY, 32],
  ['a peak at 44', uslTarget(40, 0.02, 0.0005), MANY, 32],
  ['forty servers, steps of ten', cornerTarget(40), MANY.map((_, index) => 10 * (index + 1)), 40],
]))
  test(`the steps end within two of the knee: ${name}`, t => {
    const at = steps.indexOf(knee);
    const ends = Array.from(
      { length: 4 * SEEDS },
      (_, index) => endOf(target, steps, createRandom(7919 * (index + 1))) - at,
    );
    const share = (/** @type {(past: number) => boolean} */ isSo) =>
      ends.filter(isSo).length / ends.length;
    t.diagnostic(
      `at most two steps past it: ${percent(share(past => past <= 2))}, three: ${percent(share(past => past === 3))}, before it: ${percent(share(past => past < 0))}`,
    );
    assert.equal(
      share(past => past < 0),
      0,
    );
    assert.ok(share(past => past <= 2) > 0.9);
    assert.ok(share(past => past <= 3) > 0.97);
  });

for (const gain of [0.1, 0.15, 0.2, 0.3])
  test(`a rise of ${percent(gain)} a step over ten steps is ended too early`, t => {
    const target = (/** @type {number} */ n) => 100 * (1 + gain) ** Math.log2(n);
    const early = shareOf(
      4 * SEEDS,
      seed => endOf(target, MANY, createRandom(seed)) < MANY.length - 1,
    );
    t.diagnostic(percent(early));
    assert.ok(gain < 0.15 || early < 0.05, percent(early));
  });

for (const repeats of [1, 3])
  test(`saturation of four servers, steps to 16 × ${repeats}`, t => {
    const found = Array.from({ length: SEEDS }, (_, index) =>
      saturationOf(
        measureSteps(cornerTarget(4), [1, 2, 4, 8, 16], repeats, createRandom(7919 * (index + 1))),
      ),
    );
    const share = (/** @type {(one: typeof found[number]) => boolean} */ isSo) =>
      found.filter(isSo).length / SEEDS;
    t.diagnostic(
      `reached: ${percent(share(({ state }) => state === 'reached'))}, at step 4: ${percent(share(({ step }) => step === 4))}, height held: ${percent(share(one => holds(one.throughputPerSec, 400)))}, knee held: ${percent(share(one => holds(one.kneeInFlight, 4)))}`,
    );
    assert.ok(share(({ state }) => state === 'reached') > 0.95);
  });
