/** How far a study is: one line of progress, and a line for each cell that has ended. */
import { formatDuration, formatMs, formatPercent, formatRate } from '../../format.js';
import { plainLine } from '../../report/plain-text.js';
import { listEndedCells } from './choose-next-cell.js';
import { estimateLeft } from './estimate-left.js';
import { describeCell } from './name-cell.js';

/** @import { StudyPlan } from '../study-records.d.ts' */
/** @import { EndedCell } from './choose-next-cell.js' */

/**
 * @param {object} options
 * @param {StudyPlan} options.plan
 * @param {import('./journal.js').Journal} options.journal
 * @param {(text: string) => void} options.onProgress
 * @param {(line: string) => void} options.onNote
 * @returns {Pick<import('./run-study.js').Attempt, 'onProgress' | 'onNote' | 'cellBegins' | 'cellEnds'>}
 */
export function startStory({ plan, journal, onProgress, onNote }) {
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
