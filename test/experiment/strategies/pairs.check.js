/** Error rate and power of a try over all its looks: 2,000 simulated tries of recorded runs, whose truth is known. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createRandom } from '../../../lib/base/math/random.js';
import { standardDeviation } from '../../../lib/base/math/summary.js';
import {
  ALPHA,
  decide,
  drawOrder,
  findableChange,
  hasShift,
  LEAST_SPREAD,
  LOOKS,
} from '../../../lib/experiment/strategies/pairs.js';
import { describeAccount, describeNoise } from '../../../lib/experiment/try/noise.js';
import { simulateTries } from '../../../research/try/simulate-tries.js';

/** @typedef {import('../../../research/try/simulate-tries.js').Run} Run */

const TRIES = 2000;
/** Pairs of a try of equal sides. */
const NOISE_PAIRS = 5;
/** Runs of one version on two cores, recorded at load averages of 4 to 7, 5 to 12, and 20. */
const LEVELS = ['load-5', 'load-10', 'load-20'];

/** @param {string} level @returns {{runs: Run[], spread: number}} `spread`: of the figure that varies most */
function readLevel(level) {
  const file = new URL(`../../../research/try/${level}.json`, import.meta.url);
  /** @type {Run[]} */
  const runs = JSON.parse(readFileSync(file, 'utf8'));
  const [cpu, rate] = /** @type {const} */ (['cpuMsPerRequest', 'throughputPerSec']).map(key =>
    standardDeviation(runs.map(run => Math.log(run[key]))),
  );
  return { runs, spread: Math.max(cpu ?? 0, rate ?? 0) };
}

for (const level of LEVELS) {
  const { runs, spread } = readLevel(level);
  for (const [what, assumed] of /** @type {[string, number | undefined][]} */ ([
    ['an unknown machine', undefined],
    ['half of the true variation assumed', Math.max(LEAST_SPREAD, spread / 2)],
    ['the true variation assumed', spread],
  ])) {
    test(`${level}, ${what}: calls equal sides different in at most 5 % of tries`, () => {
      const { wrong } = simulateTries(runs, { tries: TRIES, factor: 1, seed: 1, spread: assumed });
      assert.ok(wrong <= TRIES * ALPHA, `${wrong} of ${TRIES}`);
    });
    test(`${level}, ${what}: calls a change of 10 % the wrong way in at most 5 % of tries`, () => {
      const { wrong } = simulateTries(runs, {
        tries: TRIES,
        factor: 1.1,
        seed: 2,
        spread: assumed,
      });
      assert.ok(wrong <= TRIES * ALPHA, `${wrong} of ${TRIES}`);
    });
  }
}

test('finds the change that it names in about 80 % of tries', () => {
  const random = createRandom(7);
  const spread = 0.05;
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  for (const { pairs: count } of LOOKS.slice(1, 5)) {
    const change = findableChange(count, { spread, assumed: spread, measures: 2 }) ?? 0;
    const by = Math.log1p(change) / spread;
    const run = (/** @type {number} */ shift) => Math.exp(spread * (gauss() + shift));
    const found = Array.from({ length: 500 }, () => {
      const pairs = Array.from({ length: count }, () => ({ a: run(0), b: run(by), error: spread }));
      return decide('cpuMsPerRequest', pairs, { measures: 2, smallest: 0.01, spread });
    }).filter(({ call }) => call === 'worse').length;
    assert.ok(found > 350 && found < 470, `${count} pairs, ${change}: ${found} of 500`);
  }
});

for (const level of LEVELS) {
  for (const [measure, own] of /** @type {const} */ ([
    ['cpuMsPerRequest', 'cpu'],
    ['throughputPerSec', 'rate'],
  ])) {
    test(`${level}: the line of the noise of ${own} agrees with simulated tries within a third`, () => {
      const { runs } = readLevel(level);
      const random = createRandom(3);
      const accounts = Array.from({ length: 400 }, () => {
        const from = Math.floor(random() * (runs.length - 2 * NOISE_PAIRS + 1));
        const pairs = Array.from({ length: NOISE_PAIRS }, (_, at) => {
          const pair = runs.slice(from + 2 * at).map(run => run[measure]);
          const [a = 0, b = 0] = drawOrder(random)[0] === 'a' ? pair : pair.slice(0, 2).reverse();
          return { a, b };
        });
        return describeAccount(1, new Map([[measure, pairs]]));
      });
      for (const mostPairs of [11, 17]) {
        const asked = { withinMs: mostPairs, smallest: 0 };
        // The other figure of a try takes half of its error rate.
        const [line] = describeNoise([measure, 'total.p95Ms'], accounts, asked).figures;
        const change = line?.change ?? 0;
        const find = (/** @type {number} */ by) => {
          const factor = own === 'cpu' ? 1 + by : 1 / (1 + by);
          const { found } = simulateTries(runs, { tries: 500, factor, seed: 4, mostPairs });
          return found[own] / 500;
        };
        const [less, more] = [find((change * 2) / 3), find((change * 4) / 3)];
        assert.ok(less < 0.8 && more > 0.8, JSON.stringify({ mostPairs, change, less, more }));
      }
    });
  }
}

/** A bisection's first step, with its change, and a later step of a commit with this change or without. */
for (const level of LEVELS) {
  test(`${level}: tells commits with a change of 20 or 30 % from others, wrong in at most 5 % of steps`, () => {
    const { runs } = readLevel(level);
    const random = createRandom(9);
    const draw = (/** @type {number} */ count, /** @type {number} */ by) =>
      Array.from({ length: count }, () => {
        const pair = runs.slice(Math.floor(random() * (runs.length - 1))).slice(0, 2);
        const [a = 0, b = 0] = pair.map(run => run.cpuMsPerRequest);
        return drawOrder(random)[0] === 'a' ? { a, b: b * by } : { a: b, b: a * by };
      });
    for (const by of [1.2, 1.3]) {
      for (const isBad of [true, false]) {
        let [wrong, pairs] = [0, 0];
        for (let n = 0; n < TRIES; n++) {
          const first = draw(NOISE_PAIRS, by);
          const { inPairs: spread = 0 } =
            describeAccount(1, new Map([['cpuMsPerRequest', first]])).variations[0] ?? {};
          const { value } = decide('cpuMsPerRequest', first, {
            measures: 2,
            smallest: 0.05,
          }).relative;
          const known = { shift: Math.log1p(Math.max(value, 0.05)), spread };
          const step = draw(17, isBad ? by : 1);
          const count =
            step.findIndex((_, at) => hasShift(step.slice(0, at + 1), known) !== null) + 1;
          pairs += count || 17;
          if (hasShift(step.slice(0, count || 17), known) === !isBad) wrong++;
        }
        assert.ok(wrong <= TRIES * ALPHA, `${by}, ${isBad}: ${wrong} of ${TRIES}`);
        assert.ok(pairs / TRIES < 9, `${by}, ${isBad}: ${pairs / TRIES} pairs`);
      }
    }
  });
}
