/** Little's law N = X·R (J. Little, Operations Research 9 (1961)) as a test of a study's points. */
import { formatCount, formatNumberOf, formatPercent } from '../../format.js';

/**
 * As for a run (`lib/analysis/littles-law.js`): users are counted between an answer and their next
 * request, too, which is a tenth of the time where answers take a millisecond or two.
 */
const TOLERANCE = 0.2;

/**
 * @param {object[]} points one per step
 * @param {number} points[].step
 * @param {number | null} points[].n what was counted under way: users of a closed load that do not
 *   think. X·R itself would agree with itself
 * @param {number} points[].throughputPerSec answers of all kinds
 * @param {number | null} points[].meanMs their time
 * @returns {{text: string, worstShare: number | null}} `worstShare`: the largest |X·R/N − 1|
 */
export function describeLittle(points) {
  const checked = points.flatMap(({ step, n, throughputPerSec, meanMs }) =>
    n && meanMs !== null ? [{ step, share: (throughputPerSec * meanMs) / 1000 / n - 1 }] : [],
  );
  const [worst] = checked.toSorted((a, b) => Math.abs(b.share) - Math.abs(a.share));
  if (!worst) return { text: 'N = X·R can not be checked here', worstShare: null };
  const worstShare = Math.abs(worst.share);
  if (worstShare <= TOLERANCE)
    return {
      text: `N = X·R holds within ${formatPercent(worstShare)} at ${checked.length > 1 ? `all ${formatNumberOf(checked.length, 'step')}` : 'its step'}`,
      worstShare,
    };
  const direction = worst.share < 0 ? 'less' : 'more';
  return {
    text: `N = X·R does not hold at step ${formatCount(worst.step)}: ${formatPercent(worstShare)} ${direction} was under way than was counted`,
    worstShare,
  };
}
