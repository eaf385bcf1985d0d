/** Little's law N = X·R (J. Little, Operations Research 9 (1961)) as a test of a study's points. */

/** @import { LittleCheck } from '../../facts/study-report.d.ts' */

/**
 * As for a run's own check of the law: users are counted between a response and their next request, too,
 * which is a tenth of the time where responses take a millisecond or two.
 */
const TOLERANCE = 0.2;

/**
 * @param {object[]} points one per step
 * @param {number} points[].step
 * @param {number | null} points[].n what was counted under way: users of a closed load that do not
 *   think. X·R itself would agree with itself
 * @param {number} points[].throughputPerSec responses of all kinds
 * @param {number | null} points[].meanMs their time
 * @returns {LittleCheck}
 */
export function checkLittle(points) {
  const checked = points.flatMap(({ step, n, throughputPerSec, meanMs }) =>
    n && meanMs !== null ? [{ step, share: (throughputPerSec * meanMs) / 1000 / n - 1 }] : [],
  );
  const [worst] = checked.toSorted((a, b) => Math.abs(b.share) - Math.abs(a.share));
  if (!worst) return { state: 'unchecked', steps: 0, worstStep: null, worstShare: null };
  return {
    state: Math.abs(worst.share) <= TOLERANCE ? 'holds' : 'broken',
    steps: checked.length,
    worstStep: worst.step,
    worstShare: worst.share,
  };
}
