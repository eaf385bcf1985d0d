import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../../lib/base/math/random.js';
import { judgeStop } from '../../../../lib/experiment/study/analysis/stop-rule.js';
import { cornerTarget, measure, shareOf, uslTarget } from './simulated-target.js';

const SEEDS = 1000;
const rule = { gain: 0.05, p95Ms: 500, errors: 0.01, skipped: 0.01 };
const DOUBLING = Array.from({ length: 11 }, (_, index) => 2 ** index);

/** @param {number} step @param {number} throughputPerSec @param {Partial<import('../../../../lib/experiment/study/analysis/stop-rule.js').StopStep>} [rest] */
const at = (step, throughputPerSec, rest) => ({
  step,
  throughputPerSec,
  p95Ms: 100,
  errorRate: 0,
  skippedRate: 0,
  isGeneratorLimit: false,
  ...rest,
});

/** Number of steps until the rule ends them. @param {number[]} steps @param {(step: number) => number} throughputAt */
function runUntilStop(steps, throughputAt) {
  const done = [];
  for (const step of steps) {
    done.push(at(step, throughputAt(step)));
    if (judgeStop(done, rule)) break;
  }
  return done.length;
}

test('two steps without a gain end it, and the reason says what they brought', () => {
  const steps = [at(1, 100), at(2, 200), at(4, 202), at(8, 204)];
  assert.equal(judgeStop(steps.slice(0, 3), rule), null);
  assert.deepEqual(judgeStop(steps, rule), {
    id: 'gain',
    facts: { change: 204 / 200 - 1, steps: 2, least: 0.05, isPerStep: true },
  });
  const fallen = judgeStop([...steps.slice(0, 3), at(8, 150)], rule);
  assert.ok(fallen?.id === 'gain' && fallen.facts.change === -0.25);
});

test('with 5 % of noise the steps end two after the true knee, seldom three, and hardly ever before', () => {
  for (const servers of [2, 4, 16]) {
    const knee = DOUBLING.indexOf(servers) + 1;
    const ends = (/** @type {number} */ seed) => {
      const random = createRandom(seed);
      return runUntilStop(DOUBLING, n => measure(cornerTarget(servers), n, random)) - knee;
    };
    assert.ok(shareOf(SEEDS, seed => ends(seed) === 2) > 0.88);
    assert.ok(shareOf(SEEDS, seed => ends(seed) > 3) < 0.02);
    assert.equal(
      shareOf(SEEDS, seed => ends(seed) < 2),
      0,
    );
  }
});

test('a target that goes down past its peak is left one or two steps past it', () => {
  const target = uslTarget(40, 0.05, 0.001);
  const past = shareOf(SEEDS, seed => {
    const random = createRandom(seed);
    const steps = runUntilStop(DOUBLING, n => measure(target, n, random)) - 1;
    return steps === 6 || steps === 7; // the peak is at 31 users: 64 or 128
  });
  assert.ok(past > 0.99, `${past}`);
});

test('noise does not end a rise of 20 % a step', () => {
  const early = shareOf(SEEDS, seed => {
    const random = createRandom(seed);
    const rising = (/** @type {number} */ n) => 100 * 1.2 ** Math.log2(n);
    return runUntilStop(DOUBLING, n => measure(rising, n, random)) < DOUBLING.length;
  });
  assert.ok(early <= 0.01, `${early}`);
});

test('steps close together are not called a plateau for gaining as little as the load does', () => {
  const steps = Array.from({ length: 30 }, (_, index) => 100 + 4 * index);
  assert.equal(
    runUntilStop(steps, n => n),
    steps.length,
  );
  const early = shareOf(SEEDS, seed => {
    const random = createRandom(seed);
    return runUntilStop(steps, n => measure(n => n, n, random)) < steps.length;
  });
  assert.ok(early <= 0.01, `${early}`);
  // and a plateau ends them when the load has grown by half
  const last = steps[runUntilStop(steps, n => Math.min(n, 120)) - 1] ?? 0;
  assert.ok(last >= 1.4 * 120 && last <= 1.6 * 120, `${last}`);
});

test('reports first what makes other figures worthless', () => {
  const bad = at(4, 100, { isGeneratorLimit: true, errorRate: 0.5, skippedRate: 0.5, p95Ms: 900 });
  assert.equal(judgeStop([bad], rule)?.id, 'generator');
  const noGenerator = { ...bad, isGeneratorLimit: false };
  assert.deepEqual(judgeStop([noGenerator], rule), {
    id: 'errors',
    facts: { errorRate: 0.5, most: 0.01 },
  });
  assert.equal(judgeStop([{ ...noGenerator, errorRate: 0 }], rule)?.id, 'skipped');
  assert.deepEqual(judgeStop([{ ...noGenerator, errorRate: 0, skippedRate: 0 }], rule), {
    id: 'p95',
    facts: { p95Ms: 900, mostMs: 500 },
  });
});

test('one failure among few requests does not prove that 1 % fail', () => {
  assert.equal(judgeStop([at(1, 10, { errorRate: 1 / 40, requests: 40 })], rule), null);
  assert.equal(judgeStop([at(1, 10, { errorRate: 1 / 40, requests: 4000 })], rule)?.id, 'errors');
});

test('without an objective latency stops nothing, and nothing stops what has not begun', () => {
  assert.equal(judgeStop([at(1, 10, { p95Ms: 1e6 })], { ...rule, p95Ms: null }), null);
  assert.equal(judgeStop([at(1, 10, { p95Ms: null })], rule), null);
  assert.equal(judgeStop([], rule), null);
  assert.equal(judgeStop([at(1, 0), at(2, 0), at(4, 0)], rule), null);
});
