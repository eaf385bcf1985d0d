/** Context switches and proportional set size of processes, at a bounded cost. */
import { readPssBytes, readSwitches } from '../../process-table.js';
import { keyOf } from './take-snapshot.js';

/** @typedef {import('../../process-table.js').ProcessStat} ProcessStat */

/** Samples between two readings of a process' PSS. */
const PSS_EVERY = 5;
/** For the readings of one sample; who had no turn is first in the next one. */
const PSS_BUDGET_MS = 5;

/**
 * @typedef {object} Details
 * @property {number} voluntarySwitches
 * @property {number} involuntarySwitches
 * @property {number | null} [pssBytes] about every fifth time
 */

/** @returns {(processes: ProcessStat[]) => Map<number, Details>} by pid; to be called at each sample */
export function createDetailReader() {
  /** @type {Map<string, number>} process → sample in which its PSS was read */
  let readAt = new Map();
  let sample = 0;
  return processes => {
    sample++;
    /** @type {Map<number, Details>} */
    const details = new Map();
    for (const stat of processes) {
      const switches = readSwitches(stat);
      if (switches) details.set(stat.pid, switches);
    }
    const due = processes
      .map(stat => ({ stat, last: readAt.get(keyOf(stat)) ?? -Infinity }))
      .filter(({ last }) => sample - last >= PSS_EVERY)
      .sort((a, b) => a.last - b.last);
    const startedAt = performance.now();
    const kept = new Map(
      processes.flatMap(stat => {
        const last = readAt.get(keyOf(stat));
        return last === undefined ? [] : [[keyOf(stat), last]];
      }),
    );
    for (const { stat } of due) {
      const own = details.get(stat.pid);
      if (own) own.pssBytes = readPssBytes(stat.pid);
      kept.set(keyOf(stat), sample);
      if (performance.now() - startedAt > PSS_BUDGET_MS) break;
    }
    readAt = kept;
    return details;
  };
}
