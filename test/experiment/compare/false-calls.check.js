/**
 * The promise of a comparison on synthetic truth, through run folders and the whole analysis:
 * The tests beside it ask the same of numbers alone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison } from '../../../lib/experiment/compare/build-comparison.js';
import { isSignificant } from '../../../lib/experiment/compare/significance.js';
import { compareNumbers } from '../../../research/check-comparison/compare-numbers.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { reportsOfSynthetic } from './synthetic-reports.js';

/** @import { Change } from '../../../lib/run/facts/compare-report.d.ts' */

const COMPARISONS = 200;
const MOST_FALSE = 0.08;
const RUNS = 4;
const NUMBERS = 100;

test(`of ${COMPARISONS} comparisons of the same program, at most 8 % call a difference`, async t => {
  const root = makeTempFolder(t);
  let called = 0;
  let tellApart = 0;
  for (let comparison = 0; comparison < COMPARISONS; comparison++) {
    const seed = 1000 + comparison * 2 * RUNS;
    const before = await reportsOfSynthetic(root, RUNS, seed);
    const after = await reportsOfSynthetic(root, RUNS, seed + RUNS);
    const { changes, sameGroupsP } = await buildComparison(before, after);
    if (changes.some(isSignificant)) called++;
    if ((sameGroupsP ?? 1) <= 0.05) tellApart++;
  }
  t.diagnostic(`${called} of ${COMPARISONS} called a difference (told apart: ${tellApart})`);
  assert.ok(called <= MOST_FALSE * COMPARISONS, `${called} of ${COMPARISONS}`);
});

for (const runs of [4, 6, 8]) {
  test(`a program that costs 8 % more CPU is found with ${runs} runs a side as often as it should`, async t => {
    const root = makeTempFolder(t);
    const tries = 20;
    let found = 0;
    let contradicted = 0;
    for (let attempt = 0; attempt < tries; attempt++) {
      const seed = 100_000 * runs + attempt * 2 * runs;
      const before = await reportsOfSynthetic(root, runs, seed);
      const after = await reportsOfSynthetic(root, runs, seed + runs, { cpuFactor: 1.08 });
      const { changes } = await buildComparison(before, after);
      const cpu = changes.find(
        ({ scope, measure }) => scope === 'overall' && measure === 'cpuMsPerRequest',
      );
      if (cpu?.call === 'worse') found++;
      if (cpu?.call === 'better') contradicted++;
    }
    t.diagnostic(`found in ${found} of ${tries}`);
    assert.equal(contradicted, 0);
    if (runs >= 6) assert.ok(found >= 0.7 * tries, `${found} of ${tries}`);
  });
}

for (const runs of [4, 8]) {
  test(`${runs} against ${runs} runs of the same program: at most 8 % of 100 comparisons of numbers call a difference`, t => {
    let called = 0;
    for (let seed = 1; seed <= NUMBERS; seed++)
      if (compareNumbers({ seed: 1000 * runs + seed, runs }).changes.some(isSignificant)) called++;
    t.diagnostic(`${called} of ${NUMBERS}`);
    assert.ok(called <= 0.08 * NUMBERS, `${called} of ${NUMBERS}`);
  });
}

/** @param {Change[]} changes */
const cpuOf = changes =>
  changes.find(({ scope, measure }) => scope === 'overall' && measure === 'cpuMsPerRequest');

test('intervals of that regression hold 8 % in 95 of 100 cases', () => {
  let held = 0;
  for (let seed = 51; seed <= 100; seed++) {
    const { changes } = compareNumbers({
      seed,
      runs: 6,
      factor: ({ measure }) => (measure === 'cpuMsPerRequest' ? 1.08 : 1),
    });
    const { low, high } = cpuOf(changes)?.relative ?? {};
    if ((low ?? 1) <= 0.08 && (high ?? -1) >= 0.08) held++;
  }
  assert.ok(held >= 45, `${held} of 50`);
});
