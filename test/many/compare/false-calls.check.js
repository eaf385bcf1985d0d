/**
 * The promise of a comparison on synthetic truth, through run folders and the whole analysis:
 * `node --test test/compare/false-calls.check.js` takes some minutes. The tests beside it ask the same of numbers alone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison } from '../../../lib/many/compare/build-comparison.js';
import { isSignificant } from '../../../lib/many/compare/significance.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { reportsOfSynthetic } from './synthetic-reports.js';

const COMPARISONS = 200;
const MOST_FALSE = 0.08;
const RUNS = 4;

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
