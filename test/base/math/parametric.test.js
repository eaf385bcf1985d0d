import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  normalCdf,
  poissonTail,
  studentTwoSidedP,
  studentTwoSidedQuantile,
} from '../../../lib/base/math/distributions.js';
import { meanOfRuns, meanShift, pooledSpread } from '../../../lib/base/math/means.js';
import { adjustForMany, sameGroupsP, stepDownPs } from '../../../lib/base/math/multiple-testing.js';
import { createRandom } from '../../../lib/base/math/random.js';

/** @param {number | null} actual @param {number} expected @param {number} tolerance */
const assertClose = (actual, expected, tolerance) =>
  assert.ok(
    Math.abs((actual ?? Number.NaN) - expected) <= tolerance,
    `${actual} is not ${expected}`,
  );

test('the normal distribution is that of the tables', () => {
  assertClose(normalCdf(0), 0.5, 1e-6);
  assertClose(normalCdf(1.96), 0.9750021, 1e-6);
  assertClose(normalCdf(-3), 0.0013499, 1e-6);
});

test('the tail of the Poisson distribution is that of its table', () => {
  assert.ok(Math.abs(poissonTail(3, 1) - 0.0803) < 1e-4);
  assert.ok(Math.abs(poissonTail(10, 5) - 0.03183) < 1e-4);
  assert.equal(poissonTail(0, 0), 1);
  assert.equal(poissonTail(1, 0), 0);
  assert.equal(poissonTail(2000, 1000), 0);
});

test("Student's t is that of the tables", () => {
  assertClose(studentTwoSidedQuantile(0.05, 1), 12.7062, 1e-3);
  assertClose(studentTwoSidedQuantile(0.05, 6), 2.44691, 1e-4);
  assertClose(studentTwoSidedQuantile(0.01, 30), 2.75, 1e-4);
  assertClose(studentTwoSidedP(2.2281, 10), 0.05, 1e-4);
  assert.equal(studentTwoSidedP(0, 4), 1);
  assert.equal(studentTwoSidedP(Infinity, 4), 0);
});

// A. Cushny, A. Peebles (1905), Student's own example: R's t.test(extra ~ group, var.equal = TRUE)
// prints the means 0.75 and 2.33, t = -1.8608, df = 18 and the interval −0.204 … 3.364 (turned round)
const DRUG_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
const DRUG_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

test("the difference of means and its interval are R's on Student's example", () => {
  const { value, low, high } = meanShift(DRUG_1, DRUG_2, 0.05);
  assertClose(value, 1.58, 1e-9);
  assertClose(low, -0.203874, 1e-5);
  assertClose(high, 3.363874, 1e-5);
  assertClose(pooledSpread(DRUG_1, DRUG_2), 1.8986, 1e-3);
});

test('a mean of runs has its interval, and one run a side has none', () => {
  // R: t.test(extra[group == 1]) prints −0.5297804 … 2.0297804
  const { low, high } = meanOfRuns(DRUG_1, 0.05);
  assertClose(low, -0.5297804, 1e-5);
  assertClose(high, 2.0297804, 1e-5);
  assert.deepEqual(meanShift([3], [5], 0.05), { value: 2, low: null, high: null });
});

test("adjusted p-values are those of R's p.adjust(…, 'BH')", () => {
  assert.deepEqual(adjustForMany([0.01, 0.04, 0.03, 0.005]), [0.02, 0.04, 0.04, 0.02]);
  assert.deepEqual(adjustForMany([0.5, 0.01, 0.9]), [0.75, 0.03, 0.9]);
  assert.deepEqual(adjustForMany([]), []);
});

/** Of equal groups, how often p is at most alpha. @param {number} alpha @param {(round: () => number) => number} p */
function rateOfCalls(alpha, p) {
  const random = createRandom(11);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let called = 0;
  const rounds = 400;
  for (let round = 0; round < rounds; round++) if (p(normal) <= alpha) called++;
  return called / rounds;
}

test('one test of all figures together calls no more than alpha of equal groups', () => {
  // three families, of one, five and thirty figures that hang together by the run
  const rate = rateOfCalls(0.05, normal => {
    const runs = Array.from({ length: 10 }, normal);
    const figure = () => runs.map(run => run + normal());
    const families = [1, 5, 30].map(count => ({
      figures: Array.from({ length: count }, figure),
      doubt: count === 1 ? 1 : 10,
    }));
    return sameGroupsP(families, 5, 10);
  });
  assert.ok(rate <= 0.075, String(rate));
  assert.ok(rate >= 0.015, `${rate}: it never speaks`);
});

test('one changed figure among many is enough to distinguish the groups', () => {
  const random = createRandom(5);
  const noise = Array.from({ length: 40 }, () => Array.from({ length: 8 }, random));
  const changed = [1, 1.01, 0.99, 1.02, 3, 3.01, 2.99, 3.02];
  assert.equal(sameGroupsP([{ figures: noise, doubt: 1 }], 4, 8) > 0.05, true);
  assert.equal(sameGroupsP([{ figures: [...noise, changed], doubt: 1 }], 4, 8), 2 / 70);
});

test('a sample of assignments gives the same result if there are too many', () => {
  const values = Array.from({ length: 16 }, (_, run) => (run < 8 ? run : run + 3) % 11);
  const p = sameGroupsP([{ figures: [values], doubt: 1 }], 8, 16);
  const shifted = values.map((value, run) => value + (run < 8 ? 0 : 100));
  assert.ok(p > 0.05 && p <= 1, String(p));
  assertClose(sameGroupsP([{ figures: [shifted], doubt: 1 }], 8, 16), 2 / 2001, 1 / 2001);
});

test('constant figures, or none, distinguish nothing', () => {
  assert.equal(sameGroupsP([{ figures: [[0, 0, 0, 0, 0, 0, 0, 0]], doubt: 1 }], 4, 8), 1);
  assert.equal(sameGroupsP([], 4, 8), 1);
});

test('an unknown figure has no p-value', () => {
  assert.deepEqual(stepDownPs([], 4), []);
});
