import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSaturation } from '../../lib/text/saturation.js';
import { say } from '../../lib/text/say.js';
import { nameMeasure } from '../../lib/text/study-comparison.js';
import { describeStopRule, describeUsl, STOPS } from '../../lib/text/study-variant.js';
import { STUDY_LINES } from '../../lib/text/study-verdict.js';

const exactly = (/** @type {number} */ value) => ({ value, low: null, high: null });

/** @type {import('../../lib/run/facts/saturation.d.ts').Saturation} */
const saturation = {
  state: 'reached',
  sign: 'levels-off',
  step: 4,
  throughputPerSec: exactly(400),
  kneeInFlight: exactly(4),
  steps: 5,
  leastSteps: 3,
  lastStep: 16,
  dispatchPerSec: 500,
  generatorStep: null,
};

test('describes each sign of saturation in one clause', () => {
  const text = (/** @type {Partial<typeof saturation>} */ changes) =>
    describeSaturation({ ...saturation, ...changes });
  assert.equal(
    text({}),
    'throughput levels off at 400/s from step 4 on; requests begin to queue at 4.0 in progress',
  );
  assert.equal(
    text({ sign: 'falls-behind' }),
    'at step 16 500/s were put in and 400/s came out: more load brings no more throughput',
  );
  assert.equal(
    text({ sign: 'still-rises' }),
    'throughput still rises at step 16, the highest: the target takes at least 400/s',
  );
  assert.match(
    text({ sign: 'generator-limit', generatorStep: 8 }),
    /^the load generator was the bottleneck at step 8: the target takes at least 400/,
  );
  assert.match(
    text({ sign: 'too-few-steps', steps: 2 }),
    /at least 3 steps that the load generator kept up with, and there are 2$/,
  );
});

test('a curve that is not fitted says why', () => {
  const none = { lambda: null, sigma: null, kappa: null, nMax: null, xMax: null };
  const fit = {
    points: 5,
    leastPoints: 6,
    largestN: null,
    validToN: null,
  };
  assert.equal(
    describeUsl({ ...none, ...fit, state: 'too-few-points' }),
    'no curve is fitted: it needs at least 6 steps of load that the generator kept up with, and there are 5',
  );
  assert.match(
    describeUsl({ ...none, ...fit, state: 'fitted', largestN: 64, validToN: 128 }),
    /^no peak seen up to N = 64; no prediction past N = 128/,
  );
});

test('the stop rule, and why the steps of a variant ended', () => {
  const rule = { gain: 0.025, p95Ms: 2000, errors: 0.01, skipped: 0.02 };
  assert.equal(
    describeStopRule(rule),
    'throughput rises by less than 2.5 % in two steps in a row, p95 is above 2,000 ms, more than 1 % of requests fail, more than 2 % of arrivals are dropped, or the load generator is the bottleneck',
  );
  const gain = { change: 0.02, steps: 2, least: 0.05, isPerStep: true };
  assert.equal(
    say(STOPS, { id: 'gain', facts: gain }),
    'throughput rose by 2.0 % over the last 2 steps, less than 5 % a step',
  );
});

test('does not call an untested difference insignificant', () => {
  const line = (/** @type {[number, number]} */ runs, step = 8) =>
    STUDY_LINES.factor({
      factor: 'cache',
      beforeLevel: 'off',
      afterLevel: 'redis',
      same: {},
      measure: 'throughputPerSec',
      step,
      steps: [[step], [step]],
      relative: exactly(8.75),
      call: 'none',
      runs,
      throughputLabel: 'requests/s',
      cpuOf: 'workers',
      model: 'closed',
    });
  const pair = 'cache redis instead of off: ';
  assert.equal(line([1, 1]), `${pair}requests/s at 8 users +875.0 % (not tested: one run a side).`);
  assert.equal(
    line([3, 2]),
    `${pair}requests/s at 8 users +875.0 % (not tested: two runs a side).`,
  );
  assert.equal(line([3, 3]), `${pair}no significant difference in requests/s at 8 users.`);
});

test('a comparison names the steps whose figures it compares', () => {
  const name = (
    /** @type {number | null} */ step,
    /** @type {[number[], number[]]} */ steps,
    model = /** @type {'closed' | 'open'} */ ('closed'),
  ) =>
    nameMeasure({
      measure: 'throughputPerSec',
      step,
      steps,
      model,
      throughputLabel: 'requests/s',
      cpuOf: 'workers',
    });
  assert.equal(name(1, [[1], [1]]), 'requests/s at 1 user');
  assert.equal(name(50, [[50], [50]], 'open'), 'requests/s at 50/s');
  assert.equal(
    name(null, [
      [8, 16, 32],
      [8, 16, 32],
    ]),
    'requests/s at the plateau (8–32 users)',
  );
  assert.equal(
    name(null, [[50], [200, 400]], 'open'),
    'requests/s at the plateau (50/s before, 200–400/s after)',
  );
});
