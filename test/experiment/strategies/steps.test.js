import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseNextCell, nextCell } from '../../../lib/experiment/strategies/steps.js';
import { makePlan, makeRecords } from '../study/run/make-records.js';

/** A target that saturates at 100/s. @param {number} step */
const saturating = step => Math.min(100, step * 25);

/**
 * Runs the blocks of a plan without running anything.
 * @param {import('../../../lib/run/facts/study-records.d.ts').StudyPlan} plan
 * @param {(cell: import('../../../lib/run/facts/study-records.d.ts').CellKey) => number | null} measure
 *   throughput; null: the cell fails
 */
function play(plan, measure) {
  const records = makeRecords();
  for (
    let next = nextCell(plan, records.all);
    'block' in next;
    next = nextCell(plan, records.all)
  ) {
    const { block, cell } = next;
    if (cell) records.endCell(cell, measure(cell));
    else records.endBlock(block, chooseNextCell(plan, block, records.all).stop);
  }
  return records;
}

test('fixed steps are all run, in every block', () => {
  const plan = makePlan({ steps: [1, 2, 8], variants: ['a', 'b'], repeats: 2 });
  const { cells } = play(plan, ({ step }) => saturating(step));
  assert.deepEqual(cells, [
    ...['a r1 1', 'a r1 2', 'a r1 8', 'b r1 1', 'b r1 2', 'b r1 8'],
    ...['a r2 1', 'a r2 2', 'a r2 8', 'b r2 1', 'b r2 2', 'b r2 8'],
  ]);
});

test('until saturated: the first block of a variant decides, later ones run the same steps', () => {
  const plan = makePlan({ steps: { from: 1, factor: 2, most: 64 }, repeats: 2 });
  let round = 0;
  const { cells, stops } = play(plan, ({ step, repeat }) => {
    round = repeat;
    // The second time it goes on rising: that changes nothing.
    return round === 1 ? saturating(step) : step * 25;
  });
  const first = cells.filter(cell => cell.includes('r1'));
  assert.deepEqual(first, ['a r1 1', 'a r1 2', 'a r1 4', 'a r1 8', 'a r1 16']);
  assert.deepEqual(
    cells.filter(cell => cell.includes('r2')),
    first.map(cell => cell.replace('r1', 'r2')),
  );
  assert.deepEqual(stops, ['gain', null]);
});

test('reports a target that does not saturate: the maximum was tried', () => {
  const plan = makePlan({ steps: { from: 1, factor: 2, most: 8 } });
  const { cells, stops } = play(plan, ({ step }) => step * 25);
  assert.equal(cells.length, 4);
  assert.deepEqual(stops, ['most']);
});

test('the profile comes last in the first block, at the step with the highest throughput', () => {
  const plan = makePlan({ steps: [1, 2, 4, 8], repeats: 2, profile: true });
  const { cells } = play(plan, ({ step }) => (step === 4 ? 120 : saturating(step)));
  assert.deepEqual(cells.slice(4), ['a r1 4 profile', 'a r2 1', 'a r2 2', 'a r2 4', 'a r2 8']);
});

test('a cell that failed is not run again, and the steps after it are', () => {
  const plan = makePlan({ steps: [1, 2, 4] });
  const { cells } = play(plan, ({ step }) => (step === 2 ? null : saturating(step)));
  assert.deepEqual(cells, ['a r1 1', 'a r1 2', 'a r1 4']);
});

test('a block that failed decides nothing: the next one of its variant does', () => {
  const plan = makePlan({ steps: { from: 1, factor: 2, most: 64 }, repeats: 2, profile: true });
  const records = makeRecords();
  const [first, second] = plan.blocks;
  assert.ok(first && second);
  records.endCell({ ...first, step: 1, purpose: 'measure' }, null);
  records.endBlock(first, null, 'the service api did not start');
  for (const step of [1, 2, 4, 8, 16]) {
    const { cell } = chooseNextCell(plan, second, records.all);
    assert.deepEqual(cell, { ...second, step, purpose: 'measure' });
    records.endCell(cell, saturating(step));
  }
  const { cell } = chooseNextCell(plan, second, records.all);
  assert.equal(cell?.purpose, 'profile');
});
