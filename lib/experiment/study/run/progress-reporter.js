/** The progress of a study: one line of progress, and a line for each cell that has ended. */

import { plainLine } from '../../../base/files/plain-text.js';
import { formatDuration, formatMs, formatPercent, formatRate } from '../../../base/format.js';
import { describeCell } from './plan-cell.js';

/** @import { StudyPlan } from '../../../run/facts/study-records.d.ts' */
/** @import { EndedCell } from '../../strategies/steps.js' */
/** @import { StudyFolder } from './study-folder.js' */
/** @import { Attempt } from './attempt.d.ts' */

/**
 * @param {object} options
 * @param {StudyPlan} options.plan
 * @param {StudyFolder} options.opened
 * @param {(text: string) => void} options.onProgress
 * @param {(line: string) => void} options.onNote
 * @returns {Pick<Attempt, 'onProgress' | 'onNote' | 'cellBegins' | 'cellEnds'>}
 */
export function createProgressReporter({ plan, opened, onProgress, onNote }) {
  /** @type {Set<string>} */
  const shown = new Set();
  let beganMs = Date.now();
  const { cells, seconds } = plan.estimate;
  const most = `${plan.study.load.untilSaturated ? 'at most ' : ''}${cells}`;
  const countEnded = () => opened.runs.length;
  /** @param {string} text */
  const tell = text => {
    const left = Math.max(0, cells - countEnded());
    const leftMs = Math.max(0, (left / cells) * seconds * 1000 - (Date.now() - beganMs));
    const current = Math.min(countEnded() + 1, cells);
    // A narrow terminal cuts off the end of the line.
    onProgress(`cell ${current} of ${most} · ${formatDuration(leftMs)} left · ${text}`);
  };
  return {
    onProgress: tell,
    // Otherwise each cell would repeat the note.
    onNote: line => {
      if (!shown.has(line)) onNote(line);
      shown.add(line);
    },
    cellBegins: cell => {
      beganMs = Date.now();
      const name = plainLine(describeCell(plan, cell));
      return text => tell(`${name} · ${text}`);
    },
    cellEnds: cell => {
      const took = cell.folder === null ? '' : ` (${formatDuration(Date.now() - beganMs)})`;
      const line = `${describeCell(plan, cell)}: ${describeEnd(cell)}${took}`;
      beganMs = Date.now();
      onNote(plainLine(`cell ${countEnded()} of ${most} · ${line}`));
      tell('between two cells …');
    },
  };
}

/** @param {EndedCell} cell */
function describeEnd(cell) {
  // Further lines may be the end of a log.
  if (cell.outcome === 'failed') return `failed: ${cell.reason.split('\n')[0]}`;
  const { throughputPerSec, latency, requests, errors } = cell.figures;
  const parts = [formatRate(throughputPerSec)];
  if (latency) parts.push(`p95 ${formatMs(latency.p95Ms)}`);
  if (errors > 0) parts.push(`${formatPercent(errors / Math.max(1, requests))} errors`);
  return parts.join(', ');
}
