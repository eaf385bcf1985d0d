/** How much of a study is left: cells, and time from what the cells before took. */
import { listSteps } from '../study-file/list-steps.js';
import { chooseNextCell, findDecidedSteps, listEndedCells } from './choose-next-cell.js';
import { isProfiled } from './find-variant.js';

/** @import { Block, JournalRecord, StudyPlan } from '../study-records.d.ts' */

/** What a cell takes besides its load, before one was seen. */
const USUAL_OVERHEAD_MS = 1500;

/**
 * @param {StudyPlan} plan
 * @param {JournalRecord[]} records
 * @returns {{cells: number, ms: number}} at most: steps that nobody knows yet are counted as all
 */
export function estimateLeft(plan, records) {
  const cells = plan.blocks.reduce((sum, block) => sum + countLeft(plan, block, records), 0);
  return { cells, ms: cells * typicalCellMs(plan, records) };
}

/** @param {StudyPlan} plan @param {Block} block @param {JournalRecord[]} records */
function countLeft(plan, block, records) {
  const isOver = records.some(
    record =>
      record.kind === 'block-end' &&
      record.variant === block.variant &&
      record.repeat === block.repeat,
  );
  if (isOver || chooseNextCell(plan, block, records).cell === null) return 0;
  const decided = findDecidedSteps(records, block);
  const isFirst = plan.blocks.find(({ variant }) => variant === block.variant) === block;
  const hasProfile = isFirst && isProfiled(plan, block.variant);
  const all = (decided ?? listSteps(plan.study.load)).length + (hasProfile ? 1 : 0);
  const ended = listEndedCells(records, block.variant).filter(
    ({ repeat }) => repeat === block.repeat,
  );
  return Math.max(1, all - ended.length);
}

/**
 * From the start of a cell to the start of the next, services included: the mean of those that were run
 * in one go.
 * @param {StudyPlan} plan
 * @param {JournalRecord[]} records
 */
function typicalCellMs({ study }, records) {
  const planned = (study.warmUpSec + study.durationSec + study.settleSec) * 1000;
  const marks = records.filter(({ kind }) => ['attempt', 'cell-end', 'study-end'].includes(kind));
  const gaps = marks.flatMap(({ t, kind }, index) => {
    const before = marks[index - 1];
    return kind === 'cell-end' && before ? [t - before.t] : [];
  });
  const real = gaps.filter(gap => gap > planned / 2);
  if (real.length === 0) return planned + USUAL_OVERHEAD_MS;
  return real.reduce((sum, gap) => sum + gap, 0) / real.length;
}
