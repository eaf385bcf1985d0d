import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createRandom } from '../../../lib/base/math/random.js';
import { signedRankShift } from '../../../lib/base/math/signed-rank.js';
import {
  ALPHA,
  decide,
  hasShift,
  isDecided,
  LOOKS,
  nextPair,
} from '../../../lib/experiment/strategies/pairs.js';
import { simulateTries } from '../../../research/try/simulate-tries.js';

/** @typedef {import('../../../research/try/simulate-tries.js').Run} Run */

const OPTIONS = { measures: 2, smallest: 0.05 };
const TRIES = 1000;

/**
 * Runs of one version, one behind the other.
 * @param {{spread: number, slowdown?: number}} machine `slowdown`: of other work that comes and goes
 * @returns {Run[]}
 */
function makeRuns({ spread, slowdown = 1 }) {
  const random = createRandom(3);
  let isBusy = false;
  return Array.from({ length: 4000 }, () => {
    if (random() < 0.4) isBusy = !isBusy;
    const gauss = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const cpuMsPerRequest = 10 * Math.exp(spread * gauss) * (isBusy ? slowdown : 1);
    return { cpuMsPerRequest, throughputPerSec: 1000 / cpuMsPerRequest };
  });
}

/** Of tries; both figures have half of it each, and change together here. */
const MOST_WRONG = TRIES * ALPHA;

test('calls equal sides different in at most 5 % of tries, also under changing background load', () => {
  for (const machine of [
    { spread: 0.02 },
    { spread: 0.1 },
    { spread: 0.01, slowdown: 1.4 },
    { spread: 0.03, slowdown: 3 },
  ]) {
    const { wrong } = simulateTries(makeRuns(machine), { tries: TRIES, factor: 1, seed: 1 });
    assert.ok(wrong <= MOST_WRONG, `${JSON.stringify(machine)}: ${wrong} of ${TRIES}`);
  }
});

test('shows a difference of equal sides after any pair in at most 5 % of tries, with recorded runs', () => {
  const file = new URL('../../../research/try/load-5.json', import.meta.url);
  /** @type {Run[]} */
  const runs = JSON.parse(readFileSync(file, 'utf8'));
  const { wrong } = simulateTries(runs, { tries: TRIES, factor: 1, seed: 1 });
  assert.ok(wrong <= MOST_WRONG, `${wrong} of ${TRIES}`);
});

test('finds a change of 10 % in 80 % of tries if runs vary by 5 %', () => {
  const runs = makeRuns({ spread: 0.05 });
  for (const factor of [1.1, 1 / 1.1]) {
    const { found, wrong } = simulateTries(runs, { tries: TRIES, factor, seed: 2 });
    assert.ok(found.cpu >= TRIES * 0.8, `${factor}: found in ${found.cpu} of ${TRIES}`);
    assert.equal(wrong, 0);
  }
});

test('decides a large change at the first test, and nothing before it', () => {
  const pairs = [0.14, 0.15, 0.16, 0.15, 0.17].map(b => ({ a: 1, b }));
  const early = decide('cpuMsPerRequest', pairs.slice(0, 4), OPTIONS);
  assert.deepEqual([early.call, early.relative.low], ['undecided', null]);
  const decision = decide('cpuMsPerRequest', pairs, OPTIONS);
  assert.deepEqual([decision.call, decision.pairs], ['better', 5]);
  assert.equal(isDecided([decision, early]), false);
  assert.equal(decide('throughputPerSec', pairs, OPTIONS).call, 'worse');
});

test('two pairs decide a change that no variation of the machine explains', () => {
  const decideTwo = (
    /** @type {number} */ ratio,
    /** @type {{spread?: number, error?: number | null}} */ more = {},
  ) => {
    const { spread, error = 0.03 } = more;
    const pairs = [ratio, ratio * 1.02].map(b => ({ a: 1, b, error }));
    return decide('cpuMsPerRequest', pairs, { ...OPTIONS, spread });
  };
  const { call, pairs, relative } = decideTwo(0.2);
  assert.deepEqual([call, pairs], ['better', 2]);
  assert.ok((relative.low ?? 0) > -1 && (relative.high ?? 0) < 0, JSON.stringify(relative));
  assert.equal(decideTwo(0.5).call, 'undecided', 'an unknown machine');
  assert.equal(decideTwo(0.5, { spread: 0.03 }).call, 'better', 'a machine that is known');
  assert.equal(decideTwo(0.75, { spread: 0.001 }).call, 'undecided', 'no machine varies so little');
  assert.equal(
    decideTwo(0.5, { spread: 0.03, error: 0.3 }).call,
    'undecided',
    'varies within runs',
  );
  assert.equal(decideTwo(0.2, { error: null }).call, 'undecided', 'variation within not known');
});

test('two pairs decide a large change though the runs of each side vary', () => {
  // Recorded on a machine with a load average of 10.
  const pairs = [
    { a: 40.2, b: 7.1, error: 0.1 },
    { a: 47, b: 8.9, error: 0.1 },
  ];
  const { call, relative } = decide('cpuMsPerRequest', pairs, { measures: 2, smallest: 0.05 });
  assert.equal(call, 'better');
  assert.ok((relative.low ?? 0) > -0.96 && (relative.high ?? 0) < -0.25, JSON.stringify(relative));
  const less = pairs.map(({ a, error }) => ({ a, b: a / 2, error }));
  assert.equal(decide('cpuMsPerRequest', less, { measures: 2, smallest: 0.05 }).call, 'undecided');
});

