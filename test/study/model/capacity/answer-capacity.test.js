import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerCapacity } from '../../../../lib/study/model/capacity/answer-capacity.js';
import { findSaturation } from '../../../../lib/study/model/find-saturation.js';

const objective = {
  ratePerSec: 300,
  clients: null,
  intervalSec: null,
  p95Ms: 200,
  errors: 0.01,
  headroom: 0.3,
};

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
    variant: `workers=${servers}`,
    label: `${servers} workers`,
    size: servers,
    points,
    saturation: findSaturation(points),
    limitText: 'the limit is the workers',
  };
}

/** @param {ReturnType<typeof makeVariant>[]} variants @param {Partial<import('../../../../lib/study/study-file.d.ts').Objective>} [changes] @param {import('../../../../lib/study/model/capacity/count-demand.js').ServiceTime} [service] */
const ask = (variants, changes, service) =>
  answerCapacity({
    objective: { ...objective, ...changes },
    throughputLabel: 'requests/s',
    variants,
    service,
  });

test('the fewest workers that are enough are named, with head-room and what stops them', () => {
  const answer = ask([makeVariant(2), makeVariant(8), makeVariant(4), makeVariant(16)]);
  assert.equal(answer.state, 'answered');
  assert.deepEqual(
    answer.variants.map(({ enough }) => enough),
    [false, true, false, true],
  );
  assert.equal(
    answer.text,
    'for 300 requests/s at p95 < 200 ms and at most 1 % errors: 8 workers, with 30 % head-room (560 requests/s usable); the limit is the workers',
  );
});

test('where nothing is enough it says how many machines are', () => {
  const answer = ask([makeVariant(2), makeVariant(4)], { ratePerSec: 900 });
  assert.deepEqual(
    answer.variants.map(({ needed }) => needed),
    [7, 4],
  );
  assert.match(answer.text, /it takes 4 machines like this one with 4 workers/);
});

test('between the last step within the objective and the first outside it is interpolated', () => {
  // p95 is 15 ms up to 4 users, 30 at 8, with throughput still rising
  const variant = makeVariant(64);
  for (const point of variant.points) point.latency.p95Ms = 10 * point.step;
  variant.saturation = findSaturation(variant.points);
  const [answer] = ask([variant], { p95Ms: 113 }).variants;
  // 80 ms at 8 users with 800/s, 160 ms at 16 with 1,600/s: √2 past 80 ms
  assert.ok(Math.abs((answer?.capacityPerSec?.value ?? 0) / 1131 - 1) < 0.01);
  assert.equal(answer?.step, 8);
  assert.match(answer?.text ?? '', /interpolated between steps 8 and 16/);
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
  assert.match(enough?.text ?? '', /^at least 400 requests\/s, the highest step: it may do more/);
  const answer = ask([variant], { ratePerSec: 600 });
  assert.equal(answer.variants[0]?.enough, null);
  assert.match(answer.text, /at most 3 machines/);
});

test('a generator that was the limit gives no capacity figure', () => {
  const answer = ask([makeVariant(64, { limitedFrom: 8 })]);
  assert.equal(answer.state, 'refused');
  assert.equal(answer.variants[0]?.capacityPerSec, null);
  assert.equal(answer.variants[0]?.needed, null);
  assert.match(answer.text, /no capacity is given: the load generator was the limit/);
  // nor workers by a service time that is the generator's own
  const own = ask([makeVariant(64, { limitedFrom: 8 })], {}, { seconds: 0.2, of: 'worker' });
  assert.equal(own.demandText, null);
  // unless the target was saturated before
  const saturated = ask([makeVariant(2, { limitedFrom: 16 })]);
  assert.equal(saturated.variants[0]?.capacityPerSec?.value, 200);
});

test('a variant that misses the objective at its lowest step is not enough, and has no capacity', () => {
  const answer = ask([makeVariant(2)], { p95Ms: 5 });
  assert.equal(answer.state, 'answered');
  assert.equal(answer.variants[0]?.enough, false);
  assert.equal(answer.variants[0]?.capacityPerSec, null);
  assert.match(answer.text, /not even step 1 is within the objective \(p95 15 ms/);
});

test('clients and their interval make a rate, and with the service time the workers at work', () => {
  const clients = { ratePerSec: null, clients: 1250, intervalSec: 1800 };
  const answer = ask([makeVariant(2)], clients, { seconds: 7, of: 'worker' });
  assert.ok(Math.abs((answer.ratePerSec ?? 0) - 0.694) < 0.001);
  assert.equal(
    answer.demandText,
    '1,250 clients every 30 min are 0.69/s; at 7,000 ms each they keep 4.9 at work at a time: 7 workers with 30 % head-room',
  );
  const slots = ask([makeVariant(2)], clients, { seconds: 7, of: 'slot' });
  assert.match(slots.demandText ?? '', /: 7 slots \(workers × threads\) with 30 % head-room$/);
});

test('without a rate it is the most that is asked for', () => {
  const answer = ask([makeVariant(2), makeVariant(4)], { ratePerSec: null });
  assert.match(answer.text, /^the most at p95 < 200 ms .*: 4 workers, up to 400 requests\/s/);
  assert.equal(answer.variants[0]?.enough, null);
  assert.equal(answer.demandText, null);
  assert.equal(ask([]).state, 'refused');
});

test('where nothing is varied no variant is named', () => {
  const alone = { ...makeVariant(8), label: '' };
  assert.match(ask([alone]).text, /errors: enough with 30 % head-room \(560 requests\/s usable\)/);
  assert.match(ask([alone], { ratePerSec: 900 }).text, /2 machines like this one \(560/);
  assert.match(ask([alone], { ratePerSec: null }).text, /errors: up to 800 requests\/s/);
});
