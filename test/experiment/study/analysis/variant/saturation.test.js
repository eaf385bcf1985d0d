import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../../../lib/base/math/random.js';
import {
  cornerTarget,
  holds,
  measureSteps,
  saturationOf,
  shareOf,
  uslTarget,
} from '../simulated-target.js';

const SEEDS = 500;
const STEPS = [1, 2, 4, 8, 16];
const exact = (/** @type {(n: number) => number} */ target, steps = STEPS) =>
  steps.map(step => ({
    step,
    values: [target(step)],
    throughputPerSec: { value: target(step), low: target(step) * 0.95, high: target(step) * 1.05 },
    inFlight: step,
    isGeneratorLimit: false,
  }));

test('the plateau begins where more load brings no more, and the knee is X_max × R_min', () => {
  const found = saturationOf(exact(cornerTarget(4)));
  assert.equal(found.state, 'reached');
  assert.equal(found.step, 4);
  assert.equal(found.throughputPerSec?.value, 400);
  assert.ok(Math.abs((found.kneeInFlight?.value ?? 0) - 4) < 1e-9);
  assert.equal(found.sign, 'levels-off');
});

test('with 5 % of noise and three repeats step, height and knee are found', () => {
  const found = (/** @type {number} */ seed) =>
    saturationOf(measureSteps(cornerTarget(4), STEPS, 3, createRandom(seed)));
  assert.ok(shareOf(SEEDS, seed => found(seed).step === 4) > 0.93);
  assert.ok(shareOf(SEEDS, seed => holds(found(seed).throughputPerSec, 400)) > 0.9);
  assert.ok(shareOf(SEEDS, seed => holds(found(seed).kneeInFlight, 4)) > 0.9);
});

test('a throughput that falls past its peak is saturated at the peak, not after it', () => {
  const peak = uslTarget(40, 0.05, 0.003);
  const found = saturationOf(exact(peak, [1, 2, 4, 8, 16, 32, 64]));
  assert.equal(found.step, 16);
  assert.ok(Math.abs((found.throughputPerSec?.value ?? 0) / peak(18) - 1) < 0.05);
});

test('what still rises is not saturated, and its highest is a lower bound', () => {
  const found = saturationOf(exact(n => 100 * n));
  assert.equal(found.state, 'not-reached');
  assert.equal(found.step, null);
  assert.equal(found.kneeInFlight, null);
  assert.equal(found.throughputPerSec?.value, 1600);
  assert.equal(found.sign, 'still-rises');
  assert.equal(found.lastStep, 16);
  const false15 = shareOf(SEEDS, seed => {
    const rising = (/** @type {number} */ n) => 100 * 1.15 ** Math.log2(n);
    return saturationOf(measureSteps(rising, STEPS, 3, createRandom(seed))).state === 'reached';
  });
  assert.ok(false15 < 0.06, `${false15}`);
});

test('two steps say nothing', () => {
  const found = saturationOf(exact(cornerTarget(1), [1, 2]));
  assert.equal(found.state, 'unknown');
  assert.deepEqual([found.sign, found.steps, found.leastSteps], ['too-few-steps', 2, 3]);
  assert.equal(saturationOf([]).state, 'unknown');
});

test('a level that the generator set is not one of the target', () => {
  const limited = exact(cornerTarget(4)).map(point => ({
    ...point,
    isGeneratorLimit: point.step >= 8,
  }));
  const found = saturationOf(limited);
  assert.equal(found.state, 'unknown');
  assert.equal(found.sign, 'generator-limit');
  assert.equal(found.generatorStep, 8);
  assert.equal(found.throughputPerSec?.value, 400);
});

test('a repeat in which nothing got done leaves the knee a number', () => {
  const points = measureSteps(cornerTarget(4), STEPS, 3, createRandom(1));
  points[0]?.values.splice(0, 1, 0);
  assert.ok(Number.isFinite(saturationOf(points).kneeInFlight?.high));
});

test('without measured concurrency there is no knee', () => {
  const found = saturationOf(exact(cornerTarget(4)).map(point => ({ ...point, inFlight: null })));
  assert.equal(found.state, 'reached');
  assert.equal(found.kneeInFlight, null);
});

test('where less comes out than was put in, the last step is the plateau though it is the highest', () => {
  const points = exact(n => n, [10, 80, 237]).map(point => ({
    ...point,
    dispatchPerSec: Math.max(point.step, point.step === 237 ? 400 : 0),
  }));
  const found = saturationOf(points);
  assert.equal(found.state, 'reached');
  assert.equal(found.step, 237);
  assert.equal(found.sign, 'falls-behind');
  assert.equal(found.dispatchPerSec, 400);
  const keptUp = points.map(point => ({ ...point, dispatchPerSec: point.step }));
  assert.equal(saturationOf(keptUp).state, 'not-reached');
});
