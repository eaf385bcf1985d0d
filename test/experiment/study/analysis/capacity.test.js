import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeCapacity } from '../../../../lib/experiment/study/analysis/capacity.js';

const objective = {
  ratePerSec: 300,
  clients: null,
  intervalSec: null,
  p95Ms: 200,
  errors: 0.01,
  headroom: 0.3,
};

import { saturationOf } from './simulated-target.js';

/** @import { CapacityVariant } from '../../../../lib/experiment/study/analysis/capacity.js' */

/**
 * A closed loop: latency is users ÷ throughput.
 * @param {number} servers @param {object} [options] @param {number} [options.limitedFrom] @param {number[]} [options.steps] @param {number} [options.errorsFrom]
 */
function makeVariant(
  servers,
  { limitedFrom = Infinity, errorsFrom = Infinity, steps = [1, 2, 4, 8, 16, 32, 64] } = {},
) {
  const points = steps.map(step => {
    const x = 100 * Math.min(step, servers);
    return /** @type {any} */ ({
      step,
      throughputPerSec: { value: x, low: x * 0.97, high: x * 1.03 },
      values: [x],
      inFlight: step,
      latency: { meanMs: (step / x) * 1000, p95Ms: (step / x) * 1500 },
      errorRate: step >= errorsFrom ? 0.2 : 0,
      isGeneratorLimit: step >= limitedFrom,
    });
  });
  return {
    id: `workers=${servers}`,
    label: `${servers} workers`,
    factors: { workers: `${servers}` },
    points,
    saturation: saturationOf(points),
    bottleneck: /** @type {any} */ ({ id: 'workers', component: null }),
  };
}

/** @param {CapacityVariant[]} variants @param {Partial<import('../../../../lib/run/facts/study-file.d.ts').Objective>} [changes] @param {import('../../../../lib/run/facts/study-file.d.ts').Factor[]} [factors] */
const ask = (variants, changes, factors = [{ name: 'workers', values: [] }]) => {
  const study = {
    objective: { ...objective, ...changes },
    scaleOver: 'workers',
    factors,
  };
  const answer = judgeCapacity(study, variants, 'requests/s');
  assert.ok(answer);
  return answer;
};

test('the fewest workers that are enough are named, with head-room and what stops them', () => {
  const answer = ask([makeVariant(2), makeVariant(8), makeVariant(4), makeVariant(16)]);
  assert.equal(answer.state, 'answered');
  assert.deepEqual(
    answer.variants.map(({ enough }) => enough),
    [false, true, false, true],
  );
  assert.deepEqual(answer.answer, {
    id: 'capacity-enough',
    facts: {
      ratePerSec: 300,
      p95Ms: 200,
      errors: 0.01,
      headroom: 0.3,
      throughputLabel: 'requests/s',
      variant: '8 workers',
      bottleneck: { id: 'workers', component: null },
      isShared: false,
      usablePerSec: 560,
    },
  });
});

test('where nothing is enough it says how many machines are', () => {
  const answer = ask([makeVariant(2), makeVariant(4)], { ratePerSec: 900 });
  assert.deepEqual(
    answer.variants.map(({ needed }) => needed),
    [7, 4],
  );
  assert.equal(answer.answer.id, 'capacity-not-enough');
  assert.partialDeepStrictEqual(answer.answer.facts, {
    variant: '4 workers',
    needed: 4,
    isAtMost: false,
    usablePerSec: 280,
  });
});

test('between the last step within the objective and the first outside it is interpolated', () => {
  // p95 is 15 ms up to 4 users, 30 at 8, with throughput still rising
  const variant = makeVariant(64);
  for (const point of variant.points) point.latency.p95Ms = 10 * point.step;
  variant.saturation = saturationOf(variant.points);
  const [answer] = ask([variant], { p95Ms: 113 }).variants;
  // 80 ms at 8 users with 800/s, 160 ms at 16 with 1,600/s: √2 past 80 ms
  assert.ok(Math.abs((answer?.capacityPerSec?.value ?? 0) / 1131 - 1) < 0.01);
  assert.equal(answer?.step, 8);
  assert.equal(answer?.basis, 'interpolated');
  assert.equal(answer?.broken?.step, 16);
});

