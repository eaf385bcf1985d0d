/** Whether two variants can be told apart at all. */
import { toLogs } from '../../compare/compare-values.js';
import { sameGroupsP } from '../../compare/statistics/same-groups.js';
import { pooledSpread, studentTwoSidedP } from '../../compare/statistics/student.js';
import { LEAST_REPEATS, meanOf } from './estimate.js';

/** @import { CellMeasure } from './cell-values.js' */

/** CPU per transaction is one ÷ throughput per core: one question, not two. */
const QUESTIONS = ['throughputPerSec', 'perBusyCore', 'p95Ms'];

/**
 * Whether the two variants can be told apart at all: the exact test of all figures together where there
 * are enough runs, else Student's smallest p over the questions (Bonferroni).
 * @param {{measure: CellMeasure, p: number | null, isExact: boolean, values: number[][], runs: [number, number]}[]} compared
 * @returns {number | null}
 */
export function findGate(compared) {
  const asked = compared.filter(({ measure, p }) => QUESTIONS.includes(measure) && p !== null);
  const [first] = asked;
  if (!first) return null;
  const [before, after] = first.runs;
  if (!asked.every(({ isExact, runs }) => isExact && runs[0] === before && runs[1] === after))
    return Math.min(1, asked.length * Math.min(...asked.map(({ p }) => p ?? 1)));
  const families = asked.map(({ values: [a = [], b = []] }) => ({
    figures: [(toLogs(a, b) ?? [a, b]).flat()],
    doubt: 1,
  }));
  return sameGroupsP(families, before, before + after);
}

/** Of the difference of logarithms. @param {number[]} before @param {number[]} after @returns {number | null} null for fewer than three runs a side */
export function studentP(before, after) {
  const logs = toLogs(before, after);
  if (!logs || Math.min(before.length, after.length) < LEAST_REPEATS) return null;
  const spread = pooledSpread(...logs);
  const shift = meanOf(logs[1]) - meanOf(logs[0]);
  const error = spread * Math.sqrt(1 / before.length + 1 / after.length);
  return error > 0 ? studentTwoSidedP(shift / error, before.length + after.length - 2) : null;
}
