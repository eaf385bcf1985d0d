import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSignificant } from '../../../lib/experiment/compare/significance.js';
import {
  compareNumbers,
  countCalls,
  listQuestions,
} from '../../../research/check-comparison/compare-numbers.js';

/** @import { Change } from '../../../lib/run/facts/compare-report.d.ts' */

/** @param {Change[]} changes */
const cpuOf = changes =>
  changes.find(({ scope, measure }) => scope === 'overall' && measure === 'cpuMsPerRequest');

test('a regression of 8 % in the cost of all is found with six runs a side, four times of five', t => {
  let found = 0;
  for (let seed = 1; seed <= 50; seed++) {
    const { changes } = compareNumbers({
      seed,
      runs: 6,
      factor: ({ measure }) => (measure === 'cpuMsPerRequest' ? 1.08 : 1),
    });
    if (cpuOf(changes)?.call === 'worse') found++;
    assert.notEqual(cpuOf(changes)?.call, 'better');
  }
  t.diagnostic(`found in ${found} of 50`);
  assert.ok(found >= 40, `${found} of 50`);
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
  assert.ok(others / (50 * listQuestions([...'abcdef']).length) < 0.035, String(others));
});

const EIGHT = [...'abcdefgh'];

test('four disjoint runs a side of the endpoint that changed most are significant, one of eight or of fifty', () => {
  // the recorded fix: 14.8 → 3.8 ms, runs within some percent of each other
  const fifty = Array.from({ length: 50 }, (_, index) => String.fromCharCode(97 + index));
  for (const endpoints of [EIGHT, fifty]) {
    const calls = countCalls({
      comparisons: 40,
      runs: 4,
      endpoints,
      alone: 0.05,
      fixes: { a: 3.8 / 14.8 },
    });
    assert.ok(calls.fixed >= 0.95, JSON.stringify(calls));
    assert.ok(calls.others <= 0.1, JSON.stringify(calls));
  }
});

test('where drift moves all endpoints together, a fix of 16 % is found relative to the others', t => {
  const calls = countCalls({
    comparisons: 100,
    runs: 8,
    after: 4,
    endpoints: EIGHT,
    together: 0.08,
    alone: 0.02,
    fixes: { a: 0.84 },
  });
  t.diagnostic(JSON.stringify(calls));
  assert.ok(calls.fixed >= 0.85, 'the fix');
  assert.ok(calls.relative >= 0.4, 'by the others');
  assert.ok(calls.others <= 0.09, 'no endpoint that did not change');
});

test('drift alone calls no difference', t => {
  const calls = countCalls({
    comparisons: 200,
    runs: 4,
    endpoints: EIGHT,
    together: 0.08,
    alone: 0.02,
  });
  t.diagnostic(JSON.stringify(calls));
  assert.ok(calls.any <= 0.08, 'any');
});

test('an endpoint that stayed while all others changed is not called relative to them', () => {
  for (const all of [0.9, 0.5]) {
    const calls = countCalls({
      comparisons: 50,
      runs: 4,
      endpoints: EIGHT,
      alone: 0.02,
      fixes: { a: 1 },
      all,
    });
    assert.ok(calls.fixed <= 0.1 && calls.relative <= 0.1, JSON.stringify(calls));
  }
});

test('three runs a side never show a significant difference', () => {
  const { changes, sameGroupsP } = compareNumbers({ seed: 1, runs: 3, factor: () => 3 });
  assert.equal(sameGroupsP, null);
  assert.ok(changes.every(change => !isSignificant(change) && change.p === null));
  const cpu = cpuOf(changes);
  assert.equal(cpu?.intervalOf, 'student');
});
