import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../lib/math/random.js';
import { findConfidenceSequence } from '../../lib/try/confidence-sequence.js';
import { ALPHA, decide, isDecided, orderOf } from '../../lib/try/decide.js';

const OPTIONS = { measures: 2, smallest: 0.05 };
/** Of tries that are simulated for a rate. */
const TRIES = 2000;
/** About what fits into 12 minutes. */
const MOST_PAIRS = 18;

/** @param {() => number} random */
function gauss(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Tries whose pairs have normal ratios, each until it is decided.
 * @param {{change: number, spread: number, seed: number}} truth of the logarithm of B ÷ A
 */
function simulate({ change, spread, seed }) {
  const random = createRandom(seed);
  const calls = { better: 0, worse: 0, none: 0, undecided: 0 };
  let missed = 0;
  for (let n = 0; n < TRIES; n++) {
    const pairs = [];
    let decision = decide('cpuMsPerRequest', [], OPTIONS);
    while (pairs.length < MOST_PAIRS && !isDecided([decision])) {
      pairs.push({ a: 10, b: 10 * Math.exp(change + spread * gauss(random)) });
      decision = decide('cpuMsPerRequest', pairs, OPTIONS);
    }
    calls[decision.call]++;
    const { low, high } = decision.relative;
    if (low !== null && high !== null && (Math.expm1(change) < low || Math.expm1(change) > high))
      missed++;
  }
  return { calls, missed };
}

test('a confidence sequence has the interval of the formula', () => {
  const { value, low, high } = findConfidenceSequence([0.1, 0.2, 0.15, 0.12, 0.18], 0.05);
  // n = 5, S = 0.75, squares around the mean 0.0068; the test martingale of the end is 1 ÷ alpha.
  const martingale = (/** @type {number} */ mean) => {
    const own = [0.1, 0.2, 0.15, 0.12, 0.18].map(x => x - mean);
    const sum = own.reduce((a, b) => a + b, 0);
    const squares = own.reduce((a, b) => a + b * b, 0);
    const all = 5 + 0.25;
    return Math.sqrt(0.25 / all) * ((all * squares) / (all * squares - sum * sum)) ** 2.5;
  };
  assert.ok(Math.abs(value - 0.15) < 1e-12);
  for (const end of [low, high]) assert.ok(Math.abs(martingale(end) - 20) < 1e-9);
  assert.deepEqual(findConfidenceSequence([0.1], 0.05), {
    value: 0.1,
    low: -Infinity,
    high: Infinity,
  });
});

test('equal sides are called different in at most 5 % of tries, over all looks', () => {
  for (const spread of [0.01, 0.05, 0.2]) {
    const { calls, missed } = simulate({ change: 0, spread, seed: 1 });
    // One of two figures has half of alpha.
    assert.ok(calls.better + calls.worse <= (TRIES * ALPHA) / 2, `${JSON.stringify(calls)}`);
    assert.ok(missed <= (TRIES * ALPHA) / 2, `${missed}`);
    if (spread === 0.01) assert.ok(calls.none > TRIES * 0.99);
  }
});

test('a change of 10 % is found where pairs vary by 7 %', () => {
  const { calls } = simulate({ change: Math.log(1.1), spread: 0.07, seed: 2 });
  assert.ok(calls.worse >= TRIES * 0.9, JSON.stringify(calls));
  assert.equal(calls.better, 0);
});

test('a large change is decided after four pairs, and fewer decide nothing', () => {
  const pairs = [0.14, 0.15, 0.16, 0.15].map(b => ({ a: 1, b }));
  assert.equal(isDecided([decide('cpuMsPerRequest', pairs.slice(0, 3), OPTIONS)]), false);
  const decision = decide('cpuMsPerRequest', pairs, OPTIONS);
  assert.equal(decision.call, 'better');
  assert.equal(isDecided([decision]), true);
  assert.equal(decide('throughputPerSec', pairs, OPTIONS).call, 'worse');
});

test('pairs without a value are left out, and none of them decides nothing', () => {
  const pairs = [
    { a: null, b: 2 },
    { a: 0, b: 2 },
    { a: 1, b: 1.5 },
  ];
  const { pairs: count, relative, call } = decide('cpuMsPerRequest', pairs, OPTIONS);
  assert.deepEqual([count, call], [1, 'undecided']);
  assert.ok(Math.abs(relative.value - 0.5) < 1e-12);
  assert.equal(decide('cpuMsPerRequest', [], OPTIONS).call, 'undecided');
});

test('sides alternate A B B A, then B A A B', () => {
  const order = Array.from({ length: 8 }, (_, pair) => orderOf(pair).join('')).join(' ');
  assert.equal(order, 'ab ba ba ab ba ab ab ba');
});