test('errors begin at once: nothing is interpolated towards a step that fails by them', () => {
  const [answer] = ask([makeVariant(64, { errorsFrom: 16 })]).variants;
  assert.equal(answer?.capacityPerSec?.value, 800);
  assert.equal(answer?.step, 8);
});

test('what still rises at its highest step says at least: it can be enough, but not too little', () => {
  const variant = makeVariant(64, { steps: [1, 2, 4] });
  const [enough] = ask([variant], { ratePerSec: 200 }).variants;
  assert.equal(enough?.enough, true);
  assert.equal(enough?.basis, 'at-least');
  assert.equal(enough?.capacityPerSec?.value, 400);
  const answer = ask([variant], { ratePerSec: 600 });
  assert.equal(answer.variants[0]?.enough, null);
  assert.partialDeepStrictEqual(answer.answer.facts, { needed: 3, isAtMost: true });
});

test('a generator that was the limit gives no capacity figure', () => {
  const answer = ask([makeVariant(64, { limitedFrom: 8 })]);
  assert.equal(answer.state, 'refused');
  assert.equal(answer.variants[0]?.capacityPerSec, null);
  assert.equal(answer.variants[0]?.needed, null);
  assert.equal(answer.answer.id, 'capacity-unknown');
  assert.equal(answer.variants[0]?.basis, 'generator-limited');
  // unless the target was saturated before
  const saturated = ask([makeVariant(2, { limitedFrom: 16 })]);
  assert.equal(saturated.variants[0]?.capacityPerSec?.value, 200);
});

test('a variant that misses the objective at its lowest step is not enough, and has no capacity', () => {
  const answer = ask([makeVariant(2)], { p95Ms: 5 });
  assert.equal(answer.state, 'answered');
  assert.equal(answer.variants[0]?.enough, false);
  assert.equal(answer.variants[0]?.capacityPerSec, null);
  assert.equal(answer.variants[0]?.basis, 'none');
  assert.deepEqual(answer.variants[0]?.broken, { step: 1, p95Ms: 15, errorRate: 0 });
  assert.equal(answer.answer.id, 'capacity-unknown');
});

test('clients and their interval make a rate', () => {
  const clients = { ratePerSec: null, clients: 1250, intervalSec: 1800 };
  const answer = ask([makeVariant(2)], clients);
  assert.ok(Math.abs((answer.ratePerSec ?? 0) - 0.694) < 0.001);
});

test('without a rate the question is the maximum', () => {
  const answer = ask([makeVariant(2), makeVariant(4)], { ratePerSec: null });
  assert.equal(answer.answer.id, 'capacity-most');
  assert.partialDeepStrictEqual(answer.answer.facts, {
    variant: '4 workers',
    capacity: { capacityPerSec: { value: 400 } },
  });
  assert.equal(answer.variants[0]?.enough, null);
  assert.equal(ask([]).state, 'refused');
});

test('where nothing is varied no variant is named', () => {
  const alone = makeVariant(8);
  /** @type {[number | null, string, object][]} */
  const cases = [
    [300, 'capacity-enough', { variant: null, usablePerSec: 560 }],
    [900, 'capacity-not-enough', { variant: null, usablePerSec: 560, needed: 2 }],
    [null, 'capacity-most', { variant: null, capacity: { capacityPerSec: { value: 800 } } }],
  ];
  for (const [ratePerSec, id, facts] of cases)
    assert.partialDeepStrictEqual(ask([alone], { ratePerSec }, []).answer, { id, facts });
});

test('gives no capacity if every request fails, even without a limit for errors', () => {
  const failing = makeVariant(2, { steps: [1, 2] });
  for (const point of failing.points)
    Object.assign(point, {
      throughputPerSec: { value: 0, low: null, high: null },
      latency: null,
      errorRate: 1,
    });
  const { answer, variants } = ask([failing], { errors: null, p95Ms: null });
  assert.equal(variants[0]?.basis, 'none');
  assert.equal(variants[0]?.enough, false);
  assert.equal(answer.id, 'capacity-unknown');
});
