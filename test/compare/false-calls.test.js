import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSignificant } from '../../lib/compare/significance.js';
import { compareNumbers, QUESTIONS } from './numbers.js';

/** @import { Change } from '../../lib/compare/compare-report.d.ts' */

const COMPARISONS = 200;

for (const runs of [4, 5, 8]) {
  test(`${runs} against ${runs} runs of the same program: at most 8 % of 200 comparisons call a difference`, t => {
    let called = 0;
    for (let seed = 1; seed <= COMPARISONS; seed++)
      if (compareNumbers({ seed: 1000 * runs + seed, runs }).changes.some(isSignificant)) called++;
    t.diagnostic(`${called} of ${COMPARISONS}`);
    assert.ok(called <= 0.08 * COMPARISONS, `${called} of ${COMPARISONS}`);
  });
}

/** @param {Change[]} changes */
const cpuOf = changes =>
  changes.find(({ scope, measure }) => scope === 'overall' && measure === 'cpuMsPerRequest');

test('a regression of 8 % in the cost of all is found with six runs a side, four times of five', t => {
  let found = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const { changes } = compareNumbers({
      seed,
      runs: 6,
      factor: ({ measure }) => (measure === 'cpuMsPerRequest' ? 1.08 : 1),
    });
    if (cpuOf(changes)?.call === 'worse') found++;
    assert.notEqual(cpuOf(changes)?.call, 'better');
  }
  t.diagnostic(`found in ${found} of 100`);
  assert.ok(found >= 80, `${found} of 100`);
});

test('intervals of that regression hold 8 % in 95 of 100 cases', () => {
  let held = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const { changes } = compareNumbers({
      seed,
      runs: 6,
      factor: ({ measure }) => (measure === 'cpuMsPerRequest' ? 1.08 : 1),
    });
    const { low, high } = cpuOf(changes)?.relative ?? {};
    if ((low ?? 1) <= 0.08 && (high ?? -1) >= 0.08) held++;
  }
  assert.ok(held >= 90, String(held));
});

test('one category that falls far is called with four runs a side, and hardly another', () => {
  let others = 0;
  let found = 0;
  for (let seed = 1; seed <= 50; seed++) {
    const { changes } = compareNumbers({
      seed,
      runs: 4,
      factor: q => (q.name === 'auth' ? 0.2 : 1),
    });
    const auth = changes.find(({ name }) => name === 'auth');
    if (auth?.call === 'better') found++;
    assert.ok((auth?.relative?.high ?? 0) < -0.7);
    others += changes.filter(change => isSignificant(change) && change !== auth).length;
  }
  assert.ok(found >= 48, String(found));
  // without any change, 1 of 35 figures has the smallest p-value that four runs a side can give
  assert.ok(others / (50 * QUESTIONS.length) < 0.035, String(others));
});

test('one slow endpoint of six needs five runs a side, because six were looked at', () => {
  const slow = (/** @type {Pick<Change, 'name' | 'measure'>} */ { name, measure }) =>
    name === 'c' && measure === 'total.p95Ms' ? 2 : 1;
  const find = (/** @type {number} */ runs) =>
    compareNumbers({ seed: 5, runs, factor: slow }).changes.find(
      ({ name, measure }) => name === 'c' && measure === 'total.p95Ms',
    );
  assert.equal(find(4)?.call, 'none');
  assert.equal(find(4)?.p, 2 / 70);
  assert.equal(find(4)?.runsNeeded, 5);
  assert.equal(find(5)?.call, 'worse');
});

test('three runs a side call nothing, whatever they look like', () => {
  const { changes, sameGroupsP } = compareNumbers({ seed: 1, runs: 3, factor: () => 3 });
  assert.equal(sameGroupsP, null);
  assert.ok(changes.every(change => !isSignificant(change) && change.p === null));
  const cpu = cpuOf(changes);
  assert.equal(cpu?.intervalOf, 'student');
  assert.equal(cpu?.runsNeeded, 4);
});