test('three pairs decide two thirds less CPU per request on a busy machine that is not known', () => {
  // Recorded at a load average of 10, on two cores.
  const recorded = [
    [
      { a: 12.232, b: 4.668, error: 0.0491 },
      { a: 13.829, b: 4.142, error: 0.0359 },
      { a: 10.059, b: 4.015, error: 0.0795 },
    ],
    [
      { a: 12.371, b: 4.522, error: 0.0651 },
      { a: 10.949, b: 4.063, error: 0.0365 },
      { a: 10.37, b: 3.593, error: 0.0345 },
    ],
  ];
  for (const pairs of recorded) {
    assert.equal(decide('cpuMsPerRequest', pairs.slice(0, 2), OPTIONS).call, 'undecided');
    assert.equal(decide('cpuMsPerRequest', pairs, OPTIONS).call, 'better');
  }
});

test('two pairs decide nothing if their side A varies by more than known', () => {
  const pairs = [
    { a: 1, b: 0.3, error: 0.03 },
    { a: 2, b: 0.31, error: 0.03 },
  ];
  const decision = decide('cpuMsPerRequest', pairs, { ...OPTIONS, spread: 0.02 });
  assert.equal(decision.call, 'undecided');
});

test('four pairs that agree by chance decide nothing, and later pairs wait for the next test', () => {
  const pairs = [0.67, 0.7, 0.7, 0.75, 1.1, 1.6, 1.3].map(b => ({ a: 1, b }));
  const { call, pairs: used } = decide('throughputPerSec', pairs, OPTIONS);
  assert.deepEqual([call, used], ['undecided', 5]);
});

test('reports that there is no relevant difference', () => {
  const pairs = Array.from({ length: 11 }, (_, at) => ({ a: 10, b: 10 + (at - 5) / 20 }));
  assert.equal(decide('cpuMsPerRequest', pairs, OPTIONS).call, 'none');
  assert.equal(decide('cpuMsPerRequest', pairs, { ...OPTIONS, smallest: 0.01 }).call, 'undecided');
});

test('leaves out pairs without a value, and decides nothing without pairs', () => {
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

test('the tests spend the error rate once', () => {
  assert.ok(Math.abs(LOOKS.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-12);
});

test("the signed-rank interval equals Hollander and Wolfe's example", () => {
  // Depression scores of nine patients, 1999, table 3.1 and example 3.4: −0.46, (−0.786, −0.010) at 96.1 %.
  const differences = [-0.952, 0.147, -1.022, -0.43, -0.62, -0.59, -0.49, 0.08, -0.01];
  const { value, low, high } = signedRankShift(differences, 0.04);
  assert.deepEqual(
    [value, low, high].map(end => Number(end?.toFixed(3))),
    [-0.46, -0.786, -0.01],
  );
  assert.deepEqual(signedRankShift([1, 2, 3], 0.05), { value: 2, low: null, high: null });
});

test('the order of a pair is drawn, and each pair has both sides', () => {
  const orders = Array.from({ length: 200 }, () => {
    const next = nextPair([], { pairs: 0, excludedInRow: 0, wanted: 5 });
    return 'order' in next ? next.order.join('') : '';
  });
  const first = orders.filter(order => order === 'ab').length;
  assert.equal(orders.filter(order => order === 'ba').length, 200 - first);
  assert.ok(first > 60 && first < 140, `${first} of 200`);
});

test('ends when one figure is decided and no other one may have changed as much the other way', () => {
  const better = decide(
    'cpuMsPerRequest',
    [0.2, 0.2, 0.2].map(b => ({ a: 1, b, error: 0.01 })),
    OPTIONS,
  );
  const throughput = (
    /** @type {number} */ low,
    value = 1.5,
    /** @type {any} */ call = 'undecided',
  ) => ({
    ...{ measure: /** @type {const} */ ('throughputPerSec'), pairs: 3, call },
    relative: { value, low, high: 10 },
  });
  const endOf = (
    /** @type {import('../../../lib/run/facts/try.d.ts').Decision} */ other,
    more = {},
  ) => {
    const next = nextPair([other, better], { pairs: 3, excludedInRow: 0, ...more });
    return 'end' in next ? next.end : null;
  };
  assert.equal(better.call, 'better');
  assert.equal(endOf(throughput(-0.5)), 'clear');
  assert.equal(endOf(throughput(-0.7)), null, 'its interval has a fall to 40 %');
  assert.equal(endOf(throughput(-0.9, -0.3)), null, 'it points the other way');
  assert.equal(endOf(throughput(-0.5), { isComplete: true }), null, 'all figures are asked for');
  assert.equal(endOf(throughput(-0.5), { wanted: 5 }), null, 'a number of pairs is asked for');
  const unknown = { value: 1.5, low: null, high: null };
  assert.equal(endOf({ ...throughput(0), relative: unknown }), null, 'it is not known');
  const undecided = nextPair([throughput(-0.5)], { pairs: 3, excludedInRow: 0 });
  assert.ok('order' in undecided, 'none is decided');
});

test('two pairs tell a commit with a known change from one without if runs vary little', () => {
  const shift = Math.log(1.3);
  const has = (/** @type {number[]} */ ratios, spread = 0.05) =>
    hasShift(
      ratios.map(b => ({ a: 1, b })),
      { shift, spread },
    );
  assert.equal(has([1.31, 1.3]), true);
  assert.equal(has([1.01, 0.99]), false);
  assert.equal(has([1.31]), null, 'one pair');
  assert.equal(has([1.15, 1.14]), null, 'half of the change');
  assert.equal(has([1.31, 1.3], 0.1), null, 'a machine that varies more');
  assert.equal(has([1.31, 1.3], 0), true);
  assert.equal(
    hasShift(
      [
        { a: null, b: 1 },
        { a: 1, b: 0 },
      ],
      { shift },
    ),
    null,
  );
});
