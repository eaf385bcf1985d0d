/** Who works at a study now. */
import { isProcessAlive, readStartTicks } from '../../process-table.js';

/** @import { JournalRecord } from '../study-records.d.ts' */

/** @typedef {Extract<JournalRecord, {kind: 'attempt'}>} Attempt */

/**
 * The process that has a study: of the attempts that live the first one.
 * @param {JournalRecord[]} records of its journal
 * @returns {Attempt | null}
 */
export function findHolder(records) {
  const attempts = records.filter(record => record.kind === 'attempt');
  return attempts.find(attempt => isAlive(attempt) && !hasEnded(records, attempt)) ?? null;
}

/** A process has one attempt at a time. @param {JournalRecord[]} records @param {Attempt} attempt */
function hasEnded(records, attempt) {
  const after = records.slice(records.indexOf(attempt) + 1);
  return after.some(record => record.kind === 'study-end' && record.pid === attempt.pid);
}

/** @param {Attempt} attempt */
function isAlive({ pid, pidStartTicks }) {
  if (!isProcessAlive(pid)) return false;
  const ticks = readStartTicks(pid);
  return pidStartTicks === null || ticks === null || ticks === pidStartTicks;
}
