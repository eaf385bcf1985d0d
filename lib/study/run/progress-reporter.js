/** How far a study is: one line of progress, and a line for each cell that has ended. */

import { plainLine } from '../../files/plain-text.js';
import { formatDuration, formatMs, formatPercent, formatRate } from '../../format.js';
import { listSteps } from '../study-file/matrix.js';
import {
  chooseNextCell,
  findDecidedSteps,
  hasEnded,
  isProfiled,
  listEndedCells,
} from './choose-next-cell.js';
import { describeCell } from './plan-cell.js';

/** @import { Block, JournalRecord, StudyPlan } from '../../facts/study-records.d.ts' */
/** @import { EndedCell } from './choose-next-cell.js' */
/** @import { Journal } from './study-folder.js' */
/** @import { Attempt } from './attempt.d.ts' */

/**
 * @param {object} options
 * @param {StudyPlan} options.plan
 * @param {Journal} options.journal
 * @param {(text: string) => void} options.onProgress
 * @param {(line: string) => void} options.onNote
 * @returns {Pick<Attempt, 'onProgress' | 'onNote' | 'cellBegins' | 'cellEnds'>}
 */
export function createProgressReporter({ plan, journal, onProgress, onNote }) {
  /** @type {Set<string>} */
  const told = new Set();
  let beganMs = Date.now();
  /** @param {string} text */
  const tell = text => {
    const { cells, ms } = estimateLeft(plan, journal.records);
    const ended = listEndedCells(journal.records).length;
    const leftMs = Math.max(0, ms - (Date.now() - beganMs));
    // A narrow terminal cuts off the end.
    const left = `${formatDuration(leftMs)} left`;
    const current = Math.min(ended + 1, ended + cells);
    onProgress(`cell ${current} of ${ended + cells} · ${left} · ${text}`);
  };
  return {
    onProgress: tell,
    // Each cell would tell the same again.
    onNote: line => {
      if (!told.has(line)) onNote(line);
      told.add(line);
    },
    cellBegins: cell => {
      beganMs = Date.now();
      const name = plainLine(describeCell(plan, cell));
      return text => tell(`${name} · ${text}`);
    },
    cellEnds: cell => {
      const { cells } = estimateLeft(plan, journal.records);
      const ended = listEndedCells(journal.records).length;
      const took = cell.folder === null ? '' : ` (${formatDuration(Date.now() - beganMs)})`;
      const line = `${describeCell(plan, cell)}: ${describeEnd(cell)}${took}`;
      beganMs = Date.now();
      onNote(plainLine(`cell ${ended} of ${ended + cells} · ${line}`));
      tell('between two cells …');
    },
  };
}

/** @param {EndedCell} cell */
function describeEnd(cell) {
  // The end of a log may follow.
  if (cell.outcome === 'failed') return `failed: ${cell.reason.split('\n')[0]}`;
  const { throughputPerSec, latency, requests, errors } = cell.figures;
  const parts = [formatRate(throughputPerSec)];
  if (latency) parts.push(`p95 ${formatMs(latency.p95Ms)}`);
  if (errors > 0) parts.push(`${formatPercent(errors / Math.max(1, requests))} errors`);
  return parts.join(', ');
}

/**
 * @param {StudyPlan} plan
 * @param {JournalRecord[]} records
 * @returns {{cells: number, ms: number}} at most: steps that nobody knows yet are counted as all
 */
export function estimateLeft(plan, records) {
  const cells = plan.blocks.reduce((sum, block) => sum + countLeft(plan, block, records), 0);
  return { cells, ms: (cells * plan.estimate.seconds * 1000) / plan.estimate.cells };
}

/** @param {StudyPlan} plan @param {Block} block @param {JournalRecord[]} records */
function countLeft(plan, block, records) {
  if (hasEnded(records, block) || chooseNextCell(plan, block, records).cell === null) return 0;
  const decided = findDecidedSteps(records, block);
  const isFirst = plan.blocks.find(({ variant }) => variant === block.variant) === block;
  const hasProfile = isFirst && isProfiled(plan, block.variant);
  const all = (decided ?? listSteps(plan.study.load)).length + (hasProfile ? 1 : 0);
  const ended = listEndedCells(records, block.variant).filter(
    ({ repeat }) => repeat === block.repeat,
  );
  return Math.max(1, all - ended.length);
}
